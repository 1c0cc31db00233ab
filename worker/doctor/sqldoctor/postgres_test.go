package sqldoctor

import (
	"testing"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

func TestJudgePostgres(t *testing.T) {
	const ok, note, warn, wrong = doctor.LevelOK, doctor.LevelNote, doctor.LevelWarn, doctor.LevelError
	checkFinding(t, judgePostgresIsolation("read committed"), ok)
	checkFinding(t, judgePostgresIsolation("serializable"), note)
	checkFinding(t, judgePostgresWritable(false, database.Settings{"default_transaction_read_only": "off"}), ok, "yes")
	checkFinding(t, judgePostgresWritable(false, database.Settings{"default_transaction_read_only": "on"}), wrong, "default_transaction_read_only is on")
	checkFinding(t, judgePostgresWritable(true, database.Settings{}), wrong, "a standby")
	checkFinding(t, judgeWhole(database.Settings{"fsync": "on"}, "fsync"), ok)
	checkFinding(t, judgeWhole(database.Settings{"fsync": "off"}, "fsync"), wrong, "off")
	for _, loss := range []doctor.Level{note, wrong} {
		for _, tt := range []struct {
			commit, names string
			want          doctor.Level
		}{{"on", "", ok}, {"remote_apply", "x", ok}, {"local", "", ok}, {"local", "x", loss}, {"off", "", loss}, {"off", "x", loss}} {
			checkFinding(t, judgeSynchronousCommit(database.Settings{"synchronous_commit": tt.commit, "synchronous_standby_names": tt.names}, loss), tt.want, tt.commit)
		}
	}
	checkFinding(t, judgeStandbys("", nil, warn), ok, "no standby")
	checkFinding(t, judgeStandbys("", []string{"a", "b"}, warn), warn, "2 connected, asynchronous")
	checkFinding(t, judgeStandbys("", []string{"a", "b"}, note), note)
	checkFinding(t, judgeStandbys("a", []string{"a", "b"}, warn), note, "2 connected, synchronous_standby_names")
	checkFinding(t, judgeStandbys("ANY 1 (a, b)", []string{"a", "b"}, warn), warn, "lists 2 standbys, and 1 of them")
	checkFinding(t, judgeStandbys("ANY 1 (a, b)", []string{"a", "b"}, note), note)
	checkFinding(t, judgeWALLevel("replica"), ok)
	checkFinding(t, judgeWALLevel("minimal"), note)
	checkFinding(t, judgeIndexes(nil), ok)
	checkFinding(t, judgeIndexes([]string{"lease_until"}), warn, "also of lease_until")
	checkFinding(t, judgeFillFactor(80, "l"), ok, "80")
	checkFinding(t, judgeFillFactor(100, "l"), note, "ALTER TABLE l SET (fillfactor = 80)")
	needs := map[string][]string{"l": {"SELECT", "INSERT", "UPDATE"}}
	checkFinding(t, judgePostgresGrants(false, needs, needs), ok, "SELECT, INSERT, UPDATE on l")
	checkFinding(t, judgePostgresGrants(false, nil, needs), wrong, "none", "lacks: INSERT on l, SELECT on l, UPDATE on l.")
	checkFinding(t, judgePostgresGrants(true, needs, needs), warn, "a superuser")
	checkFinding(t, judgePostgresGrants(false, map[string][]string{"l": {"SELECT", "INSERT", "UPDATE", "DELETE"}}, needs), warn, "DELETE on l")
}
