package sqlstore_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A youngDB is a fakeDB whose server was just started. Its table has no mark.
type youngDB struct {
	fakeDB
	young bool
}

func (f *youngDB) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) > 0 {
		return f.fakeDB.QueryContext(ctx, query, args)
	}
	columns := []driver.Value{int64(0), int64(0), int64(1), "server since noon", f.young, false, true, false, ""}
	return answer(append(columns, int64(0), "", "", int64(0), true, int64(0))), f.step("origin")
}

// A start waits if the server was started within the last two seconds: the server may be started in them again, with
// writes lost and the same history.
func TestStartOnAYoungServer(t *testing.T) {
	f := &youngDB{young: true}
	d, err := sqlstore.New(opened(t, f, "mysql"), sqlstore.Config{Logger: quiet})
	require.NoError(t, err)
	_, err = d.Numbers().Next(t.Context(), withPort, 1023)
	require.ErrorContains(t, err, "was started within the last two seconds")
	require.True(t, retry.IsTransient(err))
	require.Zero(t, f.calls("commit"), "no ID is given")
	f.young = false
	_, err = d.Numbers().Next(t.Context(), withPort, 1023)
	require.NotContains(t, fmt.Sprint(err), "two seconds", "the server is older by now")
}
