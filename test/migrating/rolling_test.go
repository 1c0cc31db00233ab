// Package migrating has the tests of docs/migrating.md. Each takes the steps of a migration in
// their order, on a real MariaDB, with writers of the old and the new keys side by side as in a
// rolling update, and looks after each step for duplicate keys and at what readers see. Others
// leave a step out, or change the order, and show what goes wrong.
//
// Old keys are made by bwmarrin/snowflake and sony/sonyflake themselves; those of UidGenerator and
// Leaf, which are programs in Java, by their layouts and, where they use a database, by their
// statements.
package migrating

import (
	"testing"
	"time"

	"github.com/bwmarrin/snowflake"
	"github.com/sony/sonyflake"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/plan"
	"github.com/uidgen/uid/worker/lease"
)

// A move replaces the processes of an old program, one after the other.
type move struct {
	keys     string // their type in SQL
	from, to bits.Layout
	old      func(o table, n int64) writer // starts the n-th process of the old program
	ids      lease.Range                   // which new processes get
	// begin makes what new processes need, and returns their workers, and the first new UID if readers need two
	// cursors, else uid.Max.
	begin func(t *testing.T, o table) (worker func() uid.Worker, border uid.UID)
}

func bwmarrin(_ table, n int64) writer {
	node := must(snowflake.NewNode(n))
	return func() (any, error) { return node.Generate().Int64(), nil }
}

// leaf is the snowflake half of Leaf: Twitter's layout, and a random first sequence below 100.
func leaf(_ table, n int64) writer {
	return (&javaTicks{layout: twitter, worker: n, from: 17 * n}).write
}

func sony(_ table, n int64) writer {
	s := must(sonyflake.New(sonyflake.Settings{MachineID: func() (uint16, error) { return uint16(n), nil }}))
	return func() (any, error) { return s.NextID() } // a uint64
}

// uidGenerators are by turns CachedUidGenerator, which is ahead by 8 × 8,192, and the default one.
func uidGenerators(o table, n int64) writer {
	return (&javaTicks{layout: later, worker: assigned(o), ahead: 8 * (n % 2)}).write
}

// leasing has new processes lease IDs of a namespace.
func leasing(t *testing.T, o table, f lease.Founding) func() uid.Worker {
	orders := found(t, o.DB, "orders", f)
	return func() uid.Worker { return leased(orders, f.IDs) }
}

// inRange gives new processes worker IDs that no old process has.
func inRange(t *testing.T, o table) (func() uid.Worker, uid.UID) {
	return leasing(t, o, lease.Founding{Layout: twitter, IDs: upper}), uid.Max
}

// aboveAFloor gives new processes the old ones' worker IDs. The floor is ahead of the clock by as long as the update
// takes, and old processes end before the clock is there.
func aboveAFloor(t *testing.T, o table) (func() uid.Worker, uid.UID) {
	at := time.Now()
	cost := must(plan.Move{From: twitter.Issuer(), To: twitter.Issuer(), At: at, Lead: 2 * time.Minute}.Cost())
	_, floor, err := twitter.Range(at.Add(2*time.Minute), at.Add(2*time.Minute).Add(1))
	require.NoError(t, err)
	require.Equal(t, floor, cost.Highest, "uid plan says the floor")
	return leasing(t, o, lease.Founding{Layout: twitter, After: floor}), floor + 1
}

// above has a layout whose numbers from now on are all above the old ones: no number is made twice.
func above(t *testing.T, o table) (func() uid.Worker, uid.UID) {
	at := time.Now()
	from, to := sonyflakeV1.Layout().Issuer(), bits.Default().Issuer()
	cost := must(plan.Move{From: from, To: to, At: at, Lead: 24 * time.Hour}.Cost())
	require.Nil(t, cost.Repeats)
	require.True(t, cost.Above)
	require.True(t, cost.Safe[0].To.After(utc(2034, 1, 1, 0, 0, 0)), "as long as the new layout lasts")
	border := must(bits.Default().First(at))
	require.Greater(t, border, cost.Highest)
	return leasing(t, o, lease.Founding{Layout: bits.Default()}), border
}

