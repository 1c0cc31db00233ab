package sqldoctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

func TestJudgeVersion(t *testing.T) {
	for version, want := range map[string]doctor.Level{
		"8.0.36": doctor.LevelOK, "9.1.0-log": doctor.LevelOK, "5.7.44-log": doctor.LevelWarn, "5.6.51": doctor.LevelWarn,
		"10.11.19-MariaDB-0+deb12u1": doctor.LevelOK, "10.2.4-MariaDB": doctor.LevelOK, "10.2.3-MariaDB": doctor.LevelWarn, "10.1.48-MariaDB": doctor.LevelWarn,
		"11.4.2-MariaDB": doctor.LevelOK, "8.0.11-TiDB-v8.1.0": doctor.LevelOK,
	} {
		checkFinding(t, judgeVersion(database.Settings{"version": version}), want)
	}
}

func TestJudgeIsolation(t *testing.T) {
	for _, tt := range []struct {
		vars database.Settings
		want doctor.Level
	}{
		{database.Settings{"tx_isolation": "REPEATABLE-READ"}, doctor.LevelOK},
		{database.Settings{"transaction_isolation": "READ-COMMITTED"}, doctor.LevelOK},
		{database.Settings{"tx_isolation": "READ-COMMITTED", "log_bin": "ON", "binlog_format": "MIXED"}, doctor.LevelOK},
		{database.Settings{"tx_isolation": "READ-COMMITTED", "log_bin": "OFF", "binlog_format": "STATEMENT"}, doctor.LevelOK},
		{database.Settings{"tx_isolation": "READ-COMMITTED", "log_bin": "ON", "binlog_format": "STATEMENT"}, doctor.LevelError},
		{database.Settings{"tx_isolation": "READ-UNCOMMITTED"}, doctor.LevelWarn},
		{database.Settings{"transaction_isolation": "SERIALIZABLE"}, doctor.LevelNote},
	} {
		checkFinding(t, judgeIsolation(tt.vars), tt.want)
	}
}

func TestJudgeIncrement(t *testing.T) {
	for _, tt := range []struct {
		step       string
		disposable bool
		want       doctor.Level
	}{{"1", true, doctor.LevelOK}, {"7", true, doctor.LevelWarn}, {"7", false, doctor.LevelNote}} {
		f := judgeIncrement(database.Settings{"auto_increment_increment": tt.step, "auto_increment_offset": "1"}, tt.disposable)
		checkFinding(t, f, tt.want, tt.step+", offset 1")
	}
}

func TestJudgeLoss(t *testing.T) {
	for _, loss := range []doctor.Level{doctor.LevelNote, doctor.LevelError} {
		for v, want := range map[string]doctor.Level{"1": doctor.LevelOK, "3": doctor.LevelOK, "0": loss, "2": loss} {
			checkFinding(t, judgeFlush(database.Settings{"innodb_flush_log_at_trx_commit": v}, loss), want, v)
		}
		checkFinding(t, judgeBinlogSync(database.Settings{"log_bin": "ON", "sync_binlog": "1"}, loss), doctor.LevelOK)
		checkFinding(t, judgeBinlogSync(database.Settings{"log_bin": "ON", "sync_binlog": "0"}, loss), loss)
		checkFinding(t, judgeBinlogSync(database.Settings{"log_bin": "1", "sync_binlog": "1000"}, loss), loss)
		require.Empty(t, judgeBinlogSync(database.Settings{"log_bin": "OFF", "sync_binlog": "0"}, loss))
		require.Empty(t, judgeFlush(database.Settings{"version": "8.0.11-TiDB-v8.1.0", "innodb_flush_log_at_trx_commit": "0"}, loss))
	}
	for _, tt := range []struct {
		e    exam
		want doctor.Level
	}{
		{exam{}, doctor.LevelError}, // nobody knows what will be used
		{exam{hasNodes: true}, doctor.LevelError},
		{exam{hasNodes: true, hasLease: true}, doctor.LevelError},
		{exam{hasLease: true}, doctor.LevelNote},
		{exam{hasLease: true, Config: doctor.Config{Never: true}}, doctor.LevelError},
	} {
		require.Equal(t, tt.want, tt.e.lossLevel())
	}
}

func TestJudgeIDCache(t *testing.T) {
	const create = "CREATE TABLE `WORKER_NODE` (\n  `ID` bigint(20) NOT NULL AUTO_INCREMENT,\n  PRIMARY KEY (`ID`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
	for rest, want := range map[string]doctor.Level{
		"": doctor.LevelWarn, " /*T![auto_id_cache] AUTO_ID_CACHE=1 */": doctor.LevelOK, " AUTO_ID_CACHE=1": doctor.LevelOK,
		" /*T![auto_id_cache] AUTO_ID_CACHE=100 */": doctor.LevelWarn,
	} {
		checkFinding(t, judgeIDCache(create+rest, "WORKER_NODE"), want)
	}
}
