package migrating

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/bwmarrin/snowflake"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/form"
	"github.com/uidgen/uid/worker/lease"
)

func node(number int64) *snowflake.Node { return must(snowflake.NewNode(number)) }

func bwmarrin(n *snowflake.Node) writer {
	return func() (any, error) { return n.Generate().Int64(), nil }
}

// leaf is the snowflake half of Leaf under a worker ID: Twitter's layout, and a random first
// sequence below 100.
func leaf(worker, first int64) writer {
	return (&javaTicks{layout: twitter, worker: worker, from: first}).write
}

// The layout stays, and old and new processes share it with worker IDs of their own: a rolling
// update, back, and forth again.
func TestRollingInOneLayout(t *testing.T) {
	for name, old := range map[string][]writer{
		"bwmarrin":       {bwmarrin(node(0)), bwmarrin(node(1)), bwmarrin(node(2))},
		"Leaf snowflake": {leaf(0, 17), leaf(1, 99), leaf(2, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newTable(t, "BIGINT")
			reader := &cursor{}
			poll := func() { reader.poll(t, o, pastOf(twitter)) }
			o.write(t, 200, map[string]writer{"old 0": old[0], "old 1": old[1]})
			poll()

			// 1. A namespace with worker IDs that no old process has.
			free := lease.Range{First: 512, Last: 1023}
			orders := found(t, o.DB, "orders", lease.Founding{Layout: twitter, IDs: free})
			// 2. One process after the other.
			first := newCached(t, leased(orders, free), twitter, 0)
			o.write(t, 300, map[string]writer{"old 1": old[1], "new a": of(first)})
			poll()
			// Back: the old program again, and a new process once more.
			require.NoError(t, first.Close())
			o.write(t, 100, map[string]writer{"old 1": old[1], "old 2": old[2]})
			poll()
			highest := o.edge(t, "MAX(id)", "old%")
			second := newCached(t, leased(orders, free), twitter, 0)
			third := newCached(t, leased(orders, free), twitter, 0)
			o.write(t, 300, map[string]writer{"new b": of(second), "new c": of(third)})
			reader.poll(t, o, uid.Max)

			// Readers by id > last go on: the order is the old one, by the millisecond.
			sawAll(t, o, reader)
			require.Greater(t, o.edge(t, "MIN(id)", "new b"), highest)
			for writer, worker := range map[string]int64{"new a": 512, "new c": 513} {
				parts := o.parsed(t, twitter, "MIN(id)", writer)
				require.GreaterOrEqual(t, parts.WorkerID, worker)
				node := snowflake.ParseInt64(o.edge(t, "MIN(id)", writer)).Node()
				require.Equal(t, parts.WorkerID, node, "bwmarrin reads the new ones, too")
				require.WithinDuration(t, time.Now(), parts.Time, time.Hour)
			}
		})
	}
}

// Without a range of its own the namespace gives the first new process worker ID 0, which an old
// process has.
func TestWithoutARangeOfWorkers(t *testing.T) {
	o := newTable(t, "BIGINT")
	orders := found(t, o.DB, "orders", lease.Founding{Layout: twitter})
	var c clock
	g := newPlain(t, leased(orders, lease.Range{}), twitter, &c, 0)

	started, zero := time.Now(), node(0)
	old := firstOfTick(zero)
	for old.Time() < started.UnixMilli()+5 { // the generator's first tick may be a little ahead
		old = firstOfTick(zero)
	}
	require.NoError(t, o.insert("old", old.Int64()))
	c.set(time.UnixMilli(old.Time())) // both draw in one millisecond
	o.refuses(t, must(g.GetUID()))

	// A process that is configured for the old ones' IDs does not start on a namespace with a range.
	ranged := found(t, o.DB, "ranged", lease.Founding{Layout: twitter, IDs: lease.Range{First: 512, Last: 1023}})
	_, err := leased(ranged, lease.Range{First: 0, Last: 511}).Acquire(t.Context(), twitter.Terms())
	require.ErrorIs(t, err, uid.ErrRange)
}

