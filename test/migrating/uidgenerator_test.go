package migrating

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
)

// shanghai is the zone of most JVMs with a UidGenerator.
var shanghai = time.FixedZone("UTC+8", 8*60*60)

// withNodes gives a database the columns that UidGenerator's script gives its table, and as many
// rows as there were starts.
func withNodes(t testing.TB, o table, starts int64) {
	t.Helper()
	engines.Do(t, o.DB, `CREATE TABLE WORKER_NODE (ID BIGINT NOT NULL AUTO_INCREMENT, HOST_NAME VARCHAR(64) NOT NULL,
	PORT VARCHAR(64) NOT NULL, TYPE INT NOT NULL, LAUNCH_DATE DATE NOT NULL,
	MODIFIED TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, CREATED TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
	PRIMARY KEY (ID)) ENGINE = INNODB AUTO_INCREMENT = `+fmt.Sprint(starts+1))
}

// assigned starts a Java process as far as the table sees it: DisposableWorkerIdAssigner's row.
func assigned(o table) int64 {
	r := o.MustExec(`INSERT INTO WORKER_NODE (HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED)
		VALUES ('10.0.0.7', '1795219200000-4711', 2, '2026-11-21', NOW(), NOW())`)
	return must(r.LastInsertId())
}

// disposed returns a worker with an ID of the table.
func disposed(o table) uid.Worker {
	tables := must(sqlstore.New(o.DB, sqlstore.Config{Logger: quiet}))
	return must(disposable.New(tables.Numbers(), disposable.Config{Host: "go", Logger: quiet}))
}

// javas is a layout with the widths of UidGenerator's default.
func javas(epoch time.Time) bits.Layout {
	return bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13, Epoch: epoch})
}

// Where the zone of the epoch is taken wrong, no key comes twice from one table of worker IDs, but
// new ones are eight hours off: below those that are there, or in the future.
func TestEpochInAnotherZone(t *testing.T) {
	require.Equal(t, "28/22/13 unit=1s epoch=2024-11-19T16:00:00Z", later.String())
	wrong := javas(utc(2024, 11, 20, 0, 0, 0))
	u := must(wrong.First(time.Now()))
	require.Less(t, u, must(later.First(time.Now())), "they are below, for eight hours")
	// What uid parse takes for it, and a newest row tells: under the right epoch its time is that of the row.
	require.Equal(t, 8*time.Hour, must(wrong.Parse(u)).Time.Sub(must(later.Parse(u)).Time))
	// Left alone, epochStr is no text but 1463673600, midnight in Shanghai, whatever the zone.
	require.EqualValues(t, 1463673600, uidGenerator.Epoch().Unix())
	require.EqualValues(t, 1463673600, time.Date(2016, 5, 20, 0, 0, 0, 0, shanghai).Unix())
}

