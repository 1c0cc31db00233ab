// Package backfill_test kills importers that make UIDs for the past, while live generators issue in
// the same space of worker IDs.
package backfill_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker"
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
	Store       engines.Database
	Base        time.Time // when the oldest row was created
	First, Rows int
}

// created is when a row was created, in no order, up to an hour after the base.
func (t task) created(row int) time.Time {
	r := rand.New(rand.NewPCG(uint64(row), 1))
	return t.Base.Add(time.Duration(r.Int64N(int64(time.Hour))))
}

// do imports rows, and prints the UID of each. Every second one belongs to each kind of source.
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
	for row := t.First; row < t.First+t.Rows; row++ {
		fmt.Printf("%d %d\n", row, must(g[row%2].At(t.created(row)))) // one write
	}
	return errors.Join(g[0].Close(), g[1].Close())
}

// marks are all UIDs of a space.
type marks struct {
	mu         sync.Mutex
	seen       map[uid.UID]bool
	twice      int
	live, runs map[int64]bool // worker IDs of live generators, and of importers
}

func newMarks() *marks {
	return &marks{seen: map[uid.UID]bool{}, live: map[int64]bool{}, runs: map[int64]bool{}}
}

func (m *marks) add(by map[int64]bool, all ...uid.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range all {
		by[must(layout.Parse(u)).WorkerID] = true
		if m.seen[u] {
			m.twice++
		}
		m.seen[u] = true
	}
}

// Importers on both kinds of worker IDs are killed again and again, anywhere from their start on, while live
// generators of both kinds come, issue and go. No UID comes twice, and each row's has its tick.
func TestKilledImporters(t *testing.T) {
	const kills = 25
	engines.Each(t, func(t *testing.T, s engines.Database, db *sqlx.DB) {
		t.Parallel() // they wait more than they work
		tables := must(sqlstore.New(db, sqlstore.Config{}))
		leases := must(tables.Leases(namespace))
		late := lease.Range{First: firstLease, Last: layout.MaxWorkerID()}
		require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Layout: layout, IDs: late}))

		all := newMarks()
		task := task{Store: s, Base: time.Now().Add(-time.Hour), Rows: 1e6}
		for n := range kills + 1 {
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
			limit := 1 + rand.IntN(500) // what it prints until it is killed
			if n%5 == 4 {
				limit = 0 // while it takes its IDs
			}
			if n == kills {
				task.Rows = limit // to its end
			}
			task.First = runImporter(t, task, limit, all)
			live.Wait()
		}
		require.Zero(t, all.twice)
		both := maps.Clone(all.live)
		maps.DeleteFunc(both, func(id int64, _ bool) bool { return !all.runs[id] })
		require.NotEmpty(t, both, "live generators have leased IDs of killed importers")
		t.Logf("%d kills, %d rows imported, %d UIDs, none twice; %d worker IDs were an importer's and live",
			kills, task.First, len(all.seen), len(both))
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

// runImporter starts an importer, and kills it when it has printed so many rows, or more, unless those are all. It
// returns the first row that is left.
func runImporter(t *testing.T, task task, limit int, all *marks) (next int) {
	t.Helper()
	cmd := harness.Command(task)
	lines := bufio.NewReader(must(cmd.StdoutPipe()))
	require.NoError(t, cmd.Start())
	require.Equal(t, "ready\n", must(lines.ReadString('\n')))
	for next = task.First; ; next++ {
		if next == task.First+limit && limit < task.Rows {
			require.NoError(t, cmd.Process.Kill())
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			break // the last line may be cut off
		}
		var row int
		var u uid.UID
		must(fmt.Sscan(line, &row, &u))
		require.Equal(t, next, row)
		require.Equal(t, layout.TickAt(task.created(row)), must(layout.Tick(u)), "the UID has the row's tick")
		all.add(all.runs, u)
	}
	require.Equal(t, limit < task.Rows, cmd.Wait() != nil)
	return next
}

// Numbers that give an ID that is live: the one thing that FromNumbers trusts.
type liveNumbers struct{ id int64 }

func (n liveNumbers) Next(context.Context, storage.Host, int64) (int64, error) { return n.id, nil }
func (liveNumbers) Inspect(context.Context) ([]string, error)                  { return nil, nil }
func (liveNumbers) Name() string                                               { return "a live ID" }

// A run under a worker ID that is live gives its UIDs once more: the test would see it.
func TestLiveIDGivesDuplicates(t *testing.T) {
	all, at := newMarks(), time.Now()
	cfg := uncached.Config{Logger: quiet, Now: func() time.Time { return at }}
	live := must(uncached.New(worker.Static(7, "live"), cfg))
	source := backfill.FromNumbers(liveNumbers{7}, disposable.Config{Host: "importer", Logger: quiet})
	wrong := must(backfill.New(source, backfill.Config{Logger: quiet}))
	all.add(all.live, must(live.GetUID()))
	all.add(all.runs, must(wrong.At(at)))
	require.Positive(t, all.twice)
}