// A row that is committed late lies below what a reader has already got, in the old program as in
// the new one. A reader that stays behind the clock for longer than a row takes misses nothing.
func TestCursorStaysBehind(t *testing.T) {
	o := newTable(t, "BIGINT")
	slow, fast := node(1).Generate(), snowflake.ID(0)
	for fast.Time() <= slow.Time() {
		fast = node(0).Generate()
	}
	hasty, patient := &cursor{}, &cursor{}
	past := must(twitter.First(time.UnixMilli(slow.Time())))
	require.NoError(t, o.insert("fast", fast.Int64()))
	require.Equal(t, 1, hasty.poll(t, o, uid.Max))
	require.Zero(t, patient.poll(t, o, past))
	require.NoError(t, o.insert("slow", slow.Int64()))
	require.Zero(t, hasty.poll(t, o, uid.Max), "it is past that one")
	require.Equal(t, 2, patient.poll(t, o, uid.Max))
	sawAll(t, o, patient)
}

// Once its store may have lost writes a lease begins ahead of the clock, by a Burn. Its rows are above
// those of old processes for as long; readers that stay behind the clock get each in turn.
func TestLeasesThatBeginAhead(t *testing.T) {
	o := newTable(t, "BIGINT")
	free := lease.Range{First: 512, Last: 1023}
	began := time.Now()
	orders := found(t, o.DB, "orders", lease.Founding{Layout: twitter, IDs: free})
	w := must(lease.New(orders, lease.Config{IDs: free, Losses: lease.Anytime, Logger: quiet}))
	g := newCached(t, w, twitter, 0)
	old := node(1)
	hasty, patient := &cursor{}, &cursor{}
	o.write(t, 20, map[string]writer{"old": bwmarrin(old), "new": of(g)})
	first := o.parsed(t, twitter, "MIN(id)", "new")
	require.True(t, first.Time.After(began.Add(lease.Burn)), first.Time)
	hasty.poll(t, o, uid.Max)
	patient.poll(t, o, pastOf(twitter))
	o.write(t, 20, map[string]writer{"old": bwmarrin(old)})
	require.Zero(t, hasty.poll(t, o, uid.Max))
	patient.poll(t, o, uid.Max) // when the clock is there
	sawAll(t, o, patient)
}

// What else bwmarrin's settings and forms become.
func TestBwmarrinBySettings(t *testing.T) {
	// Epoch, NodeBits and StepBits make a layout; the time has what they leave of 63 bits.
	before := snowflake.Epoch
	snowflake.Epoch = 1700000000000
	snowflake.NodeBits, snowflake.StepBits = 8, 13
	defer func() { snowflake.Epoch, snowflake.NodeBits, snowflake.StepBits = before, 10, 12 }()
	l := bits.MustParseLayout("42ms/8/13 epoch=2023-11-14T22:13:20Z")
	id := node(200).Generate()
	parts := must(l.Parse(uid.UID(id)))
	got := []int64{parts.Time.UnixMilli(), parts.WorkerID, parts.Sequence}
	require.Equal(t, []int64{id.Time(), 200, id.Step()}, got)

	// JSON: each reads what the other writes; only a uid.UID takes a number, too.
	text := must(json.Marshal(uid.UID(id)))
	require.Equal(t, string(must(json.Marshal(id))), string(text))
	var back snowflake.ID
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, id, back)
	require.Error(t, json.Unmarshal([]byte(id.String()), &back))
	var u uid.UID
	require.NoError(t, json.Unmarshal([]byte(id.String()), &u))
	require.Equal(t, uid.UID(id), u)

	// Texts: base58 is Flickr's; its base32 is another one than ours.
	require.Equal(t, id.Base58(), form.Base58Flickr.Text(u))
	require.NotEqual(t, id.Base32(), form.Base32.Text(u))
	require.Equal(t, uid.UID(id), must(form.Base58Flickr.Parse(id.Base58())))
	require.Equal(t, uid.UID(id), must(uid.Parse(id.String())))
}