// The original epoch is used up. Default has the same widths and a new one: in a fresh table of
// worker IDs its UIDs are those of 2017.
func TestDefaultAfterUidGenerator(t *testing.T) {
	o := newTable(t, "BIGINT")
	withNodes(t, o, 0)
	at := utc(2026, 11, 22, 12, 0, 0)
	tick := bits.Default().TickAt(at)

	// 1. The table with all its rows, moved as it is: new processes get IDs that no old one had.
	engines.Do(t, o.DB, "ALTER TABLE WORKER_NODE AUTO_INCREMENT = 1001")
	var old []any // of 2017 and 2024, and what the cached generator has made since
	for _, worker := range []int64{1, 500, 1000} {
		for sequence := range int64(100) {
			u := must(uidGenerator.Compose(tick+sequence, worker, 0))
			full := must(uidGenerator.Compose(uidGenerator.MaxTick(), worker, sequence))
			old = append(old, int64(u), int64(full), overflowed(at.Add(-time.Hour), worker, sequence))
		}
	}
	require.NoError(t, o.insert("java", old...))
	// 2. Default, beside the processes that are left. These go on with negative numbers, and
	// processes that are started anew get IDs of the table as well.
	g := newCached(t, disposed(o), bits.Default(), 0)
	late := int64(0)
	java := func() (any, error) { late++; return overflowed(at, 1000, late), nil }
	newest := overflowed(at, 1000, 1)
	before := &cursor{last: math.MinInt64}
	require.Equal(t, len(old), before.poll(t, o, uid.Max))
	border := must(bits.Default().First(time.Now().Add(-time.Minute)))
	o.write(t, 300, map[string]writer{"java": java, "go": of(g)})

	// 3. Readers. Above the largest there is nothing new; above the newest old one, which is
	// negative, is all that is old and positive.
	require.Zero(t, before.poll(t, o, uid.Max))
	again := &cursor{last: newest + 299}
	require.Equal(t, 200*3+300, again.poll(t, o, uid.Max))
	// Two cursors see each row: one the negative ones, one the new processes' IDs.
	negative := &cursor{last: overflowed(at, 0, 0)}
	positive := &cursor{last: int64(border) - 1, where: "(id >> 13) & 4194303 > 1000"}
	require.Equal(t, 300, negative.poll(t, o, 0))
	require.Equal(t, 300, positive.poll(t, o, uid.Max))
	sawAll(t, o, before, negative, positive)

	// By age, and as values in Go.
	var first, last int64
	require.NoError(t, o.Get(&first, "SELECT id FROM orders WHERE writer = 'java' ORDER BY id < 0, id LIMIT 1"))
	require.NoError(t, o.Get(&last, "SELECT id FROM orders WHERE writer = 'java' ORDER BY id<0 DESC, id DESC LIMIT 1"))
	format := must(foreign.ParseFormat("uidgenerator"))
	require.Equal(t, "2017", must(format.Parse(first)).Time.Format("2006"))
	require.Equal(t, at, must(format.Parse(last)).Time)
	require.Negative(t, last)
	var u uid.UID
	require.ErrorIs(t, o.Get(&u, "SELECT MIN(id) FROM orders"), uid.ErrRange, "a uid.UID refuses them")
	require.NoError(t, o.Get(&u, "SELECT MIN(id) FROM orders WHERE writer = 'go'"))
}

// overflowed is what CachedUidGenerator makes of a time after its field is full: the shift takes the
// 29th bit of the seconds to the sign.
func overflowed(at time.Time, worker, sequence int64) int64 {
	return (at.Unix()-1463673600)<<35 | worker<<13 | sequence
}

func TestOverflowed(t *testing.T) {
	require.Equal(t, int64(-7050086149485699067), overflowed(time.Unix(1795360000, 0), 7, 5)) // by Java 17
	require.Equal(t, int64(math.MinInt64), overflowed(utc(2024, 11, 20, 13, 24, 16), 0, 0))
	require.Positive(t, overflowed(utc(2024, 11, 20, 13, 24, 15), 0, 0))
}

// A wider time field needs the old table, whose next IDs keep old and new apart, up to the highest of 21 bits.
func TestWidenedUidGenerator(t *testing.T) {
	require.Equal(t, "2033-05-24", wide.Expires().Format(time.DateOnly))
	for _, highest := range []int64{1000, wide.MaxWorkerID() - 1} {
		old, next := uidGenerator.Issuer(), wide.Issuer()
		old.LastWorker, next.FirstWorker = highest, highest+1
		_, overlap, err := bits.FindOverlap(old, next)
		require.NoError(t, err)
		require.False(t, overlap)
	}
	// Beyond that it has none left for the new layout.
	o := newTable(t, "BIGINT")
	withNodes(t, o, wide.MaxWorkerID())
	_, err := disposed(o).Acquire(t.Context(), wide.Terms())
	require.ErrorIs(t, err, uid.ErrNoWorkerID)
}
