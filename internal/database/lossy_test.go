package database

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// One way in which a server can lose commits each.
func TestLossySettings(t *testing.T) {
	durable := map[string]string{"innodb_flush_log_at_trx_commit": "1", "log_bin": "ON", "sync_binlog": "1", "wsrep_on": "OFF"}
	quiet := map[string]string{"slaves_connected": "0"}
	require.Empty(t, LossySettings(durable, quiet))
	require.Empty(t, LossySettings(nil, nil), "a server that tells nothing")
	for _, c := range []struct {
		vars, status map[string]string
		says         string
	}{
		{map[string]string{"innodb_flush_log_at_trx_commit": "0"}, nil, "innodb_flush_log_at_trx_commit is 0, not 1"},
		{map[string]string{"sync_binlog": "100"}, nil, "sync_binlog is 100, not 1, and there is a binary log"},
		{map[string]string{"sync_binlog": "0", "log_bin": "OFF"}, nil, ""},
		{map[string]string{"wsrep_on": "ON"}, nil, "Galera"},
		{nil, map[string]string{"slaves_connected": "2"}, "2 replicas"},
		{nil, map[string]string{"slaves_connected": "2", "rpl_semi_sync_master_status": "ON"}, ""},
		{nil, map[string]string{"replicas_connected": "1", "rpl_semi_sync_source_status": "OFF"}, "1 replicas"},
	} {
		vars, status := map[string]string{}, map[string]string{}
		for _, m := range []map[string]string{durable, c.vars} {
			for k, v := range m {
				vars[k] = v
			}
		}
		for k, v := range c.status {
			status[k] = v
		}
		why := LossySettings(vars, status)
		if c.says == "" {
			require.Empty(t, why)
			continue
		}
		require.Len(t, why, 1)
		require.Contains(t, why[0], c.says)
	}
}
