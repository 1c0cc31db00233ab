// Package backfill_test kills importers that make UIDs for the past, while live generators issue in
// the same space of worker IDs.
package backfill_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

func TestMain(m *testing.M) {
	harness.Ordered(task.do) // the test binary is an importer, too
	cluster.Main(m)
}

// The space of worker IDs: disposable ones are below those of the namespace.
const (
	namespace  = "orders"
	firstLease = 1 << 20
)

var (
	layout = bits.Default()
	quiet  = slog.New(slog.DiscardHandler)
)

// must returns a value that cannot fail to be there.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// A task is what an importer does: it imports rows from the first on.
type task struct {
	Store engines.Database
	Base  time.Time // when the oldest row was created
	First int
}

// rows is how many there are; every second one belongs to each kind of source.
const rows = 18_000

// step is how many rows an importer prints before it waits for a go, of which it has a few ahead.
const step, ahead = 100, 3

// created is when a row was created, in no order, up to an hour after the base.
func (t task) created(row int) time.Time {
	r := rand.New(rand.NewPCG(uint64(row), 1))
	return t.Base.Add(time.Duration(r.Int64N(int64(time.Hour))))
}

// do imports rows, and prints the UID of each.
func (t task) do(*os.File) error {
	ctx := context.Background()
	db := must(t.Store.Connect(ctx, cluster.Quiet))
	defer db.Close()
	tables := must(sqlstore.New(db, sqlstore.Config{}))
	leases := must(tables.Leases(namespace))
	fmt.Println("ready")
	g := [2]*backfill.Generator{
		// The server that the tests share does not sync its log, for speed, and is not killed.
		must(backfill.New(backfill.FromLeases(leases, backfill.LeaseConfig{Losses: lease.NeverUnchecked}),
			backfill.Config{From: t.Base, Logger: quiet})),
		// Disposable IDs are another space.
		must(backfill.New(backfill.FromNumbers(tables.Numbers(), disposable.Config{Host: "importer"}),
			backfill.Config{From: t.Base, Logger: quiet, Apart: []lease.Store{leases}})),
	}
	for row := t.First; row < rows; row++ {
		if (row-t.First)%step == 0 {
			if _, err := io.ReadFull(os.Stdin, make([]byte, 1)); err != nil {
				return err
			}
		}
		fmt.Printf("%d %d\n", row, must(g[row%2].At(t.created(row)))) // one write
	}
	return errors.Join(g[0].Close(), g[1].Close())
}

// marks are all UIDs of a space.
type marks struct {
	mu    sync.Mutex
	seen  map[uid.UID]bool
	twice int
	live  map[int64]bool // worker IDs of live generators
	runs  map[int64]bool // and of importers
}

func newMarks() *marks {
	return &marks{seen: map[uid.UID]bool{}, live: map[int64]bool{}, runs: map[int64]bool{}}
}

// both returns how many worker IDs were live, and an importer's, too.
func (m *marks) both() (n int) {
	for id := range m.live {
		if m.runs[id] {
			n++
		}
	}
	return n
}

func (m *marks) add(by map[int64]bool, all ...uid.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range all {
		if p, err := layout.Parse(u); err == nil {
			by[p.WorkerID] = true
		}
		if m.seen[u] {
			m.twice++
		}
		m.seen[u] = true
	}
}

// mostKills is how often the importers of one store are killed.
const mostKills = 25

// Importers on both kinds of worker IDs are killed again and again, anywhere from their start on, while live
// generators of both kinds come, issue and go. No UID comes twice, and each row's has its tick.
func TestKilledImporters(t *testing.T) {
	engines.Each(t, func(t *testing.T, s engines.Database, db *sqlx.DB) {
		t.Parallel() // they wait more than they work
		tables := must(sqlstore.New(db, sqlstore.Config{}))
		leases := must(tables.Leases(namespace))
		late := lease.Range{First: firstLease, Last: layout.MaxWorkerID()}
		require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Layout: layout, IDs: late}))

		all := newMarks()
		task := task{Store: s, Base: time.Now().Add(-time.Hour)}
		kills, imported := 0, 0
		for task.First < rows {
			// Live generators draw during an importer's life. They get the IDs of former runs, since those that
			// nobody had yet are leased to somebody who never comes.
			engines.Do(t, db, "UPDATE WORKER_LEASE SET NONCE = 'lent', "+
				"LEASE_UNTIL = 7258118400000000 WHERE NONCE = '' AND HIGH = -1 AND WORKER_ID >= 0")
			// No run is alive now: their IDs are two seconds old, beyond a live generator's quarantine.
			engines.Do(t, db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = LEASE_UNTIL - 2000000 WHERE HIGH >= 0")
			var live sync.WaitGroup
			for _, w := range liveWorkers(tables) {
				live.Go(func() { draw(t, w, all) })
			}
			limit := 1 + rand.IntN(500) // and what it prints until it is killed
			switch {
			case kills%5 == 4:
				limit = 0 // while it takes its IDs
			case kills >= mostKills:
				limit = rows
			}
			row, n, killed := runImporter(t, task, limit, all)
			task.First, imported = row, imported+n
			if killed {
				kills++
			}
			live.Wait()
		}
		require.GreaterOrEqual(t, kills, mostKills)
		require.Zero(t, all.twice)
		require.Positive(t, all.both(), "live generators have leased IDs of killed importers")
		t.Logf("%d kills, %d rows imported, %d UIDs, none twice; %d worker IDs were an importer's and live",
			kills, imported, len(all.seen), all.both())
	})
}

