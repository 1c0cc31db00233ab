package fleetsize

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/worker/lease"
)

func TestMain(m *testing.M) {
	crew.Ordered(job.do)
	os.Exit(m.Run())
}

// patience bounds the wait for anything.
const patience = 5 * time.Minute

var isFull = os.Getenv("FULL") != ""

// A crowd is the processes of a run.
type crowd struct {
	*crew.Members
	t      *testing.T
	signal *os.File
	began  time.Time
}

// says returns what a process has said in whole lines.
func (c *crowd) says(p *crew.Member) (all []said) {
	for line := range strings.Lines(p.Log()) {
		if strings.HasPrefix(line, "{") && strings.HasSuffix(line, "\n") {
			var s said
			require.NoError(c.t, json.Unmarshal([]byte(line), &s))
			all = append(all, s)
		}
	}
	return all
}

// hear returns what each process says about something, once it has.
func hear[What any](c *crowd, about func(said) *What) (all []*What) {
	c.t.Helper()
	for _, p := range c.All {
		for began, found := time.Now(), false; !found; {
			over := p.HasEnded()
			for _, s := range c.says(p) {
				if what := about(s); what != nil && !found {
					all, found = append(all, what), true
				}
			}
			if !found && (over || time.Since(began) > patience) {
				require.Fail(c.t, "a process does not say what it should", p.Log()[max(0, len(p.Log())-4000):])
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return all
}

// found makes the job's namespace.
func (j job) found(t *testing.T) {
	store, closer, err := j.open(t.Context())
	require.NoError(t, err)
	defer closer.Close()
	require.NoError(t, lease.Found(t.Context(), store, lease.Founding{}))
}

// launch starts n processes. They wait for the signal.
func (j job) launch(t *testing.T, n int) *crowd {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	c := &crowd{Members: crew.NewMembers(t), t: t, signal: write}
	t.Cleanup(func() { write.Close() })
	for range n {
		c.Launch(j, read, nil)
	}
	hear(c, func(s said) *bool {
		if s.Ready {
			return &s.Ready
		}
		return nil
	})
	return c
}

// start gives the signal and returns what became of all leases' starts.
func (c *crowd) start() (all started) {
	c.t.Helper()
	c.began = time.Now()
	c.signal.Close()
	for _, s := range hear(c, func(s said) *started { return s.Started }) {
		all.IDs = append(all.IDs, s.IDs...)
		all.Acquired, all.Drew = append(all.Acquired, s.Acquired...), append(all.Drew, s.Drew...)
		all.Heap += s.Heap
	}
	ids := slices.Sorted(slices.Values(all.IDs))
	require.Len(c.t, slices.Compact(ids), len(all.IDs), "two leases have the same worker ID")
	c.t.Logf("all %d have an ID after %v, and have drawn after %v; %d bytes each", len(all.IDs), slices.Max(all.Acquired), slices.Max(all.Drew), all.Heap/uint64(len(all.IDs)))
	return all
}

// end has all released, and returns the calls of the store.
func (c *crowd) end() (calls []call) {
	c.t.Helper()
	for _, p := range c.All {
		p.Quit()
	}
	for _, e := range hear(c, func(s said) *ended { return s.Ended }) {
		c.t.Logf("the end of all took %v", e.Took)
		calls = append(calls, e.Calls...)
	}
	for _, p := range c.All {
		<-p.Done()
		require.True(c.t, p.State().Success(), p.Log())
	}
	return calls
}

// between returns the calls of a kind that began between two times since the signal.
func between(calls []call, change bool, from, to time.Duration) (some []call) {
	for _, c := range calls {
		if c.Change == change && from <= c.Began && c.Began < to {
			some = append(some, c)
		}
	}
	return some
}

// took returns how long those calls took that did not fail.
func took(calls []call) (all []time.Duration) {
	for _, c := range calls {
		if c.Error == "" {
			all = append(all, c.Took)
		}
	}
	return all
}
