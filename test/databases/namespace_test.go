package databases_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// leaseTables returns which tables of leases there are.
func leaseTables(t testing.TB, db *sqlx.DB) (names []string) {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE name LIKE 'WORKER%'"
	if db.DriverName() == "mysql" {
		query = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'WORKER%'"
	}
	require.NoError(t, db.Select(&names, query))
	return names
}

// Only Init makes what is missing.
func TestNamespaceIsMade(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		n := strangerOf(t, db, "")
		_, err := n.tryTake(t.Context())
		require.ErrorIs(t, err, worker.ErrNoNamespace)
		require.ErrorContains(t, err, "the table does not exist")
		require.ErrorIs(t, n.renew(t.Context()), worker.ErrNoNamespace)
		require.Empty(t, leaseTables(t, db))

		require.NoError(t, lease.Found(t.Context(), strangerOf(t, db, "other"), lease.Founding{Layout: milliseconds}))
		_, err = n.tryTake(t.Context())
		require.ErrorIs(t, err, worker.ErrNoNamespace)
		require.ErrorContains(t, err, `no row of namespace "default"`)
		require.ErrorIs(t, n.renew(t.Context()), worker.ErrNoNamespace)

		require.NoError(t, lease.Found(t.Context(), n, lease.Founding{Layout: milliseconds}))
		require.Zero(t, n.take(t).WorkerID)
		row := rowIn(t, db, -1)
		require.NoError(t, lease.Found(t.Context(), n, lease.Founding{Layout: milliseconds}), "it is there")
		require.Equal(t, row, rowIn(t, db, -1))
		require.ErrorIs(t, lease.Found(t.Context(), n, lease.Founding{Layout: bits.Default()}), worker.ErrLayout)
		require.Equal(t, row, rowIn(t, db, -1))
	})
}

// A table that is away for a while, as in a change of its schema in two steps: nobody makes
// another one, and its owner goes on when it is back.
func TestNamespaceRenamedAway(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		owner := tenantOf(t, db)
		owner.take(t)
		kit.Do(t, db, "ALTER TABLE WORKER_LEASE RENAME TO AWAY")
		require.ErrorIs(t, owner.renew(t.Context()), worker.ErrNoNamespace)
		_, err := strangerOf(t, db, "").tryTake(t.Context())
		require.ErrorIs(t, err, worker.ErrNoNamespace)
		require.Empty(t, leaseTables(t, db))
		kit.Do(t, db, "ALTER TABLE AWAY RENAME TO WORKER_LEASE")
		require.NoError(t, owner.renew(t.Context()))
		require.EqualValues(t, 1, strangerOf(t, db, "").take(t).WorkerID)
	})
}

// A table that is dropped or emptied is told from a row that is gone.
func TestNamespaceGone(t *testing.T) {
	for statement, is := range map[string]error{
		"DROP TABLE WORKER_LEASE":                      worker.ErrNoNamespace,
		"DELETE FROM WORKER_LEASE":                     worker.ErrNoNamespace,
		"DELETE FROM WORKER_LEASE WHERE WORKER_ID = 0": errLost,
	} {
		t.Run(statement, func(t *testing.T) {
			eachStore(t, func(t *testing.T, s store) {
				db := s.Open(t)
				owner := tenantOf(t, db)
				owner.take(t)
				kit.Do(t, db, statement)
				tables := leaseTables(t, db)
				require.ErrorIs(t, owner.renew(t.Context()), is)
				require.Equal(t, tables, leaseTables(t, db))
			})
		})
	}
}

// A namespace is written and read as it is, and of one that is made anew it is told what
// rows are left.
func TestNamespaceRow(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		l := strangerOf(t, db, "")
		at := time.Date(2026, 11, 21, 1, 2, 3, 456789000, time.UTC)
		want := lease.Namespace{Layout: "x", Given: -1, Floor: 7,
			History: "once", Made: at.Add(-time.Hour), Renewed: at.Add(time.Hour)}
		require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, now lease.Clock) error {
			require.Equal(t, lease.Namespace{Given: -1, Floor: -1, Fresh: true}, *n)
			require.WithinDuration(t, time.Now(), now.Now, time.Minute)
			*n = want
			return nil
		}))
		sees := func(want lease.Namespace) {
			t.Helper()
			stop := errors.New("stop")
			require.ErrorIs(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error {
				require.Equal(t, want, *n)
				n.Layout = "not written"
				return stop
			}), stop)
		}
		sees(want)
		row := rowIn(t, db, -1)
		require.Equal(t, leaseRow{
			WorkerID: -1, High: 7, Layout: "x", History: "once",
			Acquired: want.Made.UnixMicro(), Renewed: want.Renewed.UnixMicro(),
		}, row)

		require.NoError(t, l.Take(t.Context(), wanted, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
			require.Equal(t, want, *n)
			l.write(r, now)
			return nil
		}))
		after := rowIn(t, db, -1)
		require.NotEqual(t, row.Nonce, after.Nonce, "who grows it writes it, for Galera")
		require.Equal(t, "all worker IDs, given up to 15", after.Holder)
		after.Nonce, after.Holder = row.Nonce, row.Holder
		require.Equal(t, row, after, "nothing else was changed in it")
		want.History, want.Given = "twice", 15
		require.NoError(t, l.Take(t.Context(), wanted, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
			n.History = want.History
			l.write(r, now)
			return nil
		}))
		sees(want)

		kit.Do(t, db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID = -1")
		sees(lease.Namespace{Given: 15, Floor: -1, Fresh: true})
	})
}

// A trigger that keeps a row from being written is found out.
func TestUpdateIsConfirmed(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		owner := tenantOf(t, db)
		mine := owner.take(t)
		if s.Driver == "sqlite" {
			kit.Do(t, db, "CREATE TRIGGER keeper BEFORE UPDATE ON WORKER_LEASE BEGIN SELECT RAISE(IGNORE); END")
		} else {
			kit.Do(t, db, `CREATE TRIGGER keeper BEFORE UPDATE ON WORKER_LEASE FOR EACH ROW
				SET NEW.NONCE = OLD.NONCE, NEW.HIGH = OLD.HIGH, NEW.LEASE_UNTIL = OLD.LEASE_UNTIL, NEW.RENEWED = OLD.RENEWED`)
		}
		err := owner.renew(t.Context())
		require.ErrorIs(t, err, worker.ErrUnconfirmed)
		require.ErrorContains(t, err, "the update of worker ID 0 changed 0 rows")
		require.Equal(t, mine, owner.row)
		kit.Do(t, db, "DROP TRIGGER keeper")
		require.NoError(t, owner.renew(t.Context()))
	})
}

// Two tables, and two namespaces of one, do not see each other.
func TestNamespacesApart(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		l, err := tablesOf(t, db, sqlstore.Config{LeaseTable: "order"}).Leases("") // a word of SQL, which is no harm
		require.NoError(t, err)
		for _, n := range []*tenant{strangerOf(t, db, ""), strangerOf(t, db, "b"), {Leases: l}} {
			require.NoError(t, lease.Found(t.Context(), n, lease.Founding{Layout: milliseconds}))
			for id := range int64(3) {
				require.Equal(t, id, n.take(t).WorkerID)
			}
		}
	})
}
