package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker"
)

// Of what a server says about a column nothing is passed on but the column's name, and
// that only if it is one of ours.
func TestNoWordsOfServers(t *testing.T) {
	for _, c := range []struct {
		failure error
		says    string
	}{
		{&mysql.MySQLError{Number: 1054, Message: "Unknown column 'PORT' in 'hunter2'"}, "MySQL Error 1054: a column is missing: PORT"},
		{&mysql.MySQLError{Number: 1054, Message: "Unknown column 'a.worker_id' in 'hunter2'"}, "MySQL Error 1054: a column is missing: WORKER_ID"},
		{&mysql.MySQLError{Number: 1054, Message: "Unknown column 'hunter2' in 'field list'"}, "MySQL Error 1054: a column is missing"},
		{&mysql.MySQLError{Number: 1054, Message: "the PORT of hunter2"}, "MySQL Error 1054: a column is missing"},
		{&mysql.MySQLError{Number: 1054, Message: "Unknown column 'PORTER' hunter2"}, "MySQL Error 1054: a column is missing"},
		{&mysql.MySQLError{Number: 1264, Message: "Out of range value for column 'HIGH' of hunter2"}, "MySQL Error 1264: a value is out of its column's range: HIGH"},
		{&mysql.MySQLError{Number: 1364, Message: "Field 'hunter2' doesn't have a default value"}, "MySQL Error 1364: a column that workers leave out has no default value"},
		{&mysql.MySQLError{Number: 1366, Message: "Incorrect string value: 'hunter2' for column `hunter2`.`WORKER_LEASE`.`HOLDER` at row 1"},
			"MySQL Error 1366: a value does not fit its column: HOLDER"},
		{&mysql.MySQLError{Number: 1406, Message: "Data too long for column 'HOST_NAME' at row hunter2"}, "MySQL Error 1406: a value is too long for its column: HOST_NAME"},
		{codeError{1, "SQL logic error: table hunter2 has no column named PORT (1)"}, "SQLite error 1: a column is missing: PORT"},
		{codeError{1, "SQL logic error: no such column: HIGH hunter2 (1)"}, "SQLite error 1: a column is missing: HIGH"},
		{codeError{1, "SQL logic error: no such column: a.HIGH hunter2 (1)"}, "SQLite error 1: a column is missing: HIGH"},
		{codeError{1, "SQL logic error: no such column: hunter2 (1)"}, "SQLite error 1: a column is missing"},
	} {
		fake := &fakeDB{fail: func(step string, _ int) error {
			if step == "insert" {
				return c.failure
			}
			return nil
		}}
		_, err := newDisposable(t, fake.open(t, "mysql"), worker.DisposableConfig{}).Acquire(t.Context(), terms(1023))
		require.Error(t, err)
		require.True(t, strings.HasSuffix(err.Error(), "insert a row: "+c.says), "%v", err)
		require.NotContains(t, texts(err), canary)
	}
}

// A column that is gone is named, on real databases, and what a trigger or a table has
// the server say under such a number is not passed on.
func TestColumnErrors(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.open(t)
		both(t, db)
		fails := func(says string) {
			t.Helper()
			_, err := newDisposable(t, db, worker.DisposableConfig{}).Acquire(t.Context(), terms(1023))
			require.ErrorContains(t, err, says)
			require.NotContains(t, texts(err), canary)
		}
		do(t, db, "ALTER TABLE WORKER_LEASE RENAME COLUMN HIGH TO hunter2")
		_, err := newRegistry(t, db).Overview(t.Context(), 0)
		require.ErrorContains(t, err, "a column is missing: HIGH")

		do(t, db, "ALTER TABLE WORKER_NODE RENAME COLUMN PORT TO hunter2")
		fails("a column is missing: PORT")
		if db.DriverName() != "mysql" {
			return
		}
		do(t, db, "DELETE FROM WORKER_NODE", "ALTER TABLE WORKER_NODE CHANGE COLUMN hunter2 PORT VARCHAR(7) NOT NULL")
		fails("a value is too long for its column: PORT")
		do(t, db, "ALTER TABLE WORKER_NODE MODIFY COLUMN PORT VARCHAR(64) NOT NULL, ADD COLUMN hunter2 INT NOT NULL")
		fails("1364 (HY000): a column that workers leave out has no default value")
		do(t, db, "ALTER TABLE WORKER_NODE DROP COLUMN hunter2")
		for _, number := range []int{1054, 1264, 1364, 1366, 1406} {
			do(t, db, fmt.Sprintf("CREATE TRIGGER teller BEFORE INSERT ON WORKER_NODE FOR EACH ROW SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = 'hunter2'", number))
			fails(fmt.Sprint(number))
			do(t, db, "DROP TRIGGER teller")
		}
	})
}