// nextOfTable goes on with the IDs of UidGenerator's table.
func nextOfTable(_ *testing.T, o table) (func() uid.Worker, uid.UID) {
	return func() uid.Worker { return disposed(o) }, uid.Max
}

var (
	upper       = lease.Range{First: 512, Last: 1023}
	sonyflakeV1 = must(foreign.ParseFormat("sonyflake"))
	// later has UidGenerator's widths, and an epoch that was set to a later day, so that its time field lasts.
	later = javas(time.Date(2024, 11, 20, 0, 0, 0, 0, shanghai))

	moves = map[string]move{
		"bwmarrin":         {"BIGINT", twitter, twitter, bwmarrin, upper, inRange},
		"Leaf's snowflake": {"BIGINT", twitter, twitter, leaf, upper, inRange},
		"below a floor":    {"BIGINT", twitter, twitter, bwmarrin, lease.Range{Last: 2}, aboveAFloor},
		"Sonyflake": {"BIGINT UNSIGNED", sonyflakeV1.Layout(), bits.Default(), sony,
			lease.Range{Last: 2}, above},
		"UidGenerator's table": {"BIGINT", later, later, uidGenerators,
			lease.Range{First: 403, Last: 408}, nextOfTable}, // 405 is the third Java process
	}
)

// A rolling update, back, and forth again.
func TestRolling(t *testing.T) {
	for name, m := range moves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newTable(t, m.keys)
			withNodes(t, o, 400)
			zero, one := m.old(o, 0), m.old(o, 1)
			o.write(t, 100, map[string]writer{"old 0": zero, "old 1": one})

			worker, border := m.begin(t, o)
			low, high, single := &cursor{}, &cursor{last: int64(border) - 1}, &cursor{}
			poll := func() {
				low.poll(t, o, min(border, pastOf(m.from)))
				high.poll(t, o, uid.Max)
				single.poll(t, o, uid.Max)
			}
			poll()
			first := newCached(t, worker(), m.to, 0)
			o.write(t, 200, map[string]writer{"old 1": one, "new a": of(first)})
			poll()
			// Back: the old program again.
			require.NoError(t, first.Close())
			o.write(t, 100, map[string]writer{"old 1": one, "old 2": m.old(o, 2)})
			poll()
			highest := o.edge(t, "MAX(id)", "old%")
			second, third := newCached(t, worker(), m.to, 0), newCached(t, worker(), m.to, 0)
			o.write(t, 200, map[string]writer{"new b": of(second), "new c": of(third)})
			poll()
			low.poll(t, o, border)
			high.poll(t, o, uid.Max)

			sawAll(t, o, low, high)
			workers := map[int64]bool{}
			for _, writer := range []string{"new a", "new b", "new c"} {
				parts := o.parsed(t, m.to, "MIN(id)", writer)
				require.True(t, m.ids.First <= parts.WorkerID && parts.WorkerID <= m.ids.Last, parts)
				require.WithinDuration(t, time.Now(), parts.Time, time.Hour)
				workers[parts.WorkerID] = true
			}
			if border < uid.Max {
				require.Len(t, low.got, 2*100+200+2*100)
				require.Less(t, len(single.got), o.count(t), "it passes over what old processes write after new rows")
				require.GreaterOrEqual(t, o.edge(t, "MIN(id)", "new%"), int64(border))
				require.Less(t, highest, int64(border))
				return
			}
			require.Len(t, workers, 3)
			for _, writer := range []string{"old 0", "old 1", "old 2"} {
				workers[o.parsed(t, m.from, "MIN(id)", writer).WorkerID] = true
			}
			require.Len(t, workers, 6, "each process has its own")
		})
	}
}
