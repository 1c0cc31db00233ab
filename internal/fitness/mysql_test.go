package fitness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
)

// sound are the settings of a server, or a node of a Galera cluster, without faults.
var sound = settings{
	"version": "8.0.36", "tx_isolation": "REPEATABLE-READ", "log_bin": "ON", "sync_binlog": "1", "wsrep_on": "OFF",
	"auto_increment_increment": "1", "auto_increment_offset": "1", "innodb_flush_log_at_trx_commit": "1",
	"wsrep_sync_wait": "1", "wsrep_trx_fragment_size": "0", "wsrep_cluster_status": "Primary", "wsrep_ready": "ON",
	"wsrep_cluster_size": "3", "wsrep_local_state_comment": "Synced",
}

// all returns all findings of a server.
func (s *server) all(disposable bool) []doctor.Finding {
	all := append(s.losses(), s.version(), s.isolation(), s.increment(disposable), s.writable(), s.replica())
	return append(all, s.node()...)
}

// Each row has one fault.
func TestSettingsOfMySQL(t *testing.T) {
	const version, isolation, binlog, apart = "server", "isolation", "sync_binlog", "wsrep_on"
	const flush, tidb = "innodb_flush_log_at_trx_commit", "8.0.11-TiDB-v8.1.0"
	const component, state, size = "wsrep_cluster_status", "wsrep_local_state_comment", "wsrep_cluster_size"
	const fragments, step = "wsrep_trx_fragment_size", "auto_increment_increment"
	for _, tt := range []struct {
		what string
		told settings
		want doctor.Level
		says string
	}{
		{version, nil, ok, "MySQL 8.0.36"},
		{version, settings{"version": "9.1.0-log"}, ok, "MySQL 9.1.0"},
		{version, settings{"version": "5.7.44-log"}, warn, "MySQL 5.7.44"},
		{version, settings{"version": "5.6.51"}, warn, ""},
		{version, settings{"version": "10.11.19-MariaDB-0+deb12u1"}, ok, "MariaDB 10.11.19"},
		{version, settings{"version": "10.2.4-MariaDB"}, ok, ""},
		{version, settings{"version": "10.2.3-MariaDB"}, warn, ""},
		{version, settings{"version": "10.1.48-MariaDB"}, warn, ""},
		{version, settings{"version": "11.4.2-MariaDB"}, ok, ""},
		{version, settings{"version": tidb}, ok, "TiDB"},
		{isolation, nil, ok, "REPEATABLE-READ"},
		{isolation, settings{"transaction_isolation": "READ-COMMITTED"}, ok, "READ-COMMITTED"},
		{isolation, settings{"tx_isolation": "READ-COMMITTED", "binlog_format": "MIXED"}, ok, ""},
		{isolation, settings{"tx_isolation": "READ-COMMITTED", "log_bin": "OFF", "binlog_format": "STATEMENT"}, ok, ""},
		{isolation, settings{"tx_isolation": "READ-COMMITTED", "binlog_format": "STATEMENT"}, bad, "STATEMENT"},
		{isolation, settings{"tx_isolation": "READ-UNCOMMITTED"}, warn, ""},
		{isolation, settings{"transaction_isolation": "SERIALIZABLE"}, note, ""},
		{step, nil, ok, "1, offset 1"},
		{step, settings{step: "7"}, warn, "7, offset 1"},
		{flush, settings{flush: "1"}, ok, "1"},
		{flush, settings{flush: "3"}, ok, "3"},
		{flush, settings{flush: "0"}, crash, "of the server"},
		{flush, settings{flush: "2"}, crash, "of the machine"},
		{binlog, settings{binlog: "0"}, crash, "0, not 1, and there is a binary log"},
		{binlog, settings{"log_bin": "1", binlog: "1000"}, crash, ""},
		{binlog, settings{binlog: ""}, crash, "unknown, not 1"},
		{binlog, settings{"log_bin": "OFF", binlog: "0"}, "", ""},
		{apart, nil, "", ""},
		{apart, settings{"wsrep_connected": "ON", "wsrep_on": "ON"}, "", ""},
		{apart, settings{"wsrep_connected": "OFF"}, "", ""},
		{apart, settings{"wsrep_connected": "ON"}, refused, "stay on this node"}, // the session writes alone
		{"Galera's durability", nil, "", ""},
		{"Galera's durability", settings{"wsrep_on": "ON"}, takeover, "AUTO_INCREMENT"},
		{"certification", settings{"wsrep_local_cert_failures": "7", "wsrep_local_bf_aborts": "2"}, note,
			"7 commits of this node failed it, 2 of its"},
		{component, nil, ok, "Primary, wsrep_ready ON"},
		{component, settings{component: "non-Primary"}, bad, "non-Primary, wsrep_ready ON"},
		{component, settings{component: "Disconnected"}, bad, ""},
		{component, settings{"wsrep_ready": "OFF"}, bad, "Primary, wsrep_ready OFF"},
		{state, nil, ok, "Synced"},
		{state, settings{state: "Donor/Desynced"}, warn, "Donor"},
		{size, nil, ok, "3"},
		{size, settings{size: "2"}, warn, "no majority"},
		{size, settings{size: "1"}, warn, "No other node"},
		{"wsrep_sync_wait", nil, ok, "1"},
		{"wsrep_sync_wait", settings{"wsrep_sync_wait": "0"}, note, "0 (of this session)"},
		{"wsrep_sync_wait", settings{"wsrep_sync_wait": "6"}, note, "6 (of this session)"},
		{fragments, nil, ok, "0"},
		{fragments, settings{fragments: "1000"}, warn, "1000"},
	} {
		told := sound.with(tt.told)
		checkFinding(t, find(t, (&server{vars: told, status: told}).all(true), tt.what), tt.want, tt.says)
	}
	leases := &server{vars: sound.with(settings{step: "7"})}
	checkFinding(t, leases.increment(false), note)
}

