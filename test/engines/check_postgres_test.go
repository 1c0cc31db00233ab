package engines_test

import (
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/test/engines/cluster"
)

func TestCheckPostgres(t *testing.T) {
	s, err := cluster.StartPostgres("check")
	cluster.For(t, s, err)
	url := s.URL(s.Addr(0))
	admin := openSQL(t, "pgx", url)
	m := checked(t, examinedSQL(t, admin), doctor.Config{})
	require.Equal(t, badness{"disposable IDs": doctor.LevelNote, "leased IDs": doctor.LevelNote, "grants": doctor.LevelWarn}, m.levels(), "%+v", m)
	used(t, examinedSQL(t, admin))

	do(t, admin, "CREATE ROLE me LOGIN", "GRANT SELECT, INSERT ON worker_node TO me", "GRANT SELECT, INSERT, UPDATE ON worker_lease TO me")
	me := openSQL(t, "pgx", url+"&user=me")
	m = checked(t, examinedSQL(t, me), doctor.Config{MaxWorkerID: 1000})
	require.Equal(t, badness{"spaces of worker IDs": doctor.LevelNote}, m.levels(), "%+v", m)
	require.Equal(t, "SELECT, INSERT on worker_node; SELECT, INSERT, UPDATE on worker_lease", m["grants"].Value)

	require.Equal(t, "next ID not told, largest ID 1", m["counter of disposable IDs"].Value, "to who may not read the sequence")

	do(t, admin, "REVOKE UPDATE ON worker_lease FROM me")
	m = checked(t, examinedSQL(t, me), doctor.Config{})
	require.Contains(t, m["grants"].Why, "lacks: UPDATE on worker_lease.")

	do(t, admin, "CREATE INDEX odd ON worker_lease (lease_until)", "ALTER TABLE worker_lease RESET (fillfactor)")
	m = checked(t, examinedSQL(t, admin), doctor.Config{})
	require.Equal(t, "also of lease_until", m["indexes"].Value)
	require.Equal(t, doctor.LevelNote, m["fillfactor"].Level)
	do(t, admin, m["fillfactor"].Do, "DROP INDEX odd", "CREATE INDEX odd ON worker_lease ((lease_until + 1))")
	m = checked(t, examinedSQL(t, admin), doctor.Config{})
	require.Equal(t, "also of an expression", m["indexes"].Value)
	require.Equal(t, doctor.LevelOK, m["fillfactor"].Level)

	do(t, admin, "INSERT INTO worker_node (id, host_name, port, type, launch_date) VALUES (2, '', '', 1, '2026-01-01')")
	f := checked(t, examinedSQL(t, admin), doctor.Config{})["counter of disposable IDs"]
	require.Equal(t, doctor.LevelError, f.Level, "%+v", f)
	do(t, admin, f.Do)
	require.Equal(t, doctor.LevelOK, checked(t, examinedSQL(t, admin), doctor.Config{})["counter of disposable IDs"].Level)

	for param, want := range map[string]struct {
		what  string
		level doctor.Level
	}{
		"synchronous_commit=off":                     {"synchronous_commit", doctor.LevelError},
		"default_transaction_isolation=serializable": {"isolation", doctor.LevelNote},
		"default_transaction_read_only=on":           {"writable", doctor.LevelError},
	} {
		f := checked(t, examinedSQL(t, openSQL(t, "pgx", url+"&"+param)), doctor.Config{})[want.what]
		require.Equal(t, want.level, f.Level, "%+v", f)
	}
}

func TestCheckPostgresPair(t *testing.T) {
	p, err := cluster.StartPostgresPair("check")
	cluster.For(t, p, err)
	db := openSQL(t, "pgx", p.URL(p.Addr()))
	used(t, examinedSQL(t, db))
	require.NoError(t, p.CatchUp())
	m := checked(t, examinedSQL(t, db), doctor.Config{})
	require.Equal(t, "1 connected, asynchronous", m["replication"].Value)
	require.Equal(t, doctor.LevelWarn, m["replication"].Level)
	require.Equal(t, "yes", m["writable"].Value)
}
