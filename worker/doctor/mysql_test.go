package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
)

func TestJudgeVersion(t *testing.T) {
	for version, want := range map[string]Level{
		"8.0.36": LevelOK, "9.1.0-log": LevelOK, "5.7.44-log": LevelWarn, "5.6.51": LevelWarn,
		"10.11.19-MariaDB-0+deb12u1": LevelOK, "10.2.4-MariaDB": LevelOK, "10.2.3-MariaDB": LevelWarn, "10.1.48-MariaDB": LevelWarn,
		"11.4.2-MariaDB": LevelOK, "8.0.11-TiDB-v8.1.0": LevelOK,
	} {
		checkFinding(t, judgeVersion(database.Settings{"version": version}), want)
	}
}

func TestJudgeIsolation(t *testing.T) {
	for _, tt := range []struct {
		vars database.Settings
		want Level
	}{
		{database.Settings{"tx_isolation": "REPEATABLE-READ"}, LevelOK},
		{database.Settings{"transaction_isolation": "READ-COMMITTED"}, LevelOK},
		{database.Settings{"tx_isolation": "READ-COMMITTED", "log_bin": "ON", "binlog_format": "MIXED"}, LevelOK},
		{database.Settings{"tx_isolation": "READ-COMMITTED", "log_bin": "OFF", "binlog_format": "STATEMENT"}, LevelOK},
		{database.Settings{"tx_isolation": "READ-COMMITTED", "log_bin": "ON", "binlog_format": "STATEMENT"}, LevelError},
		{database.Settings{"tx_isolation": "READ-UNCOMMITTED"}, LevelWarn},
		{database.Settings{"transaction_isolation": "SERIALIZABLE"}, LevelNote},
	} {
		checkFinding(t, judgeIsolation(tt.vars), tt.want)
	}
}

func TestJudgeIncrement(t *testing.T) {
	for _, tt := range []struct {
		step       string
		disposable bool
		want       Level
	}{{"1", true, LevelOK}, {"7", true, LevelWarn}, {"7", false, LevelNote}} {
		f := judgeIncrement(database.Settings{"auto_increment_increment": tt.step, "auto_increment_offset": "1"}, tt.disposable)
		checkFinding(t, f, tt.want, tt.step+", offset 1")
	}
}

func TestJudgeLoss(t *testing.T) {
	for _, loss := range []Level{LevelNote, LevelError} {
		for v, want := range map[string]Level{"1": LevelOK, "3": LevelOK, "0": loss, "2": loss} {
			checkFinding(t, judgeFlush(database.Settings{"innodb_flush_log_at_trx_commit": v}, loss), want, v)
		}
		checkFinding(t, judgeBinlogSync(database.Settings{"log_bin": "ON", "sync_binlog": "1"}, loss), LevelOK)
		checkFinding(t, judgeBinlogSync(database.Settings{"log_bin": "ON", "sync_binlog": "0"}, loss), loss)
		checkFinding(t, judgeBinlogSync(database.Settings{"log_bin": "1", "sync_binlog": "1000"}, loss), loss)
		require.Empty(t, judgeBinlogSync(database.Settings{"log_bin": "OFF", "sync_binlog": "0"}, loss))
		require.Empty(t, judgeFlush(database.Settings{"version": "8.0.11-TiDB-v8.1.0", "innodb_flush_log_at_trx_commit": "0"}, loss))
	}
	for _, tt := range []struct {
		c    check
		want Level
	}{
		{check{}, LevelError}, // nobody knows what will be used
		{check{hasNodes: true}, LevelError},
		{check{hasNodes: true, hasLease: true}, LevelError},
		{check{hasLease: true}, LevelNote},
		{check{hasLease: true, Config: Config{DurableStore: true}}, LevelError},
	} {
		require.Equal(t, tt.want, tt.c.lossLevel())
	}
}

func TestJudgeIDCache(t *testing.T) {
	const create = "CREATE TABLE `WORKER_NODE` (\n  `ID` bigint(20) NOT NULL AUTO_INCREMENT,\n  PRIMARY KEY (`ID`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
	for rest, want := range map[string]Level{
		"": LevelWarn, " /*T![auto_id_cache] AUTO_ID_CACHE=1 */": LevelOK, " AUTO_ID_CACHE=1": LevelOK,
		" /*T![auto_id_cache] AUTO_ID_CACHE=100 */": LevelWarn,
	} {
		checkFinding(t, judgeIDCache(create+rest, "WORKER_NODE"), want)
	}
}
