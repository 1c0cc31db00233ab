package sqlstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
)

// codeError is an error of SQLite's driver.
type codeError struct {
	code int
	text string
}

func (e codeError) Error() string { return e.text }
func (e codeError) Code() int     { return e.code }

func dialError(err error) error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3306}, Err: err}
}

var quiet = slog.New(slog.DiscardHandler)

// tables returns the tables of a fake MySQL server.
func tables(t testing.TB, fake *fakeDB) *sqlstore.DB {
	t.Helper()
	d, err := sqlstore.New(fake.open(t, "mysql"), sqlstore.Config{Skip: -1, Logger: quiet})
	require.NoError(t, err)
	return d
}

// next asks for a number, and retries errors that may pass, as a worker does.
func next(ctx context.Context, numbers disposable.Numbers, h storage.Host) (id int64, err error) {
	err = retry.Do(ctx, time.Minute, quiet, func(ctx context.Context) (err error) {
		id, err = numbers.Next(ctx, h, 1023)
		return err
	})
	return id, err
}

var withPort = storage.Host{Name: "h", Port: "1"}

// An error that may pass is retried, at any step, and each time with a new row.
func TestTransientFailures(t *testing.T) {
	var failures []error
	for _, number := range []uint16{1020, 1040, 1047, 1053, 1158, 1159, 1160, 1161, 1180, 1203, 1205, 1213,
		1226, 1317, 1412, 1927, 1969, 3024, 3032, 3101, 4031} {
		failures = append(failures, fmt.Errorf("wrapped: %w", &mysql.MySQLError{Number: number}))
	}
	for _, code := range []int{5, 6, 9, 15, 5 | 2<<8, 6 | 1<<8} {
		failures = append(failures, codeError{code, ""})
	}
	failures = append(failures,
		mysql.ErrInvalidConn, driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, sql.ErrConnDone, os.ErrDeadlineExceeded,
		dialError(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
		dialError(os.NewSyscallError("connect", syscall.EHOSTUNREACH)),
		dialError(os.ErrDeadlineExceeded),
		dialError(&net.DNSError{Err: "no such host", IsNotFound: true}),
		&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)},
		&net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.ENOENT)},
		&net.DNSError{Err: "server misbehaving"},
		errors.New("database is locked"),
		errors.New("database table is locked: WORKER_NODE"),
	)
	for _, step := range []string{"connect", "begin", "insert", "commit", "select", "update"} {
		for i, failure := range failures {
			t.Run(fmt.Sprint(step, " ", i, " ", failure), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					fake := &fakeDB{steps: failing(step, 5, failure)} // database/sql tries a bad connection three times
					d := tables(t, fake)
					defer sqlstore.Database(d).Close()
					id, err := next(t.Context(), d.Numbers(), withPort)
					require.NoError(t, err)
					require.EqualValues(t, len(fake.ports), id, "the newest row's")
					if step == "commit" || step == "select" || step == "update" {
						require.EqualValues(t, 6, id, "an ID whose fate was unclear is not used")
					}
					seen := map[string]bool{}
					for _, nonce := range fake.ports {
						require.Len(t, nonce, 26)
						require.False(t, seen[nonce], "each attempt has its own nonce")
						seen[nonce] = true
					}
				})
			})
		}
	}
}

