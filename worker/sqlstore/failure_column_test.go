package sqlstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// An error about a column has nothing of the server's text but the column's name, and that only if it is one of ours.
func TestNoWordsOfServers(t *testing.T) {
	server := func(number uint16, text string) error { return &mysql.MySQLError{Number: number, Message: text} }
	logic := func(text string) error { return codeError{1, "SQL logic error: " + text + " (1)"} }
	for _, c := range []struct {
		failure error
		says    string
	}{
		{server(1054, "Unknown column 'PORT' in 'hunter2'"), "MySQL Error 1054: a column is missing: PORT"},
		{server(1054, "Unknown column 'a.worker_id' in 'hunter2'"), "MySQL Error 1054: a column is missing: WORKER_ID"},
		{server(1054, "Unknown column 'hunter2' in 'field list'"), "MySQL Error 1054: a column is missing"},
		{server(1054, "the PORT of hunter2"), "MySQL Error 1054: a column is missing"},
		{server(1054, "Unknown column 'PORTER' hunter2"), "MySQL Error 1054: a column is missing"},
		{server(1264, "Out of range value for column 'HIGH' of hunter2"),
			"MySQL Error 1264: a value is out of its column's range: HIGH"},
		{server(1364, "Field 'hunter2' doesn't have a default value"),
			"MySQL Error 1364: a column that workers leave out has no default value"},
		{server(1366, "Incorrect string value: 'hunter2' for column `hunter2`.`WORKER_LEASE`.`HOLDER` at row 1"),
			"MySQL Error 1366: a value does not fit its column: HOLDER"},
		{server(1406, "Data too long for column 'HOST_NAME' at row hunter2"),
			"MySQL Error 1406: a value is too long for its column: HOST_NAME"},
		{logic("table hunter2 has no column named PORT"), "SQLite error 1: a column is missing: PORT"},
		{logic("no such column: HIGH hunter2"), "SQLite error 1: a column is missing: HIGH"},
		{logic("no such column: a.HIGH hunter2"), "SQLite error 1: a column is missing: HIGH"},
		{logic("no such column: hunter2"), "SQLite error 1: a column is missing"},
	} {
		fake := &fakeDB{steps: failing("insert", 1, c.failure)}
		_, err := tables(t, fake).Numbers().Next(t.Context(), withPort, 1023)
		require.Error(t, err)
		require.True(t, strings.HasSuffix(err.Error(), "insert a row: "+c.says), "%v", err)
		require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, errors.Unwrap(err)), "hunter2")
	}
}
