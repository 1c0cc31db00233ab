package sqlstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
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
		fake := &fakeDB{steps: steps{fail: func(step string, _ int) error {
			if step == "insert" {
				return c.failure
			}
			return nil
		}}}
		_, err := tables(t, fake).Numbers().Next(t.Context(), withPort, 1023)
		require.Error(t, err)
		require.True(t, strings.HasSuffix(err.Error(), "insert a row: "+c.says), "%v", err)
		require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, errors.Unwrap(err)), "hunter2")
	}
}
