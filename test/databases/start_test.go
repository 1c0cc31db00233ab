package databases_test

import (
	"bytes"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A start of a disposable ID takes no more round trips than one of a lease, and one more for a port.
func TestStartRoundTrips(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		if s.Driver == "sqlite" || s.Driver == "mysql" && !isMariaDB(t, s) {
			return // MySQL does not tell whether a transaction is open
		}
		started(t, marked(t, db, 0, 1023))
		newTenant := func(db *sqlx.DB) uid.Worker {
			leases := must(tablesOf(db, sqlstore.Config{Logger: quiet()}).Leases(""))
			return must(lease.New(leases, lease.Config{Logger: quiet()}))
		}
		started := func(port string) func(*sqlx.DB) uid.Worker {
			return func(db *sqlx.DB) uid.Worker {
				numbers := tablesOf(db, sqlstore.Config{Logger: quiet()}).Numbers()
				return must(disposable.New(numbers, disposable.Config{Host: "h", Port: port, Logger: quiet()}))
			}
		}
		trips := func(start func(*sqlx.DB) uid.Worker) int64 {
			db, trips := counted(t, s)
			require.NoError(t, db.Ping())
			before := trips.Load()
			_, err := start(db).Acquire(t.Context(), millis(1023))
			require.NoError(t, err)
			return trips.Load() - before
		}
		trips(newTenant) // makes the table
		engines.Do(t, db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0")
		want := map[string]int64{"mysql": 8, "pgx": 5}[s.Driver]
		require.Equal(t, want, trips(newTenant))
		require.Equal(t, want, trips(started("")))
		require.Equal(t, want+1, trips(started("80")))
	})
}

// An interrupter does something before it sends a text, once.
type interrupter struct {
	net.Conn
	text string
	do   func()
	once sync.Once
}

func (c *interrupter) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(c.text)) {
		c.once.Do(c.do)
	}
	return c.Conn.Write(b)
}

// A start that has read the newest mark writes nothing under another history: it looks again, and leaves out IDs.
func TestStartUnderAnotherHistory(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		if s.Driver == "sqlite" {
			return // whose file is locked before it is read
		}
		next := marked(t, db, 0, 1<<22-1)
		for started(t, next) < 7 {
		}
		between := over(t, s, func(c net.Conn) net.Conn {
			return &interrupter{Conn: c, text: "INSERT INTO", do: func() { failOver(t, s, db, 4) }}
		})
		require.Greater(t, started(t, marked(t, between, 0, 1<<22-1)), int64(4+255))
	})
}

// A transaction that the program has left open on a pooled connection does not take a start's row back.
func TestStartInAnOpenTransaction(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		if s.Driver == "sqlite" {
			return
		}
		started(t, marked(t, db, 0, 1<<22-1))
		one := s.Open(t)
		one.SetMaxOpenConns(1)
		next := marked(t, one, 0, 1<<22-1)
		for _, begin := range []string{"START TRANSACTION", map[string]string{
			"mysql": "SET autocommit = 0", "pgx": "BEGIN"}[s.Driver]} {
			_, err := one.Exec(begin)
			require.NoError(t, err)
			id := started(t, next)
			_, err = one.Exec("ROLLBACK")
			require.NoError(t, err)
			require.Len(t, allRows(t, db, fmt.Sprint("SELECT ID FROM WORKER_NODE WHERE ID = ", id)), 1, begin)
		}
	})
}
