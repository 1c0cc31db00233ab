package sqlstore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
	"github.com/uidgen/uid/worker/storetest"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// What SQLite does, and servers that fail, is tried in test/databases.
func TestStore(t *testing.T) {
	server := testserver.Shared(t)
	storetest.Run(t, storetest.Config{Histories: 5}, func(t *testing.T) storetest.Subject {
		database := server.NewDatabase(t)
		admin := server.Open(t, database)
		return storetest.Subject{
			Open: func(namespace string) (lease.Store, error) {
				tables, err := sqlstore.New(server.Open(t, database), sqlstore.Config{})
				require.NoError(t, err)
				return tables.Leases(namespace)
			},
			RemoveNamespace: func(namespace string) error {
				_, err := admin.Exec("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = -1", namespace)
				return err
			},
			RemoveRow: func(namespace string, id int64) error {
				_, err := admin.Exec("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = ?", namespace, id)
				return err
			},
			SetGiven: func(namespace string, given int64) error {
				holder := "" // as before any was given
				if given >= 0 {
					holder = fmt.Sprintf("all worker IDs, given up to %d", given)
				}
				_, err := admin.Exec("UPDATE WORKER_LEASE SET HOLDER = ? WHERE NAMESPACE = ? AND WORKER_ID = -1",
					holder, namespace)
				return err
			},
		}
	})
}
