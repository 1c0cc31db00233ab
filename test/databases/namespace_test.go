package databases_test

import (
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
)

// A table that is dropped or emptied is told from a row that is gone.
func TestNamespaceGone(t *testing.T) {
	t.Parallel()
	for statement, is := range map[string]error{
		"DROP TABLE WORKER_LEASE":                      worker.ErrNoNamespace,
		"DELETE FROM WORKER_LEASE":                     worker.ErrNoNamespace,
		"DELETE FROM WORKER_LEASE WHERE WORKER_ID = 0": errLost,
	} {
		t.Run(statement, func(t *testing.T) {
			engines.Each(t, func(t *testing.T, _ store, db *sqlx.DB) {
				owner := ownerOf(t, db)
				engines.Do(t, db, statement)
				tables := countTables(t, db, "worker%")
				require.ErrorIs(t, owner.renew(t.Context()), is)
				require.Equal(t, tables, countTables(t, db, "worker%"))
			})
		})
	}
}

// A trigger that keeps a row from being written is found out.
func TestUpdateIsConfirmed(t *testing.T) {
	eachStore(t, func(t *testing.T, s store, db *sqlx.DB) {
		owner := tenantOf(t, db)
		mine := owner.take(t)
		if s.Driver == "sqlite" {
			engines.Do(t, db, "CREATE TRIGGER keeper BEFORE UPDATE ON WORKER_LEASE BEGIN SELECT RAISE(IGNORE); END")
		} else {
			engines.Do(t, db, `CREATE TRIGGER keeper BEFORE UPDATE ON WORKER_LEASE FOR EACH ROW
				SET NEW.NONCE = OLD.NONCE, NEW.HIGH = OLD.HIGH, NEW.LEASE_UNTIL = OLD.LEASE_UNTIL,
				NEW.RENEWED = OLD.RENEWED`)
		}
		err := owner.renew(t.Context())
		logtest.Error(t, err, worker.ErrUnconfirmed, "the update of worker ID 0 changed 0 rows")
		require.Equal(t, mine, owner.row)
		engines.Do(t, db, "DROP TRIGGER keeper")
		require.NoError(t, owner.renew(t.Context()))
	})
}
