package faults

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/test/report"
)

// A job is what a process is to do.
type job struct {
	Process int
	Store   string      // its URL
	Leases  *leasesJob  `json:",omitempty"`
	Numbers *numbersJob `json:",omitempty"`
}

func TestMain(m *testing.M) {
	harness.Ordered(func(j job, memory *os.File) error {
		untilQuit, stop := context.WithCancel(context.Background())
		defer stop()
		go func() {
			harness.AwaitQuit(2)
			stop()
		}()
		if j.Leases != nil {
			return j.Leases.do(untilQuit, j, memory)
		}
		return j.Numbers.do(untilQuit, j, memory)
	})
	cluster.Main(m)
}

var isFull = os.Getenv("FULL") != ""

// many returns few, or with FULL=1 full.
func many(few, full int) int {
	if isFull {
		return full
	}
	return few
}

// A subject is what of an engine is tested.
type subject struct {
	engines.Engine
	rank    int
	d       *engines.Deployment
	version string
}

// results are the table of a test, which goes to a document if everything ran.
type results struct {
	report.Table
	mu      sync.Mutex
	planned int      // rows
	servers []string // that were tested
	lacking []string // engines that could not be had
}

// each runs a test on the servers of each engine, some at once.
func (r *results) each(t *testing.T, all []engines.Engine, test func(t *testing.T, s subject)) {
	t.Run("on", func(t *testing.T) {
		for rank, e := range all {
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				began, s := time.Now(), subject{Engine: e, rank: rank}
				var err error
				if s.d, err = e.Start(); err == nil {
					t.Cleanup(s.d.Close)
					s.version, err = s.d.Version()
				}
				r.mu.Lock()
				if err != nil {
					r.lacking = append(r.lacking, e.Name)
				} else {
					version, _, _ := strings.Cut(s.version, " (") // by whom it was packed
					r.servers = append(r.servers, e.Name+" "+version)
				}
				r.mu.Unlock()
				if err != nil && e.Optional {
					t.Logf("NOT TESTED: %v", err)
					return
				}
				require.NoError(t, err)
				t.Cleanup(func() {
					if t.Failed() && s.d.Output != nil {
						t.Log(s.d.Output())
					}
				})
				t.Logf("%s, started in %v", s.version, time.Since(began))
				test(t, s)
			})
		}
	})
	t.Logf("\n%s\nservers tested: %s\nNOT TESTED, for want of a server: %s",
		&r.Table, strings.Join(r.servers, ", "), strings.Join(r.lacking, ", "))
}

// publish writes the table to docs/evidence/engines.md after a full run of all engines.
func (r *results) publish(t *testing.T, all []engines.Engine, part string) {
	if isFull && !t.Failed() && len(r.servers) == len(all) && r.Len() == r.planned {
		text := fmt.Sprintf("Servers: %s. %d processors, shared by servers and clients.\n\n%s",
			strings.Join(r.servers, ", "), runtime.NumCPU(), r.Markdown())
		require.NoError(t, report.Fill("../../../docs/evidence/engines.md", part, text))
	}
}
