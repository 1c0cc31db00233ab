package sqlstore_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/test/kit"
)

// What PostgreSQL remembers of the table: it is another thing after each start, after a process was
// killed, which starts all others anew and loses what was not flushed yet, and once the table was
// renamed, altered or emptied. Rows that are written do not change it, nor does what VACUUM, ANALYZE
// and an index do.
func TestHistoryOnPostgres(t *testing.T) {
	s := postgres(t)
	db := opening("pgx", s.URL(s.Addr(0)))(t)
	l := leasesOf(t, db, "")
	require.NoError(t, found(t, l))
	row, err := take(t.Context(), l)
	require.NoError(t, err)
	tells := func() (history string) {
		t.Helper()
		for { // the server may not be there yet
			err := l.Change(t.Context(), row.WorkerID, func(_ *leasestore.Namespace, _ *leasestore.Row, now leasestore.Clock) error {
				history = now.History
				return errSeen
			})
			if history != "" || !retry.IsTransient(err) {
				require.ErrorIs(t, err, errSeen)
				require.LessOrEqual(t, len(history), leasestore.MostHistory)
				return history
			}
		}
	}
	history := tells()
	t.Log(history)
	for what, c := range map[string]struct {
		moves bool
		do    func()
	}{
		"a renewal": {false, func() { require.NoError(t, renew(t.Context(), l, row.WorkerID, func(r *leasestore.Row) { r.High++ })) }},
		"upkeep":    {false, func() { kit.Do(t, db, "VACUUM ANALYZE worker_lease", "CREATE INDEX i ON worker_lease (high)") }},
		"renamed there and back": {true, func() {
			kit.Do(t, db, "ALTER TABLE worker_lease RENAME TO away", "ALTER TABLE away RENAME TO worker_lease")
		}},
		"made anew": {true, func() {
			kit.Do(t, db, "CREATE TABLE backup AS SELECT * FROM worker_lease", "DROP TABLE worker_lease",
				"ALTER TABLE backup RENAME TO worker_lease", "ALTER TABLE worker_lease ADD PRIMARY KEY (namespace, worker_id)")
		}},
		"emptied and filled": {true, func() {
			kit.Do(t, db, "CREATE TABLE kept AS SELECT * FROM worker_lease", "TRUNCATE worker_lease", "INSERT INTO worker_lease SELECT * FROM kept", "DROP TABLE kept")
		}},
		"stopped": {true, func() { require.NoError(t, s.Stop()); require.NoError(t, s.Restart()) }},
		"killed":  {true, func() { s.Kill(); require.NoError(t, s.Restart()) }},
		"a process killed": {true, func() {
			conn, err := db.Connx(t.Context())
			require.NoError(t, err)
			defer conn.Close()
			other, err := db.Connx(t.Context())
			require.NoError(t, err)
			defer other.Close()
			var pid int
			require.NoError(t, conn.GetContext(t.Context(), &pid, "SELECT pg_backend_pid()"))
			var before, after string
			require.NoError(t, db.Get(&before, "SELECT pg_postmaster_start_time()::text"))
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			for err == nil { // until the server has ended the others, too
				_, err = other.ExecContext(t.Context(), "SELECT 1")
			}
			tells()
			require.NoError(t, db.Get(&after, "SELECT pg_postmaster_start_time()::text"))
			require.Equal(t, before, after, "the server itself goes on")
		}},
	} {
		c.do()
		now := tells()
		require.Equal(t, c.moves, now != history, "%s: %s", what, now)
		require.Equal(t, now, tells())
		history = now
	}
	// A program with no other right than on the table sees all of it.
	kit.Do(t, db, "CREATE ROLE app LOGIN", "GRANT SELECT, INSERT, UPDATE ON worker_lease TO app")
	history = tells() // for nothing: a GRANT is a change of the table
	app := opening("pgx", s.URL(s.Addr(0))+"&user=app")(t)
	var user string
	require.NoError(t, app.Get(&user, "SELECT current_user"))
	require.Equal(t, "app", user)
	l = leasesOf(t, app, "")
	require.Equal(t, history, tells())
	require.NoError(t, renew(t.Context(), l, row.WorkerID, func(r *leasestore.Row) { r.High++ }))
}
