package fitness

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
)

// A replica can take over as it is, so that each has to have a commit before it is acknowledged.
func TestLackingReplica(t *testing.T) {
	const wait = "rpl_semi_sync_source_wait_for_replica_count"
	for _, c := range []struct {
		vars, status settings
		replicas     int64
		says         string
	}{
		{nil, nil, 0, ""},
		{nil, nil, 2, "2 replicas are connected without semi-synchronous replication"},
		{nil, settings{"rpl_semi_sync_source_status": "OFF"}, 1, "1 replicas are connected without"},
		{nil, settings{"rpl_semi_sync_master_status": "ON"}, 1, ""},
		{nil, settings{"rpl_semi_sync_master_status": "ON"}, 2, "waits for one replica's confirmation"},
		{settings{wait: "1"}, settings{"rpl_semi_sync_source_status": "ON"}, 2, "waits for 1 (" + wait + ")"},
		{settings{wait: "2"}, settings{"rpl_semi_sync_source_status": "ON"}, 2, ""},
		{settings{"rpl_semi_sync_master_wait_for_slave_count": "2"},
			settings{"rpl_semi_sync_master_status": "ON"}, 3, "waits for 2 (rpl_semi_sync_master_"},
	} {
		semiSync := c.status.on("rpl_semi_sync_master_status", "rpl_semi_sync_source_status")
		r := replicas{connected: c.replicas, semiSync: semiSync}
		if why := r.lacks(c.vars); c.says == "" {
			require.Empty(t, why, "%+v", c)
		} else {
			require.Contains(t, why, c.says, "%+v", c)
		}
	}
}

func TestReplication(t *testing.T) {
	alone := source{told: true}
	follows, stopped := source{told: true, follower: true, running: true}, source{told: true, follower: true}
	group := settings{"group_replication_group_name": "x", "group_replication_single_primary_mode": "ON"}
	none, two := replicas{counted: true}, replicas{counted: true, connected: 2, lacking: "2 lag"}
	synced := replicas{counted: true, connected: 2, semiSync: true}
	lagging := replicas{counted: true, connected: 2, semiSync: true, lacking: "1 lags"}
	galera, many := settings{"wsrep_on": "ON"}, group.with(settings{"group_replication_single_primary_mode": "OFF"})
	for name, tt := range map[string]struct {
		s                           server
		writable, replica, replica_ doctor.Level
		says                        string
	}{
		"alone":            {server{vars: settings{"log_bin": "OFF"}, source: alone}, ok, ok, ok, "no binary log"},
		"no replicas":      {server{source: alone, replicas: none}, ok, ok, ok, "no replica is connected"},
		"primary":          {server{source: alone, replicas: two}, ok, ok, takeover, "2 connected, asynchronous"},
		"semi-synchronous": {server{source: alone, replicas: synced}, ok, ok, note, "2 connected, semi-synchronous"},
		"one confirms":     {server{source: alone, replicas: lagging}, ok, ok, takeover, "semi-synchronous"},
		"untold":           {server{}, ok, note, note, "could not be told"},
		"replica":          {server{vars: settings{"read_only": "ON"}, source: follows}, bad, bad, note, "read-only"},
		"of more kinds": {server{vars: settings{"read_only": "NO_LOCK_NO_ADMIN"}, source: alone},
			bad, ok, note, "read_only is on"},
		"all of them": {server{vars: settings{"read_only": "1", "super_read_only": "1"}, source: alone},
			bad, ok, note, "super_read_only is on"},
		"writable replica": {server{source: follows}, ok, bad, note, "yes, and writable"},
		"stopped replica":  {server{source: stopped}, ok, warn, note, "set up, but stopped"},
		"Galera":           {server{vars: galera, source: alone, replicas: none}, ok, ok, ok, "Galera"},
		"Galera's replica": {server{vars: galera, source: alone, replicas: two}, ok, ok, takeover, "2 lag"},
		"group":            {server{vars: group, source: alone, replicas: none}, ok, ok, ok, "group replication"},
		"multi-primary":    {server{vars: many, source: alone}, ok, ok, note, "several servers accept writes"},
	} {
		tt.s.vars = settings{"log_bin": "ON"}.with(tt.s.vars)
		writable, replica, replication := tt.s.writable(), tt.s.replica(), tt.s.replication()
		checkFinding(t, writable, tt.writable)
		checkFinding(t, replica, tt.replica)
		checkFinding(t, replication, tt.replica_)
		require.Contains(t, fmt.Sprint(writable, replica, replication), tt.says, name)
	}
}
