package databases_test

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// A faultyDatabase is a subject of packages storetest and segmenttest, in which the test may do as it likes: with
// clients whose writes and replies are lost or late, a clock to set, and a failover to an older state.
type faultyDatabase struct {
	// Driver is the name of its driver: mysql, pgx or sqlite.
	Driver string
	// Connect returns a connector for the pool of one more client.
	Connect func() driver.Connector
	// Admin sees what all clients have written.
	Admin *sqlx.DB
	// Stands makes the clock that the clients see stand still until it is turned forward.
	Stands bool
}

// Subject returns the database's table of leases, each of whose clients has a pool of its own.
func (d faultyDatabase) Subject(t *testing.T) storetest.Subject {
	all := d.clients(t)
	out := storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			tables, f := all.open()
			l, err := tables.Leases(namespace)
			all.faults.Store(l, f)
			return l, err
		},
		Registry: func() (registry.Store, error) {
			tables, _ := all.open()
			return tables.Registry(), nil
		},
		Fault: func(client lease.Store, fault storetest.Fault) bool { return all.fault(client, fault) },
		RemoveNamespace: func(namespace string) error {
			return d.do("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = -1", namespace)
		},
		RemoveRow: func(namespace string, id int64) error {
			return d.do("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = ?", namespace, id)
		},
		SetGiven: func(namespace string, given int64) error {
			holder := ""
			if given >= 0 {
				holder = fmt.Sprintf("all worker IDs, given up to %d", given)
			}
			return d.do("UPDATE WORKER_LEASE SET HOLDER = ? WHERE NAMESPACE = ? AND WORKER_ID = -1", holder, namespace)
		},
		Deliver: all.deliver,
		Secret:  canary,
	}
	out.Backup = func() func() {
		restore := d.backup(t, "WORKER_LEASE", leaseColumns)
		return func() {
			all.made.server.Add(1)
			restore()
		}
	}
	if d.Stands {
		all.made.clock.Store(time.Now().UnixMicro())
		out.Advance = func(by time.Duration) { all.made.clock.Add(by.Microseconds()) }
	}
	return out
}

// backup returns a function that puts a table back to what it is now.
func (d faultyDatabase) backup(t *testing.T, table, columns string) (restore func()) {
	t.Helper()
	rows := allRows(t, d.Admin, "SELECT "+columns+" FROM "+table)
	return func() {
		require.NoError(t, d.do("DELETE FROM "+table))
		for _, row := range rows {
			values := "?" + strings.Repeat(", ?", len(row)-1)
			require.NoError(t, d.do("INSERT INTO "+table+" ("+columns+") VALUES ("+values+")", row...))
		}
	}
}

// do executes a statement, more than once if need be: a database may refuse it because of others, as when two nodes of
// a cluster have written.
func (d faultyDatabase) do(statement string, args ...any) (err error) {
	for range 5000 {
		if _, err = d.Admin.Exec(d.Admin.Rebind(statement), args...); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", statement, err)
}
