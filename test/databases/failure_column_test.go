package databases_test

import (
	"fmt"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
)

// A column that is gone is named, on real databases, and what a trigger or a table has
// the server say under such a number is not passed on.
func TestColumnErrors(t *testing.T) {
	eachStore(t, func(t *testing.T, _ store, db *sqlx.DB) {
		acquire(t, db, asked{})
		tenant := tenantOf(t, db)
		fails := func(says string) {
			t.Helper()
			err := tryID(t, db, asked{})
			require.ErrorContains(t, err, says)
			require.NotContains(t, logtest.Texts(err), canary)
		}
		engines.Do(t, db, "ALTER TABLE WORKER_LEASE RENAME COLUMN HIGH TO hunter2")
		_, err := tenant.tryTake(t.Context())
		require.ErrorContains(t, err, "a column is missing: HIGH")

		engines.Do(t, db, "ALTER TABLE WORKER_NODE RENAME COLUMN PORT TO hunter2")
		fails("a column is missing: PORT")
		if db.DriverName() != "mysql" {
			return
		}
		engines.Do(t, db, "DELETE FROM WORKER_NODE",
			"ALTER TABLE WORKER_NODE CHANGE COLUMN hunter2 PORT VARCHAR(7) NOT NULL")
		fails("a value is too long for its column: PORT")
		engines.Do(t, db, "ALTER TABLE WORKER_NODE "+
			"MODIFY COLUMN PORT VARCHAR(64) NOT NULL, ADD COLUMN hunter2 INT NOT NULL")
		fails("1364 (HY000): a column that workers leave out has no default value")
		engines.Do(t, db, "ALTER TABLE WORKER_NODE DROP COLUMN hunter2")
		for _, number := range []int{1054, 1264, 1364, 1366, 1406} {
			engines.Do(t, db, fmt.Sprintf("CREATE TRIGGER teller BEFORE INSERT ON WORKER_NODE FOR EACH ROW "+
				"SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = 'hunter2'", number))
			fails(fmt.Sprint(number))
			engines.Do(t, db, "DROP TRIGGER teller")
		}
	})
}
