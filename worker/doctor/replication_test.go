package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
)

func TestJudgeReplication(t *testing.T) {
	yes, no, none, two := true, false, int64(0), int64(2)
	for _, tt := range []struct {
		name                         string
		r                            replication
		loss                         Level
		writable, replica, replicas_ Level
	}{
		{"alone", replication{isReplica: &no}, LevelError, LevelOK, LevelOK, LevelOK},
		{"primary without replicas", replication{isReplica: &no, binlog: true, replicas: &none}, LevelError, LevelOK, LevelOK, LevelOK},
		{"primary", replication{isReplica: &no, binlog: true, replicas: &two}, LevelError, LevelOK, LevelOK, LevelWarn},
		{"primary of leases", replication{isReplica: &no, binlog: true, replicas: &two}, LevelNote, LevelOK, LevelOK, LevelNote},
		{"semi-synchronous", replication{isReplica: &no, binlog: true, replicas: &two, semiSync: true}, LevelError, LevelOK, LevelOK, LevelNote},
		{"untold", replication{binlog: true}, LevelError, LevelOK, LevelNote, LevelNote},
		{"replica", replication{isReplica: &yes, running: &yes, readOnly: "read_only"}, LevelError, LevelError, LevelError, LevelOK},
		{"writable replica", replication{isReplica: &yes, running: &yes}, LevelError, LevelOK, LevelError, LevelOK},
		{"stopped replica", replication{isReplica: &yes, running: &no}, LevelError, LevelOK, LevelWarn, LevelOK},
		{"Galera", replication{isReplica: &no, cluster: "Galera", multiPrimary: true, binlog: true, replicas: &two}, LevelError, LevelOK, LevelOK, LevelNote},
		{"group replication", replication{isReplica: &no, cluster: "group replication", binlog: true}, LevelError, LevelOK, LevelOK, LevelOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.r.judge(tt.loss)
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
	require.EqualValues(t, 3, *r.replicas)
	require.False(t, *r.running)
	require.Nil(t, r.isReplica, "one that is stopped may be one")
	require.Empty(t, r.readOnly)

	r = replicationOf(database.Settings{"read_only": "ON", "wsrep_on": "ON"}, database.Settings{"slaves_running": "1", "wsrep_connected": "ON"})
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
	require.EqualValues(t, 2, *r.replicas)
	require.Equal(t, "read_only", replicationOf(database.Settings{"read_only": "NO_LOCK_NO_ADMIN"}, database.Settings{}).readOnly)
}