// A final error is returned at once.
func TestFinalFailures(t *testing.T) {
	for _, failure := range []struct {
		err  error
		says string
	}{
		{&mysql.MySQLError{Number: 1044}, "1044: access denied"},
		{&mysql.MySQLError{Number: 1045, SQLState: [5]byte{'2', '8', '0', '0', '0'}}, "1045 (28000): access denied"},
		{&mysql.MySQLError{Number: 1046}, "no database selected"},
		{&mysql.MySQLError{Number: 1049}, "no such database"},
		{&mysql.MySQLError{Number: 1062}, "AUTO_INCREMENT counter"},
		{&mysql.MySQLError{Number: 1142}, "lacks this right"},
		{&mysql.MySQLError{Number: 1290}, "read-only"},
		{&mysql.MySQLError{Number: 1467}, "at its end"},
		{&mysql.MySQLError{Number: 1792}, "read-only"},
		{&mysql.MySQLError{Number: 1836}, "read-only"},
		{&mysql.MySQLError{Number: 1193, Message: "Unknown system variable 'namspace'"}, "system variable 'namspace'"},
		{&mysql.MySQLError{Number: 65000, Message: "hunter2"}, "withheld"},
		{codeError{8, ""}, "read-only"},
		{codeError{8 | 1<<8, ""}, "read-only"},
		{codeError{13, ""}, "full"},
		{codeError{14, ""}, "cannot be opened"},
		{codeError{26, ""}, "not a SQLite database"},
		{codeError{1, "near \"x\": syntax error"}, "withheld"},
		{dialError(os.NewSyscallError("connect", syscall.EACCES)), "127.0.0.1:3306: permission denied"},
		{dialError(net.UnknownNetworkError("tpc")), "dial 127.0.0.1:3306: net.UnknownNetworkError"},
		{dialError(&net.AddrError{Err: "missing port"}), "*net.AddrError"},
		{mysql.ErrNoTLS, "TLS"},
		{errors.New("sql: database is closed"), "closed"},
		{errors.New("whatever"), "*errors.errorString"},
	} {
		for _, step := range []string{"connect", "begin", "insert", "commit", "select", "update"} {
			if e, is := errors.AsType[*mysql.MySQLError](failure.err); is && e.Number == 1062 && step == "update" {
				continue // a second row with the port, see TestUniqueHostAndPort
			}
			t.Run(fmt.Sprint(step, " ", failure.err), func(t *testing.T) {
				fake := &fakeDB{steps: failing(step, math.MaxInt, failure.err)}
				numbers := tables(t, fake).Numbers()
				_, err := next(t.Context(), numbers, withPort)
				require.ErrorContains(t, err, failure.says)
				require.NotErrorIs(t, err, context.DeadlineExceeded)
				require.Equal(t, 1, fake.calls(step))
				require.LessOrEqual(t, len(fake.ports), 1)

				fake.fail = nil
				_, err = next(t.Context(), numbers, withPort)
				require.NoError(t, err)
			})
		}
	}
}

// A missing table is created, once.
func TestMissingTable(t *testing.T) {
	for _, failure := range []error{
		&mysql.MySQLError{Number: 1146},
		codeError{1, "SQL logic error: no such table: WORKER_NODE (1)"},
		errors.New("no such table: WORKER_NODE"),
	} {
		for created, inserts := range map[bool]int{true: 1, false: 9} {
			fake := &fakeDB{steps: failing("insert", inserts, failure)}
			_, err := next(t.Context(), tables(t, fake).Numbers(), storage.Host{Name: "h"})
			require.Equal(t, created, err == nil, "%v", err)
			require.Equal(t, 1, fake.calls("create"))
			require.Equal(t, 2, fake.calls("insert"))
			if err != nil {
				require.ErrorContains(t, err, "table does not exist")
			}
		}
	}
}

func TestErrorNumberIsFound(t *testing.T) {
	fail := func(string, int) error { return &mysql.MySQLError{Number: 1045, Message: "for user 'canary'"} }
	fake := &fakeDB{steps: steps{fail: fail}}
	_, err := next(t.Context(), tables(t, fake).Numbers(), withPort)
	var server *mysql.MySQLError
	require.ErrorAs(t, err, &server)
	require.EqualValues(t, 1045, server.Number)
	require.NotContains(t, server.Message, "canary")
}

// A call gives up a database that does not answer at all.
func TestSilentDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeDB{silent: true}
		d := tables(t, fake)
		defer sqlstore.Database(d).Close()
		_, err := next(t.Context(), d.Numbers(), withPort)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, fake.calls("insert"))
	})
}
