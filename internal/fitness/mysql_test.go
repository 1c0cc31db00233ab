package fitness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
)

// sound is what a server, or a node of a Galera cluster, says on which all is as it should be.
var sound = settings{
	"version": "8.0.36", "tx_isolation": "REPEATABLE-READ", "log_bin": "ON", "sync_binlog": "1", "wsrep_on": "OFF",
	"auto_increment_increment": "1", "auto_increment_offset": "1", "innodb_flush_log_at_trx_commit": "1",
	"wsrep_sync_wait": "1", "wsrep_trx_fragment_size": "0", "wsrep_cluster_status": "Primary", "wsrep_ready": "ON",
	"wsrep_cluster_size": "3", "wsrep_local_state_comment": "Synced",
}

// One thing each.
func TestSettingsOfMySQL(t *testing.T) {
	type s = server
	const flush, tidb = "innodb_flush_log_at_trx_commit", "8.0.11-TiDB-v8.1.0"
	const component, state, size = "wsrep_cluster_status", "wsrep_local_state_comment", "wsrep_cluster_size"
	const fragments = "wsrep_trx_fragment_size"
	for _, tt := range []struct {
		judge func(*server) doctor.Finding
		told  settings
		want  doctor.Level
		says  string
	}{
		{(*s).version, nil, ok, "MySQL 8.0.36"},
		{(*s).version, settings{"version": "9.1.0-log"}, ok, "MySQL 9.1.0"},
		{(*s).version, settings{"version": "5.7.44-log"}, warn, "MySQL 5.7.44"},
		{(*s).version, settings{"version": "5.6.51"}, warn, ""},
		{(*s).version, settings{"version": "10.11.19-MariaDB-0+deb12u1"}, ok, "MariaDB 10.11.19"},
		{(*s).version, settings{"version": "10.2.4-MariaDB"}, ok, ""},
		{(*s).version, settings{"version": "10.2.3-MariaDB"}, warn, ""},
		{(*s).version, settings{"version": "10.1.48-MariaDB"}, warn, ""},
		{(*s).version, settings{"version": "11.4.2-MariaDB"}, ok, ""},
		{(*s).version, settings{"version": tidb}, ok, "TiDB"},
		{(*s).isolation, nil, ok, "REPEATABLE-READ"},
		{(*s).isolation, settings{"transaction_isolation": "READ-COMMITTED"}, ok, "READ-COMMITTED"},
		{(*s).isolation, settings{"tx_isolation": "READ-COMMITTED", "binlog_format": "MIXED"}, ok, ""},
		{(*s).isolation, settings{"tx_isolation": "READ-COMMITTED", "log_bin": "OFF", "binlog_format": "STATEMENT"},
			ok, ""},
		{(*s).isolation, settings{"tx_isolation": "READ-COMMITTED", "binlog_format": "STATEMENT"}, bad, "STATEMENT"},
		{(*s).isolation, settings{"tx_isolation": "READ-UNCOMMITTED"}, warn, ""},
		{(*s).isolation, settings{"transaction_isolation": "SERIALIZABLE"}, note, ""},
		{(*s).flushing, settings{flush: "1"}, ok, "1"},
		{(*s).flushing, settings{flush: "3"}, ok, "3"},
		{(*s).flushing, settings{flush: "0"}, crash, "of the server"},
		{(*s).flushing, settings{flush: "2"}, crash, "of the machine"},
		{(*s).syncing, settings{"sync_binlog": "0"}, crash, "0, not 1, and there is a binary log"},
		{(*s).syncing, settings{"log_bin": "1", "sync_binlog": "1000"}, crash, ""},
		{(*s).apart, nil, "", ""},
		{(*s).apart, settings{"wsrep_connected": "ON", "wsrep_on": "ON"}, "", ""},
		{(*s).apart, settings{"wsrep_connected": "OFF"}, "", ""},
		{(*s).apart, settings{"wsrep_connected": "ON"}, refused, "stays on this node"}, // the session writes alone
		{(*s).durability, nil, "", ""},
		{(*s).durability, settings{"wsrep_on": "ON"}, takeover, "AUTO_INCREMENT"},
		{(*s).certification, settings{"wsrep_local_cert_failures": "7", "wsrep_local_bf_aborts": "2"}, note,
			"7 commits of this node failed it, 2 of its"},
		{(*s).component, nil, ok, "Primary, wsrep_ready ON"},
		{(*s).component, settings{component: "non-Primary"}, bad, "non-Primary, wsrep_ready ON"},
		{(*s).component, settings{component: "Disconnected"}, bad, ""},
		{(*s).component, settings{"wsrep_ready": "OFF"}, bad, "Primary, wsrep_ready OFF"},
		{(*s).nodeState, nil, ok, "Synced"},
		{(*s).nodeState, settings{state: "Donor/Desynced"}, warn, "Donor"},
		{(*s).clusterSize, nil, ok, "3"},
		{(*s).clusterSize, settings{size: "2"}, warn, "no majority"},
		{(*s).clusterSize, settings{size: "1"}, warn, "No other node"},
		{(*s).syncWait, nil, ok, "1"},
		{(*s).syncWait, settings{"wsrep_sync_wait": "0"}, note, "0 (of this session)"},
		{(*s).syncWait, settings{"wsrep_sync_wait": "6"}, note, "6 (of this session)"},
		{(*s).fragments, nil, ok, "0"},
		{(*s).fragments, settings{fragments: "1000"}, warn, "1000"},
	} {
		all := sound.with(tt.told)
		checkFinding(t, tt.judge(&server{vars: all, status: all}), tt.want, tt.says)
	}
	tiDB := &server{vars: sound.with(settings{"version": tidb, flush: "0", "sync_binlog": "0"})}
	quiet := &server{vars: sound.with(settings{"log_bin": "OFF", "sync_binlog": "0"})}
	for _, f := range []doctor.Finding{tiDB.flushing(), tiDB.syncing(), quiet.syncing()} {
		require.Zero(t, f)
	}
	steps := &server{vars: sound.with(settings{"auto_increment_increment": "7"})}
	checkFinding(t, (&server{vars: sound}).increment(true), ok, "1, offset 1")
	checkFinding(t, steps.increment(true), warn, "7, offset 1")
	checkFinding(t, steps.increment(false), note)
}

// A server that tells nothing loses nothing.
func TestNothingTold(t *testing.T) {
	s, p := &server{}, postgres{}
	for _, f := range []doctor.Finding{
		s.flushing(), s.syncing(), s.apart(), s.durability(), s.replication(),
		p.commit(), p.replication(), p.durable("fsync"),
	} {
		require.NotContains(t, []doctor.Level{crash, damage, takeover, refused}, f.Level, "%+v", f)
	}
}

func TestIDCache(t *testing.T) {
	const create = "CREATE TABLE `WORKER_NODE` (\n" +
		"  `ID` bigint(20) NOT NULL AUTO_INCREMENT,\n  PRIMARY KEY (`ID`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
	for rest, want := range map[string]doctor.Level{
		"": warn, " /*T![auto_id_cache] AUTO_ID_CACHE=1 */": ok, " AUTO_ID_CACHE=1": ok,
		" /*T![auto_id_cache] AUTO_ID_CACHE=100 */": warn,
	} {
		checkFinding(t, idCache(create+rest, "WORKER_NODE"), want)
	}
}
