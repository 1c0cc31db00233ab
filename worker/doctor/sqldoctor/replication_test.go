package sqldoctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

func TestJudgeReplication(t *testing.T) {
	yes, no, none, two := true, false, int64(0), int64(2)
	for _, tt := range []struct {
		name                         string
		r                            replication
		lacking                      doctor.Level
		writable, replica, replicas_ doctor.Level
	}{
		{"alone", replication{isReplica: &no}, doctor.LevelWarn, doctor.LevelOK, doctor.LevelOK, doctor.LevelOK},
		{"primary without replicas", replication{isReplica: &no, binlog: true, replicas: &none},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelOK, doctor.LevelOK},
		{"primary", replication{isReplica: &no, binlog: true, replicas: &two},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelOK, doctor.LevelWarn},
		{"primary of leases", replication{isReplica: &no, binlog: true, replicas: &two}, doctor.LevelNote, doctor.LevelOK, doctor.LevelOK, doctor.LevelNote},
		{"semi-synchronous", replication{isReplica: &no, binlog: true, replicas: &two, semiSync: true},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelOK, doctor.LevelNote},
		{"one confirmation of two",
			replication{isReplica: &no, binlog: true, replicas: &two, semiSync: true, lacking: "one lags"},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelOK, doctor.LevelWarn},
		{"untold", replication{binlog: true}, doctor.LevelWarn, doctor.LevelOK, doctor.LevelNote, doctor.LevelNote},
		{"replica", replication{isReplica: &yes, running: &yes, readOnly: "read_only"},
			doctor.LevelWarn, doctor.LevelError, doctor.LevelError, doctor.LevelOK},
		{"writable replica", replication{isReplica: &yes, running: &yes},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelError, doctor.LevelOK},
		{"stopped replica", replication{isReplica: &yes, running: &no},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelWarn, doctor.LevelOK},
		{"Galera", replication{isReplica: &no, cluster: "Galera", binlog: true, replicas: &two},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelOK, doctor.LevelOK},
		{"multi-primary", replication{isReplica: &no, cluster: "group replication", multiPrimary: true, binlog: true},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelOK, doctor.LevelNote},
		{"group replication", replication{isReplica: &no, cluster: "group replication", binlog: true},
			doctor.LevelWarn, doctor.LevelOK, doctor.LevelOK, doctor.LevelOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.r.judge(tt.lacking)
			require.Len(t, got, 3)
			checkFinding(t, got[0], tt.writable)
			checkFinding(t, got[1], tt.replica)
			checkFinding(t, got[2], tt.replicas_)
		})
	}
}

func TestReplicationOf(t *testing.T) {
	r := replicationOf(database.Settings{"log_bin": "ON", "read_only": "OFF"}, database.Settings{"slaves_connected": "3", "slaves_running": "0", "rpl_semi_sync_master_status": "ON"})
	require.True(t, r.binlog)
	require.True(t, r.semiSync)
	require.False(t, *r.running)
	require.Nil(t, r.isReplica, "one that is stopped may be one")
	require.Empty(t, r.readOnly)

	r = replicationOf(database.Settings{"read_only": "ON", "wsrep_on": "ON"}, database.Settings{"slaves_running": "1"})
	require.True(t, *r.isReplica)
	require.Equal(t, "read_only", r.readOnly)
	require.Equal(t, "Galera", r.cluster)

	r = replicationOf(database.Settings{"group_replication_group_name": "x", "group_replication_single_primary_mode": "ON", "super_read_only": "ON"}, database.Settings{})
	require.Equal(t, "group replication", r.cluster)
	require.False(t, r.multiPrimary)
	require.Equal(t, "super_read_only", r.readOnly)
	require.Nil(t, r.replicas)
	r = replicationOf(database.Settings{"group_replication_group_name": "x", "group_replication_single_primary_mode": "OFF"}, database.Settings{"rpl_semi_sync_source_clients": "2"})
	require.True(t, r.multiPrimary)
	require.Equal(t, "read_only", replicationOf(database.Settings{"read_only": "NO_LOCK_NO_ADMIN"}, database.Settings{}).readOnly)
}