// A server that tells nothing loses nothing.
func TestNothingTold(t *testing.T) {
	for _, f := range append((&server{}).losses(), postgres{}.losses()...) {
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

// Each of the replicas that may take over has to have a commit before it is acknowledged.
func TestReplication(t *testing.T) {
	const wait = "rpl_semi_sync_source_wait_for_replica_count"
	const one = "1 (" + wait + ")"
	on := settings{"rpl_semi_sync_master_status": "ON"}
	group := settings{"group_replication_group_name": "x", "group_replication_single_primary_mode": "ON"}
	for name, tt := range map[string]struct {
		vars, status settings
		replicas     int64
		want         doctor.Level
		says         string
	}{
		"no binary log":    {settings{"log_bin": "OFF"}, nil, 0, ok, "no binary log"},
		"none":             {nil, nil, 0, ok, "no replica is connected"},
		"untold":           {nil, nil, -1, note, "could not be told"},
		"asynchronous":     {nil, nil, 2, takeover, "2 replicas are connected without semi-"},
		"off":              {nil, settings{"rpl_semi_sync_source_status": "OFF"}, 1, takeover, "1 connected, async"},
		"semi-synchronous": {nil, on, 1, note, "1 connected, semi-synchronous"},
		"one confirms":     {nil, on, 2, takeover, "waits for one replica's confirmation"},
		"one of them does": {settings{wait: "1"}, settings{"rpl_semi_sync_source_status": "ON"}, 2, takeover, one},
		"both do":          {settings{wait: "2"}, on, 2, note, "2 connected"},
		"two of three": {settings{"rpl_semi_sync_master_wait_for_slave_count": "2"}, on, 3, takeover,
			"waits for 2 (rpl_semi_sync_master_"},
		"Galera":           {settings{"wsrep_on": "ON"}, nil, 0, ok, "Galera"},
		"Galera's replica": {settings{"wsrep_on": "ON"}, nil, 2, takeover, "2 replicas"},
		"group":            {group, nil, 0, ok, "group replication"},
		"multi-primary": {group.with(settings{"group_replication_single_primary_mode": "OFF"}), nil, 0, note,
			"several servers accept writes"},
	} {
		s := &server{vars: settings{"log_bin": "ON"}.with(tt.vars), status: tt.status, replicas: max(0, tt.replicas),
			counted: tt.replicas >= 0}
		t.Run(name, func(t *testing.T) { checkFinding(t, s.replication(), tt.want, tt.says) })
	}
}

func TestFollowing(t *testing.T) {
	alone := source{told: true}
	follows := source{told: true, follower: true, running: true}
	for _, tt := range []struct {
		readOnly settings
		source
		writable, replica doctor.Level
		says              string
	}{
		{nil, source{}, ok, note, "could not be told"},
		{nil, alone, ok, ok, ""},
		{settings{"read_only": "NO_LOCK_NO_ADMIN"}, alone, bad, ok, ""},
		{settings{"read_only": "ON"}, follows, bad, bad, "read-only"},
		{nil, follows, ok, bad, "yes, and writable"},
		{nil, source{told: true, follower: true}, ok, warn, "set up, but stopped"},
	} {
		s := &server{vars: tt.readOnly, source: tt.source}
		checkFinding(t, s.writable(), tt.writable)
		checkFinding(t, s.replica(), tt.replica, tt.says)
	}
	s := &server{vars: settings{"read_only": "1", "super_read_only": "1"}}
	checkFinding(t, s.writable(), bad, "super_read_only is on")
}
