package databases_test

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/sqlstore"
)

// seconds is a layout with ticks of a second, as it stands in rows.
var seconds = bits.Default()

func layoutTerms(text string) (uid.Terms, error) {
	l, err := bits.ParseLayout(text)
	return l.Terms(), err
}

func newRegistry(db *sqlx.DB) *registry.Registry {
	return must(registry.New(examined(db), registry.Config{Logger: quiet()}))
}

// createTable returns the statement that creates a table of a default name.
func createTable(db *sqlx.DB, name string) string {
	d := must(database.Dialect("").Resolve(db.DriverName()))
	return must(database.Schema(name, d.DefaultName(name), d))
}

// aLease is a row for a test to put, with times from now on.
type aLease struct {
	namespace string // "": default
	id        int64
	until     time.Duration
	renewed   time.Duration
	high      time.Duration // the time of its last tick
}

// leaseColumns are all columns of the table of leases.
const leaseColumns = "NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, HISTORY"

// putLeases makes the table, the control rows of the namespaces, and the rows.
func putLeases(t testing.TB, db *sqlx.DB, rows ...aLease) {
	t.Helper()
	engines.Do(t, db, createTable(db, "WORKER_LEASE"))
	now := time.Now()
	insert := func(namespace string, id int64, nonce string, high, until, renewed int64) {
		holder := ""
		if id >= 0 {
			holder = fmt.Sprintf("host/%d", id)
		}
		statement := "INSERT INTO WORKER_LEASE (" + leaseColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')"
		db.MustExec(db.Rebind(statement), namespace, id, nonce, high, until, seconds.String(), holder, renewed, renewed)
	}
	namespaces := map[string]bool{}
	for _, row := range rows {
		row.namespace = cmp.Or(row.namespace, "default")
		if !namespaces[row.namespace] {
			namespaces[row.namespace] = true
			insert(row.namespace, -1, "", -1, 0, 0)
		}
		insert(row.namespace, row.id, fmt.Sprint("nonce", row.id), seconds.TickAt(now.Add(row.high)),
			now.Add(row.until).UnixMicro(), now.Add(row.renewed).UnixMicro())
	}
}

func TestOverviewCountsNodes(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, _ engines.Database, db *sqlx.DB) {
		for range 3 {
			acquire(t, db, asked{Table: "other"})
		}
		engines.Do(t, db, "DELETE FROM other WHERE ID > 1")
		r := must(registry.New(tablesOf(db, sqlstore.Config{NodeTable: "other"}).Registry(), registry.Config{}))
		o, err := r.Overview(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, registry.NodeInfo{Rows: 1, Last: 1, Next: 4}, *o.Nodes)
		require.EqualValues(t, 3, o.Nodes.Used(), "IDs of deleted rows are used, too")
	})
}
