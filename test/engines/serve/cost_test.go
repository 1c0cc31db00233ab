package serve

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/report"
	"github.com/uidgen/uid/worker"
)

// page is the document with the table.
const page = "../../../docs/serve.md"

// A way is one to get UIDs. Those of a round take turns, so that what else the machine does falls on all alike.
type way struct {
	name  string
	uids  int // in one call
	calls int // in a round
	call  func() error
	took  []time.Duration
}

// TestCost measures all ways with COST=1, and writes the table. Else it looks whether all work.
func TestCost(t *testing.T) {
	rounds, full := 1, os.Getenv("COST") != ""
	if full {
		rounds = 20
	}
	command, err := cluster.BuildCommand(t.TempDir())
	require.NoError(t, err)
	s, err := Start("uid serve", command, "uid.db", "--layout", "41ms/10/12")
	cluster.For(t, s, err)
	ways := allWays(t, s)
	for round := range rounds + 1 {
		for i := range ways {
			require.NoError(t, ways[i].run(round > 0), ways[i].name) // the first one warms up
		}
	}
	table := render(ways)
	t.Log(table)
	if full {
		require.NoError(t, report.Fill(page, "cost", table))
	}
}

// allWays returns the ways, all of one caller.
func allWays(t *testing.T, s *cluster.Server) []way {
	g, err := cached.New(worker.Static(1), cached.Config{MaxLead: cached.Unbounded})
	require.NoError(t, err)
	web := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: 10 * time.Second}
	client := Dial(s.Addr(1), 1)
	t.Cleanup(func() { _, _ = client.Close(), g.Close() })
	get := func(target string) func() error {
		return func() error {
			answer, err := web.Get("http://" + s.Addr(0) + target)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			_, err = io.Copy(io.Discard, answer.Body)
			if err == nil && answer.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s", answer.Status)
			}
			return err
		}
	}
	ctx := context.Background()
	dst := make([]uid.UID, 1000)
	one := func() error { _, err := g.GetUID(); return err }
	batch := func() error { _, err := g.Fill(dst); return err }
	incr := func() error { return client.Incr(ctx, "uid").Err() }
	return []way{
		{name: "in the process, `GetUID`", uids: 1, calls: 20_000, call: one},
		{name: "in the process, `Fill` of 1000", uids: 1000, calls: 1000, call: batch},
		{name: "HTTP, one by one", uids: 1, calls: 1000, call: get("/v1/uid")},
		{name: "HTTP, batches of 1000", uids: 1000, calls: 100, call: get("/v1/uids?n=1000")},
		{name: "Redis protocol, one by one", uids: 1, calls: 1000, call: incr},
		{name: "Redis protocol, pipelines of 100", uids: 100, calls: 200, call: func() error {
			_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
				for range 100 {
					p.Incr(ctx, "uid")
				}
				return nil
			})
			return err
		}},
	}
}

func (w *way) run(keep bool) error {
	for range w.calls {
		began := time.Now()
		if err := w.call(); err != nil {
			return err
		}
		if took := time.Since(began); keep {
			w.took = append(w.took, took)
		}
	}
	return nil
}

// render writes the table.
func render(ways []way) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| one caller | a call: p50 | p99 | p99.9 | a UID, at p50 |\n|---|--:|--:|--:|--:|")
	for _, w := range ways {
		slices.Sort(w.took)
		at := func(permille, parts int) string {
			return humanize.SIWithDigits(w.took[(len(w.took)-1)*permille/1000].Seconds()/float64(parts), 1, "s")
		}
		fmt.Fprintf(&b, "\n| %s | %s | %s | %s | %s |", w.name, at(500, 1), at(990, 1), at(999, 1), at(500, w.uids))
	}
	fmt.Fprintf(&b, "\n\nClient and server on one machine of %d processors, %s, over loopback, TLS off. "+
		"What one call takes holds two looks at the clock.", runtime.NumCPU(), runtime.Version())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Fprintf(&b, " The machine's load was %s at the end.", strings.Fields(string(load))[0])
	}
	return b.String()
}
