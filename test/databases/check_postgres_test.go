package databases_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
)

func TestCheckPostgres(t *testing.T) {
	url := engines.NewPostgres(t).Source
	admin := opening(t, "pgx", url)
	m := checked(t, admin, doctor.Config{})
	require.Equal(t, carefulServer, m.levels(), "%+v", m)
	both(t, admin)

	engines.Do(t, admin, "CREATE ROLE checker LOGIN", "GRANT SELECT, INSERT ON worker_node TO checker",
		"GRANT SELECT, INSERT, UPDATE ON worker_lease TO checker")
	me := opening(t, "pgx", url+"&user=checker")
	m = checked(t, me, doctor.Config{MaxWorkerID: 1000})
	require.Equal(t, badness{"spaces of worker IDs": doctor.LevelNote}, m.levels(), "%+v", m)
	require.Equal(t, "SELECT, INSERT on worker_node; SELECT, INSERT, UPDATE on worker_lease", m["grants"].Value)

	require.Equal(t, "next ID not told, largest ID 1", m["counter of disposable IDs"].Value, "without rights")

	engines.Do(t, admin, "REVOKE UPDATE ON worker_lease FROM checker")
	require.Contains(t, checked(t, me, doctor.Config{})["grants"].Why, "lacks: UPDATE on worker_lease.")

	engines.Do(t, admin,
		"CREATE INDEX odd ON worker_lease (lease_until)", "ALTER TABLE worker_lease RESET (fillfactor)")
	m = checked(t, admin, doctor.Config{})
	require.Equal(t, "also of lease_until", m["indexes"].Value)
	require.Equal(t, doctor.LevelNote, m["fillfactor"].Level)
	engines.Do(t, admin, m["fillfactor"].Do, "DROP INDEX odd", "CREATE INDEX odd ON worker_lease ((lease_until + 1))")
	m = checked(t, admin, doctor.Config{})
	require.Equal(t, "also of an expression", m["indexes"].Value)
	require.Equal(t, doctor.LevelOK, m["fillfactor"].Level)

	putNode(t, admin, 2)
	f := checked(t, admin, doctor.Config{})["counter of disposable IDs"]
	require.Equal(t, doctor.LevelError, f.Level, "%+v", f)
	engines.Do(t, admin, f.Do)
	require.Equal(t, doctor.LevelOK, checked(t, admin, doctor.Config{})["counter of disposable IDs"].Level)

	for param, want := range map[string]struct {
		what  string
		level doctor.Level
	}{
		"synchronous_commit=off":                     {"synchronous_commit", doctor.LevelError},
		"default_transaction_isolation=serializable": {"isolation", doctor.LevelNote},
		"default_transaction_read_only=on":           {"writable", doctor.LevelError},
	} {
		f := checked(t, opening(t, "pgx", url+"&"+param), doctor.Config{})[want.what]
		require.Equal(t, want.level, f.Level, "%+v", f)
	}
}

func TestCheckPostgresPair(t *testing.T) {
	p := postgresPair(t)
	db := opening(t, "pgx", p.URL(p.Addr()))
	both(t, db)
	require.NoError(t, p.CatchUp())
	m := checked(t, db, doctor.Config{})
	m.is(t, "replication", doctor.LevelWarn, "1 connected, asynchronous")
	require.Equal(t, "yes", m["writable"].Value)
}

// A column is judged by the type that a domain stands for, and no type of others is taken for one of PostgreSQL's.
func TestColumnsOfPostgres(t *testing.T) {
	db := engines.NewPostgres(t).Open(t)
	owner := tenantOf(t, db)
	engines.Do(t, db, "DELETE FROM worker_lease", "CREATE TYPE long_text AS ENUM ('x')",
		"CREATE DOMAIN wide AS VARCHAR(200)", "CREATE DOMAIN narrow AS VARCHAR(10)")
	for kind, says := range map[string]string{
		"VARCHAR(127)": "column HOLDER holds 127 characters", "VARCHAR(128)": "", "TEXT": "", "wide": "",
		"narrow": "column HOLDER holds 10 characters", "long_text": "column HOLDER is of type not known",
	} {
		engines.Do(t, db, "ALTER TABLE worker_lease ALTER holder TYPE "+kind+
			" USING CAST(CAST(holder AS TEXT) AS "+kind+")")
		if says == "" {
			inspected(t, owner)
			continue
		}
		_, err := owner.Inspect(t.Context())
		logtest.Error(t, err, uid.ErrConfig, says)
	}
}
