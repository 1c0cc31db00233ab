package migrating

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

func TestMain(m *testing.M) { cluster.Main(m) }

func utc(y int, m time.Month, d, h, min, s int) time.Time {
	return time.Date(y, m, d, h, min, s, 0, time.UTC)
}

// The layouts of the old programs.
var twitter, uidGenerator = bits.MustParseLayout("twitter"), bits.MustParseLayout("uidgenerator")

var quiet = slog.New(slog.DiscardHandler)

// must returns a value that cannot fail to be there.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// A table is the one whose keys come from somebody else from now on.
type table struct{ *sqlx.DB }

// newTable returns an empty table with keys of an SQL type, in a database of its own.
func newTable(t testing.TB, keyType string) table {
	t.Helper()
	db := engines.NewMySQL(t).Open(t)
	engines.Do(t, db, "CREATE TABLE orders (id "+keyType+" PRIMARY KEY, writer VARCHAR(20) NOT NULL) ENGINE=InnoDB")
	return table{db}
}

func (o table) insert(writer string, ids ...any) error {
	var args []any
	for _, id := range ids {
		args = append(args, id, writer)
	}
	_, err := o.Exec("INSERT INTO orders (id, writer) VALUES (?, ?)"+strings.Repeat(", (?, ?)", len(ids)-1), args...)
	return err
}

// refuses fails the test unless the table has id already.
func (o table) refuses(t testing.TB, id any) {
	t.Helper()
	var refused *mysql.MySQLError
	require.ErrorAs(t, o.insert("twice", id), &refused)
	require.EqualValues(t, 1062, refused.Number, "duplicate entry")
}

// A writer makes the next key.
type writer func() (any, error)

// write lets all writers insert rows at the same time, each a few in a statement, as processes of
// the old and the new program do. The primary key refuses any that comes twice.
func (o table) write(t testing.TB, rows int, writers map[string]writer) {
	t.Helper()
	const each = 10
	before := o.count(t)
	var all sync.WaitGroup
	for name, next := range writers {
		all.Go(func() {
			for range rows / each {
				var ids []any
				for range each {
					id, err := next()
					if !assert.NoError(t, err, name) {
						return
					}
					ids = append(ids, id)
				}
				if !assert.NoError(t, o.insert(name, ids...), name) {
					return
				}
			}
		})
	}
	all.Wait()
	require.False(t, t.Failed())
	require.Equal(t, before+len(writers)*rows, o.count(t))
}

func (o table) count(t testing.TB) (n int) {
	t.Helper()
	require.NoError(t, o.Get(&n, "SELECT COUNT(*) FROM orders"))
	return n
}

// edge returns what MIN(id) or MAX(id) says, of some writers.
func (o table) edge(t testing.TB, what, writers string) (id int64) {
	t.Helper()
	require.NoError(t, o.Get(&id, "SELECT "+what+" FROM orders WHERE writer LIKE ?", writers))
	return id
}

// A cursor is a reader that asks for the rows above the last one it has got, within a part of the
// table: where is a condition, or empty.
type cursor struct {
	last  int64
	where string
	got   []int64
}

// poll reads what there is above the last row, but nothing from upTo on.
func (c *cursor) poll(t testing.TB, o table, upTo uid.UID) (n int) {
	t.Helper()
	query := "SELECT id FROM orders WHERE id > ? AND id < ?"
	if c.where != "" {
		query += " AND " + c.where
	}
	var ids []int64
	require.NoError(t, o.Select(&ids, query+" ORDER BY id", c.last, int64(upTo)))
	if len(ids) > 0 {
		c.last = ids[len(ids)-1]
	}
	c.got = append(c.got, ids...)
	return len(ids)
}

// sawAll fails the test unless the cursors have got each row of the table once.
func sawAll(t testing.TB, o table, cursors ...*cursor) {
	t.Helper()
	var want, got []int64
	require.NoError(t, o.Select(&want, "SELECT id FROM orders ORDER BY id"))
	for _, c := range cursors {
		got = append(got, c.got...)
	}
	slices.Sort(got)
	require.Len(t, got, len(want))
	require.True(t, slices.Equal(want, got))
}

// behind is how far readers stay behind the clock here, where a row takes no longer.
const behind = 20 * time.Millisecond

// pastOf returns the smallest number that a generator of a layout can still make, seen from so far
// behind the clock: readers get what is below.
func pastOf(l bits.Layout) uid.UID { return must(l.First(time.Now().Add(-behind))) }

// of makes a generator a writer.
func of(g interface{ GetUID() (uid.UID, error) }) writer {
	return func() (any, error) { return g.GetUID() }
}

// found makes a namespace of leases, as uid worker init does.
func found(t testing.TB, db *sqlx.DB, namespace string, f lease.Founding) lease.Store {
	t.Helper()
	store := must(must(sqlstore.New(db, sqlstore.Config{Logger: quiet})).Leases(namespace))
	require.NoError(t, lease.Found(t.Context(), store, f))
	return store
}

// leased returns a worker that leases an ID of a namespace. It says that the server is durable, so
// that it does not wait at its start: nobody kills the server here.
func leased(store lease.Store, ids lease.Range) uid.Worker {
	return must(lease.New(store, lease.Config{IDs: ids, Losses: lease.NeverUnchecked, Logger: quiet}))
}

// newCached returns a generator above a floor, which the test closes, or which ends with it.
func newCached(t testing.TB, w uid.Worker, l bits.Layout, after uid.UID) *cached.Generator {
	t.Helper()
	g := must(cached.New(w, cached.Config{Layout: l, Logger: quiet, After: after}))
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// newPlain returns a generator that reads a clock for each UID, above a floor.
func newPlain(t testing.TB, w uid.Worker, l bits.Layout, c *fake.Clock, after uid.UID) *uncached.Generator {
	t.Helper()
	g := must(uncached.New(w, uncached.Config{
		Layout: l, Now: c.Now, Logger: quiet, After: after, Expiry: bits.Expiry{Refuse: -1, Warn: -1},
	}))
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// parsed takes apart what MIN(id) or MAX(id) says, of some writers.
func (o table) parsed(t testing.TB, l bits.Layout, what, writers string) uid.Parts {
	t.Helper()
	return must(l.Parse(uid.UID(o.edge(t, what, writers))))
}

// A javaTicks makes the numbers of a generator that counts within a tick of the clock, as
// UidGenerator's default one and Leaf's do. When a tick is full it goes on in the next one.
type javaTicks struct {
	layout       bits.Layout
	worker, from int64 // from is a tick's first sequence
	tick, next   int64
	ahead        int64 // how many ticks ahead of the clock it is
}

func (j *javaTicks) write() (any, error) {
	now := j.layout.TickAt(time.Now()) + j.ahead
	if now > j.tick || j.next > j.layout.MaxSequence() {
		j.tick, j.next = max(now, j.tick+1), j.from
	}
	j.next++
	u, err := j.layout.Compose(j.tick, j.worker, j.next-1)
	if err != nil {
		return nil, fmt.Errorf("worker %d: %w", j.worker, err)
	}
	return int64(u), nil
}
