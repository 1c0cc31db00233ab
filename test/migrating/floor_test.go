package migrating

import (
	"testing"
	"time"

	"github.com/bwmarrin/snowflake"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/plan"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// firstOfTick returns the next number that begins a millisecond.
func firstOfTick(n *snowflake.Node) snowflake.ID {
	for {
		if id := n.Generate(); id.Step() == 0 {
			return id
		}
	}
}

// One process takes the place of another with the same worker ID, on a host whose clock is behind:
// the floor is all that keeps them apart.
func TestOneProcessAfterTheOther(t *testing.T) {
	o := newTable(t, "BIGINT")
	old := node(1)
	first := firstOfTick(old)
	require.NoError(t, o.insert("old", first.Int64()))
	o.write(t, 100, map[string]writer{"old": bwmarrin(old)})
	reader := &cursor{}
	reader.poll(t, o, uid.Max)

	// Without a floor it makes an old key again.
	var c clock
	c.set(time.UnixMilli(first.Time()))
	o.refuses(t, must(newPlain(t, worker.Static(1, "no floor"), twitter, &c, 0).GetUID()))

	// 1. Stop the old process. 2. Ask for the highest key. 3. Start the new one above it.
	highest := uid.UID(o.edge(t, "MAX(id)", "old"))
	o.write(t, 100, map[string]writer{"new": of(newPlain(t, worker.Static(1, "floor"), twitter, &c, highest))})
	require.Greater(t, o.edge(t, "MIN(id)", "new"), int64(highest))
	require.Equal(t, 100, reader.poll(t, o, uid.Max))
	g := newCached(t, worker.Static(1, "cached"), twitter, uid.UID(o.edge(t, "MAX(id)", "%")))
	o.write(t, 100, map[string]writer{"new": of(g)})
	reader.poll(t, o, uid.Max)
	sawAll(t, o, reader)
}

// Steps 1 and 2 in the wrong order: the old process goes on above the floor.
func TestFloorTakenTooEarly(t *testing.T) {
	o := newTable(t, "BIGINT")
	old := node(1)
	o.write(t, 50, map[string]writer{"old": bwmarrin(old)})
	highest := uid.UID(o.edge(t, "MAX(id)", "old"))
	var c clock
	g := newPlain(t, worker.Static(1, "too early"), twitter, &c, highest)
	late := firstOfTick(old)
	require.Greater(t, late.Int64(), int64(highest))
	require.NoError(t, o.insert("old", late.Int64()))
	c.set(time.UnixMilli(late.Time()))
	o.refuses(t, must(g.GetUID()))
}

// The old program has no floor: it has to stay away until the clock has passed the new keys, which
// can be ahead of it.
func TestBackTooEarly(t *testing.T) {
	o := newTable(t, "BIGINT")
	_, ahead, err := twitter.Range(time.Now().Add(time.Minute), time.Now().Add(time.Minute).Add(1))
	require.NoError(t, err)
	o.write(t, 10, map[string]writer{"new": of(newCached(t, worker.Static(1, "ahead"), twitter, ahead))})
	tick := must(twitter.Tick(uid.UID(o.edge(t, "MIN(id)", "new"))))
	require.WithinRange(t, twitter.TimeOf(tick), time.Now(), time.Now().Add(time.Minute+time.Second))
	o.refuses(t, must(twitter.Compose(tick, 1, 0))) // what the old program makes in a minute
}

// A rolling update where old nodes have all worker IDs: the floor lies ahead, by as long as the
// update takes, and old processes end before the clock is there.
func TestRollingBelowAFloor(t *testing.T) {
	o := newTable(t, "BIGINT")
	zero, one := node(0), node(1)
	o.write(t, 100, map[string]writer{"old 0": bwmarrin(zero), "old 1": bwmarrin(one)})

	// 1. uid plan says the floor.
	at := time.Now()
	cost := must(plan.Move{From: twitter.Issuer(), To: twitter.Issuer(), At: at, Lead: 2 * time.Minute}.Cost())
	_, floor, err := twitter.Range(at.Add(2*time.Minute), at.Add(2*time.Minute).Add(1))
	require.NoError(t, err)
	require.Equal(t, floor, cost.Highest)
	// 2. A namespace with it, as uid worker init --after makes one.
	orders := found(t, o.DB, "orders", lease.Founding{Layout: twitter, After: floor})
	// 3. Readers have two cursors.
	low, high := &cursor{}, &cursor{last: int64(floor)}
	poll := func() {
		low.poll(t, o, pastOf(twitter))
		high.poll(t, o, uid.Max)
	}
	poll()
	// 4. One process after the other, back, and forth again.
	g := newCached(t, leased(orders, lease.Range{}), twitter, 0)
	o.write(t, 200, map[string]writer{"old 0": bwmarrin(zero), "new a": of(g)})
	require.NoError(t, g.Close())
	poll()
	o.write(t, 100, map[string]writer{"old 0": bwmarrin(zero), "old 1": bwmarrin(one)})
	poll()
	g = newCached(t, leased(orders, lease.Range{}), twitter, 0)
	o.write(t, 200, map[string]writer{"old 1": bwmarrin(one), "new b": of(g)})
	poll()
	low.poll(t, o, floor+1)

	sawAll(t, o, low, high)
	require.Greater(t, o.edge(t, "MIN(id)", "new%"), int64(floor))
	require.Less(t, o.edge(t, "MAX(id)", "old%"), int64(floor))
	for _, writer := range []string{"new a", "new b"} {
		require.LessOrEqual(t, o.parsed(t, twitter, "MIN(id)", writer).WorkerID, int64(1), "the old nodes' IDs")
	}
}

// A lease can begin as far ahead as a generator runs. Floors that a generator cannot pass are refused:
// that of a full UidGenerator for one.
func TestFloorOutOfReach(t *testing.T) {
	_, ahead, err := twitter.Range(time.Now().Add(80*time.Second), time.Now().Add(80*time.Second).Add(1))
	require.NoError(t, err)
	for _, losses := range []lease.Losses{lease.ByHistory, lease.NeverUnchecked} {
		store := found(t, newTable(t, "BIGINT").DB, "orders", lease.Founding{Layout: twitter})
		w := must(lease.New(store, lease.Config{Losses: losses, Logger: quiet}))
		require.Greater(t, must(newCached(t, w, twitter, ahead).GetUID()), ahead)
	}
	for _, floor := range []uid.UID{uid.Max, 9223372002503237631} {
		_, err := cached.New(worker.Static(1, "out of reach"), cached.Config{Logger: quiet, After: floor})
		require.ErrorIs(t, err, uid.ErrRange)
	}
}
