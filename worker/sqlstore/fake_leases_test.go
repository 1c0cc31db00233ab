package sqlstore_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A fakeLeases is a MySQL server with one worker ID, whose row another client writes before each update.
type fakeLeases struct{ steps }

func (f *fakeLeases) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	return fakeResult{}, f.step(stepOf(query))
}

func (f *fakeLeases) QueryContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	if strings.HasPrefix(query, "SHOW VARIABLES") {
		return answer(), nil
	}
	if err := f.step("select"); err != nil {
		return nil, err
	}
	if time.Sleep(time.Millisecond); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	row := []driver.Value{int64(1), int64(0), int64(1), "here", false, false, true, false, "", int64(0)}
	nonce, holder := fmt.Sprint(f.calls("select")), "all worker IDs, given up to 0"
	row = append(row, int64(-1), "", int64(-1), int64(0), "", holder, int64(0), int64(0), "")
	row = append(row, int64(0), nonce, int64(-1), int64(0), "", "", int64(0), int64(0), "")
	return answer(row), nil
}

// A client that loses again and again continues until its time is over. The error says so.
func TestTakeThatAlwaysLoses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeLeases{}
		d, err := sqlstore.New(opened(t, fake, "mysql"), sqlstore.Config{Logger: quiet})
		require.NoError(t, err)
		defer sqlstore.Database(d).Close()
		leases, err := d.Leases("")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		wanted := storage.Wanted{IDs: lease.Range{Last: 1023}, Highest: func(time.Time) int64 { return 0 }}
		err = retry.Do(ctx, 0, quiet, func(ctx context.Context) error {
			return leases.Take(ctx, wanted, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
				r.Nonce = "mine"
				return nil
			})
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "times in a row")
		require.Greater(t, fake.calls("update"), 70)
	})
}
