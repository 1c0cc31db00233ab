package database

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// One way in which a server can lose commits each.
func TestSettingsOfMySQL(t *testing.T) {
	durable := map[string]string{"innodb_flush_log_at_trx_commit": "1", "log_bin": "ON", "sync_binlog": "1", "wsrep_on": "OFF"}
	require.Empty(t, settingsOfMySQL(durable))
	require.Empty(t, settingsOfMySQL(nil), "a server that tells nothing")
	for _, c := range []struct {
		vars map[string]string
		says string
		by   LossBy
	}{
		{map[string]string{"innodb_flush_log_at_trx_commit": "0"}, "innodb_flush_log_at_trx_commit is 0, not 1", Crash},
		{map[string]string{"innodb_flush_log_at_trx_commit": "3"}, "", Crash},
		{map[string]string{"sync_binlog": "100"}, "sync_binlog is 100, not 1, and there is a binary log", Crash},
		{map[string]string{"sync_binlog": "0", "log_bin": "OFF"}, "", Crash},
		{map[string]string{"wsrep_on": "ON"}, "Galera", Takeover},
	} {
		vars := maps.Clone(durable)
		maps.Copy(vars, c.vars)
		losses := settingsOfMySQL(vars)
		if c.says == "" {
			require.Empty(t, losses)
			continue
		}
		require.Len(t, losses, 1)
		require.Contains(t, losses[0].Why, c.says)
		require.Equal(t, c.by, losses[0].By)
	}
}

// A replica can take over as it is, so that each has to have a commit before it is acknowledged.
func TestLackingReplica(t *testing.T) {
	const wait = "rpl_semi_sync_source_wait_for_replica_count"
	for _, c := range []struct {
		vars, status Settings
		replicas     int64
		says         string
	}{
		{nil, nil, 0, ""},
		{nil, nil, 2, "2 replicas are connected without semi-synchronous replication"},
		{nil, Settings{"rpl_semi_sync_source_status": "OFF"}, 1, "1 replicas are connected without"},
		{nil, Settings{"rpl_semi_sync_master_status": "ON"}, 1, ""},
		{nil, Settings{"rpl_semi_sync_master_status": "ON"}, 2, "waits for one replica's confirmation"},
		{Settings{wait: "1"}, Settings{"rpl_semi_sync_source_status": "ON"}, 2, "waits for 1 (" + wait + ")"},
		{Settings{wait: "2"}, Settings{"rpl_semi_sync_source_status": "ON"}, 2, ""},
		{Settings{"rpl_semi_sync_master_wait_for_slave_count": "2"},
			Settings{"rpl_semi_sync_master_status": "ON"}, 3, "waits for 2 (rpl_semi_sync_master_"},
	} {
		if why := LackingReplica(c.vars, c.status, c.replicas); c.says == "" {
			require.Empty(t, why, "%+v", c)
		} else {
			require.Contains(t, why, c.says, "%+v", c)
		}
	}
}

// A node of a Galera cluster to which a session writes alone.
func TestJudgeReplicated(t *testing.T) {
	for status, on := range map[string]string{"ON": "ON", "OFF": "OFF", "": ""} {
		require.Equal(t, Fine, JudgeReplicated(Settings{"wsrep_on": on}, Settings{"wsrep_connected": status}).Severity)
	}
	v := JudgeReplicated(Settings{"wsrep_on": "OFF"}, Settings{"wsrep_connected": "ON"})
	require.Equal(t, Wrong, v.Severity)
	require.Contains(t, v.Why, "stays on this node")
}

func TestSettingsOfPostgres(t *testing.T) {
	durable := map[string]string{"fsync": "on", "full_page_writes": "on",
		"synchronous_commit": "on", "synchronous_standby_names": ""}
	require.Empty(t, settingsOfPostgres(durable))
	require.Empty(t, settingsOfPostgres(nil), "a server that tells nothing")
	for _, c := range []struct {
		vars map[string]string
		says []Loss
	}{
		{map[string]string{"fsync": "off"}, []Loss{{"fsync is off, not on", Crash}}},
		{map[string]string{"full_page_writes": "off"}, []Loss{{"full_page_writes is off, not on", Crash}}},
		{map[string]string{"synchronous_commit": "off"}, []Loss{{"synchronous_commit is off", Crash}}},
		{map[string]string{"synchronous_commit": "local"}, nil},
		{map[string]string{"synchronous_commit": "local", "synchronous_standby_names": "a"},
			[]Loss{{"synchronous_commit is local: no standby need have a commit", Takeover}}},
		{map[string]string{"synchronous_commit": "remote_write", "synchronous_standby_names": "a"}, nil},
	} {
		vars := maps.Clone(durable)
		maps.Copy(vars, c.vars)
		require.Equal(t, c.says, settingsOfPostgres(vars))
	}
}

// A setting is good if each standby that it lists has to have a commit.
func TestLackingStandby(t *testing.T) {
	both, lacks := []string{"s1", "s2"}, "another one lacks the newest commits"
	for _, c := range []struct {
		setting   string
		connected []string
		says      string
	}{
		{"", nil, ""},
		{"", []string{"walreceiver"}, "1 standbys are connected asynchronously"},
		{"s1", both, ""},
		{"S1", []string{"s1"}, ""},
		{"s1, s2", both, "lists 2 standbys, and 1 of them must have a commit: " + lacks},
		{"1 (s1, s2)", both, "lists 2 standbys, and 1 of them"},
		{"FIRST 1 (s1, s2)", both, "lists 2 standbys, and 1 of them"},
		{"ANY 1 (s1,s2)", both, "lists 2 standbys, and 1 of them"},
		{"ANY 1 (s1,s2)", nil, "lists 2 standbys, and 1 of them"},
		{"any 2(s1,s2)", both, ""},
		{"FIRST 2 (s1, \"s2\")", both, ""},
		{"ANY 2 (s1, s2, s3)", both, "lists 3 standbys, and 2 of them"},
		{"1 (s1, S1)", []string{"s1"}, ""},
		{"ANY 1 (s1)", []string{"s1", "s1"}, "2 standbys are connected under the names"},
		{"walreceiver", []string{"walreceiver", "WalReceiver", "other"}, "2 standbys are connected under the names"},
		{"*", []string{"s1"}, "names no standby but * (any), and 1 of them"},
		{"ANY 2 (s1, \"*\")", both, "names no standby but *"},
		{"1 (\"a \"\"b\"\", (c)\")", []string{"a \"b\", (c)"}, ""},
	} {
		if why := LackingStandby(c.setting, c.connected); c.says == "" {
			require.Empty(t, why, c.setting)
		} else {
			require.Contains(t, why, c.says, c.setting)
		}
	}
}