// liveWorkers returns a live worker of each kind.
func liveWorkers(tables *sqlstore.DB) []uid.Worker {
	// IDs are used again soon, so that live generators get those of killed runs.
	soon := lease.Config{Logger: quiet, Losses: lease.NeverUnchecked,
		Window: time.Second, TTL: 1500 * time.Millisecond, MaxClockSkew: time.Millisecond}
	return []uid.Worker{
		must(lease.New(must(tables.Leases(namespace)), soon)),
		must(disposable.New(tables.Numbers(), disposable.Config{Host: "live", Logger: quiet})),
	}
}

// draw draws UIDs of a live generator.
func draw(t *testing.T, w uid.Worker, all *marks) {
	g, err := cached.New(w, cached.Config{Logger: quiet})
	if !assert.NoError(t, err, "live") {
		return
	}
	chunk := make([]uid.UID, 500)
	_, err = g.Fill(chunk)
	assert.NoError(t, err, "live")
	all.add(all.live, chunk...)
	assert.NoError(t, g.Close(), "live")
}

// runImporter starts an importer and kills it when it has printed so many rows, or later. It returns
// the first row that is left and how many were imported.
func runImporter(t *testing.T, task task, limit int, all *marks) (next, n int, killed bool) {
	t.Helper()
	cmd := harness.Command(task)
	out := must(cmd.StdoutPipe())
	goes := must(cmd.StdinPipe())
	defer goes.Close()
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	next = task.First
	_, err = goes.Write(make([]byte, ahead))
	require.NoError(t, err)
	for {
		if n >= limit && !killed {
			killed = true
			require.NoError(t, cmd.Process.Kill())
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			break // the last line may be cut off
		}
		var row int
		var u uid.UID
		_, err = fmt.Sscan(line, &row, &u)
		require.NoError(t, err, line)
		require.Equal(t, next, row)
		require.Equal(t, layout.TickAt(task.created(row)), must(layout.Tick(u)), "the UID has the row's tick")
		all.add(all.runs, u)
		if next, n = row+1, n+1; n%step == 0 && !killed {
			_, _ = goes.Write([]byte{0}) // it may have ended
		}
	}
	if err := cmd.Wait(); !killed {
		require.NoError(t, err)
	}
	return next, n, killed
}

// Numbers that give an ID that is live: the one thing that FromNumbers trusts.
type liveNumbers struct{ id int64 }

func (n liveNumbers) Next(context.Context, numberstore.Host, int64) (int64, error) { return n.id, nil }
func (liveNumbers) Inspect(context.Context) ([]string, error)                      { return nil, nil }
func (liveNumbers) Name() string                                                   { return "a live ID" }

// A run under a worker ID that is live gives its UIDs once more: the test would see it.
func TestLiveIDGivesDuplicates(t *testing.T) {
	engines.Each(t, func(t *testing.T, _ engines.Database, db *sqlx.DB) {
		tables := must(sqlstore.New(db, sqlstore.Config{}))
		w := must(disposable.New(tables.Numbers(), disposable.Config{Host: "live", Logger: quiet}))
		g := must(uncached.New(w, uncached.Config{Logger: quiet}))
		all := newMarks()
		var drawn [100]uid.UID
		must(g.Fill(drawn[:]))
		all.add(all.live, drawn[:]...)
		parts := must(g.ParseUID(drawn[0]))

		cfg := disposable.Config{Host: "importer", Logger: quiet}
		right := must(backfill.New(backfill.FromNumbers(tables.Numbers(), cfg), backfill.Config{Logger: quiet}))
		live := backfill.FromNumbers(liveNumbers{parts.WorkerID}, cfg)
		wrong := must(backfill.New(live, backfill.Config{Logger: quiet}))
		for _, g := range []*backfill.Generator{right, wrong} {
			for range 100 {
				all.add(all.runs, must(g.At(parts.Time)))
			}
			if g == right {
				require.Zero(t, all.twice)
			}
		}
		require.Positive(t, all.twice)
	})
}
