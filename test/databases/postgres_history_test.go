package databases_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
)

// What PostgreSQL remembers of the table besides: it is another thing after each start, after a process was
// killed, which starts all others anew and loses what was not flushed yet, and once the table was
// emptied, or another schema has taken the place of its own. (For a copy of the database see test/promise.) What
// VACUUM, ANALYZE and an index do does not change it.
func TestHistoryOnPostgres(t *testing.T) {
	s := postgres(t)
	db := opening(t, "pgx", s.URL(s.Addr(0)))
	owner := ownerOf(t, db)
	history := historyOf(t, owner)
	t.Log(history)
	for what, c := range map[string]struct {
		moves bool
		do    func()
	}{
		"upkeep": {false, func() {
			engines.Do(t, db, "VACUUM ANALYZE worker_lease", "CREATE INDEX i ON worker_lease (high)",
				"VACUUM (FREEZE)", "CREATE TABLE other (n INT)", "DROP TABLE other")
		}},
		"a schema renamed there and back": {true, func() {
			engines.Do(t, db, "ALTER SCHEMA public RENAME TO away", "ALTER SCHEMA away RENAME TO public")
		}},
		"emptied and filled": {true, func() {
			engines.Do(t, db, "CREATE TABLE kept AS SELECT * FROM worker_lease", "TRUNCATE worker_lease",
				"INSERT INTO worker_lease SELECT * FROM kept", "DROP TABLE kept")
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
			began := func() string { return one[string](t, db, "SELECT pg_postmaster_start_time()::text") }
			before := began()
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			for err == nil { // until the server has ended the others, too
				_, err = other.ExecContext(t.Context(), "SELECT 1")
			}
			historyOf(t, owner)
			require.Equal(t, before, began(), "the server itself goes on")
		}},
	} {
		c.do()
		now := historyOf(t, owner)
		require.Equal(t, c.moves, now != history, "%s: %s", what, now)
		require.Equal(t, now, historyOf(t, owner))
		history = now
	}
	// A program with no other right than on the table sees all of it.
	engines.Do(t, db, "CREATE ROLE app LOGIN", "GRANT SELECT, INSERT, UPDATE ON worker_lease TO app")
	history = historyOf(t, owner) // for nothing: a GRANT is a change of the table
	app := opening(t, "pgx", s.URL(s.Addr(0))+"&user=app")
	require.Equal(t, "app", one[string](t, app, "SELECT current_user"))
	other := strangerOf(app, "")
	other.row, other.nonces = owner.row, owner.nonces
	require.Equal(t, history, historyOf(t, other))
	require.NoError(t, other.renew(t.Context()))
}
