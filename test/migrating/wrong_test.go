package migrating

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// wide is UidGenerator's layout with a bit more in the time field, on the old epoch, as many have done in Java.
var wide = bits.MustLayout(bits.Config{TimeBits: 29, WorkerBits: 21, SequenceBits: 13, Epoch: uidGenerator.Epoch()})

// Where a step is left out, a new process makes the key that an old one with its worker ID has made.
func TestKeysTwice(t *testing.T) {
	soon := time.Now().UTC().Add(time.Second)
	november := utc(2026, 11, 22, 12, 0, 0)
	for name, w := range map[string]struct {
		from, to bits.Layout
		worker   func(o table) uid.Worker
		id       int64     // of the old process
		at       time.Time // by the new process's clock
		floor    uid.UID
		was      string // when the old key was made
	}{
		"another clock, without a floor": {twitter, twitter, fixed, 1, november, 0, "2026-11-22"},
		"a floor that came too early": {twitter, twitter, fixed, 1, november,
			must(twitter.First(november.Add(-time.Minute))), "2026-11-22"},
		"leases without a range of worker IDs": {twitter, twitter, func(o table) uid.Worker {
			return leased(found(t, o.DB, "orders", lease.Founding{Layout: twitter}), lease.Range{})
		}, 0, soon, 0, soon.Format(time.DateOnly)},
		"other IDs than the table's":           {later, later, fixed, 1, november, 0, "2026-11-22"},
		"a fresh table after a full one":       {uidGenerator, bits.Default(), disposed, 1, november, 0, "2017-04-10"},
		"a fresh table for a wider time field": {uidGenerator, wide, disposed, 1, november, 0, "2021-08-21"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newTable(t, "BIGINT")
			withNodes(t, o, 0)
			c := fake.NewFrozenClock(w.at.Add(-time.Second))
			g := newPlain(t, w.worker(o), w.to, c, w.floor)
			c.Step(time.Second)
			u := must(g.GetUID())
			require.Equal(t, w.was, must(w.from.Parse(u)).Time.UTC().Format(time.DateOnly))
			require.NoError(t, o.insert("old", int64(must(w.from.Compose(must(w.from.Tick(u)), w.id, 0)))))
			o.refuses(t, u)
		})
	}
}

// fixed is a worker with the ID that an old process has had.
func fixed(table) uid.Worker { return worker.Static(1, rand.Text()) }

// A process that is configured for the old ones' IDs does not start on a namespace with a range.
func TestOutsideTheRange(t *testing.T) {
	ranged := found(t, newTable(t, "BIGINT").DB, "ranged", lease.Founding{Layout: twitter, IDs: upper})
	_, err := leased(ranged, lease.Range{First: 0, Last: 511}).Acquire(t.Context(), twitter.Terms())
	require.ErrorIs(t, err, uid.ErrRange)
}

// With the old process stopped, and the highest key as its floor, one with the same worker ID takes its place, on a
// host whose clock is behind.
func TestOneProcessAfterTheOther(t *testing.T) {
	o, reader := newTable(t, "BIGINT"), &cursor{}
	o.write(t, 100, map[string]writer{"old": bwmarrin(o, 1)})
	require.Equal(t, 100, reader.poll(t, o, uid.Max))
	highest := o.edge(t, "MAX(id)", "old")
	c := fake.NewFrozenClock(twitter.TimeOf(must(twitter.Tick(uid.UID(highest)))).Add(-time.Second))
	o.write(t, 100, map[string]writer{"new": of(newPlain(t, fixed(o), twitter, c, uid.UID(highest)))})
	require.Greater(t, o.edge(t, "MIN(id)", "new"), highest)
	require.Equal(t, 100, reader.poll(t, o, uid.Max))
	g := newCached(t, fixed(o), twitter, uid.UID(o.edge(t, "MAX(id)", "%")))
	o.write(t, 100, map[string]writer{"cached": of(g)})
	reader.poll(t, o, uid.Max)
	sawAll(t, o, reader)
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
		_, err := cached.New(fixed(table{}), cached.Config{Logger: quiet, After: floor})
		require.ErrorIs(t, err, uid.ErrRange)
	}
}

// A second row that begins where Leaf's stands gives Leaf's next numbers out again. A misspelt tag begins nothing.
func TestACopyOfLeafsRow(t *testing.T) {
	o := newTable(t, "BIGINT")
	engines.Do(t, o.DB, `CREATE TABLE leaf_alloc (
	biz_tag VARCHAR(128) PRIMARY KEY, max_id BIGINT NOT NULL DEFAULT 1, step INT NOT NULL, description VARCHAR(256),
	update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)`,
		"INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 51, 50), ('orders2', 51, 50)")
	require.NoError(t, o.insert("leaf", 51, 52)) // of the numbers that Leaf takes next
	tables := must(sqlstore.New(o.DB, sqlstore.Config{Logger: quiet}))
	first := func(tag string) (any, error) {
		// The test's server forgets its newest commits in a crash.
		g := must(segment.New(tables.Segments(), tag, segment.Config{LossyStore: true, Logger: quiet}))
		defer g.Close()
		return g.GetUID()
	}
	o.refuses(t, must(first("orders2")))
	_, err := first("order")
	require.ErrorIs(t, err, segment.ErrNoTag)
}

// A row that is committed late lies below what a reader has already got, in the old program as in the new one; and
// once its store may have lost writes a lease begins ahead of the clock, by a Burn, above rows of old processes. A
// reader that stays behind the clock misses nothing.
func TestReadersStayBehind(t *testing.T) {
	o := newTable(t, "BIGINT")
	began := time.Now()
	orders := found(t, o.DB, "orders", lease.Founding{Layout: twitter, IDs: upper})
	w := must(lease.New(orders, lease.Config{IDs: upper, Losses: lease.Anytime, Logger: quiet}))
	old, hasty, patient := bwmarrin(o, 1), &cursor{}, &cursor{}
	late := must(old())
	o.write(t, 20, map[string]writer{"old": old, "new": of(newCached(t, w, twitter, 0))})
	first := o.parsed(t, twitter, "MIN(id)", "new")
	require.True(t, first.Time.After(began.Add(lease.Burn)), first.Time)
	require.Equal(t, 40, hasty.poll(t, o, uid.Max))
	patient.poll(t, o, must(twitter.First(began)))
	require.NoError(t, o.insert("old", late))
	o.write(t, 20, map[string]writer{"old": old})
	require.Zero(t, hasty.poll(t, o, uid.Max), "it is past these")
	require.Equal(t, 61, patient.poll(t, o, uid.Max)) // when the clock is there
}
