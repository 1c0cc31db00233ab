package database

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
)

func lossesOfMySQL(ctx context.Context, conn *sqlx.Conn) ([]Loss, error) {
	vars, err := ReadSettings(ctx, conn,
		"SHOW VARIABLES WHERE Variable_name IN ('version', 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog',"+
			" 'wsrep_on', 'rpl_semi_sync_master_wait_for_slave_count', 'rpl_semi_sync_source_wait_for_replica_count')")
	if err != nil {
		return nil, err
	}
	status, err := ReadSettings(ctx, conn,
		"SHOW GLOBAL STATUS WHERE Variable_name IN ('Slaves_connected', 'wsrep_connected',"+
			" 'Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_status',"+
			" 'Rpl_semi_sync_master_clients', 'Rpl_semi_sync_source_clients')")
	if err != nil {
		return nil, err
	}
	if v := JudgeReplicated(vars, status); v.Severity == Wrong {
		return nil, fmt.Errorf("%w: %s is %s. %s %s", uid.ErrConfig, v.What, v.Value, v.Why, v.Do)
	}
	replicas, known, err := ConnectedReplicas(ctx, conn, vars, status)
	if err != nil {
		return nil, err
	}
	losses := settingsOfMySQL(vars)
	if known {
		if why := LackingReplica(vars, status, replicas); why != "" {
			losses = append(losses, Loss{why, Takeover})
		}
	}
	return losses, nil
}

// settingsOfMySQL lists by which of a server's variables it can lose a commit.
func settingsOfMySQL(vars Settings) (losses []Loss) {
	// MariaDB's 3 syncs as 1 does, with more work.
	if v, known := vars["innodb_flush_log_at_trx_commit"]; known && v != "1" && v != "3" {
		losses = append(losses, Loss{"innodb_flush_log_at_trx_commit is " + v + ", not 1", Crash})
	}
	if v := vars["sync_binlog"]; vars.On("log_bin") && v != "1" {
		losses = append(losses, Loss{"sync_binlog is " + v + ", not 1, and there is a binary log", Crash})
	}
	if vars.On("wsrep_on") {
		losses = append(losses, Loss{"it is a node of a Galera cluster (wsrep_on)", Takeover})
	}
	return losses
}

// JudgeReplicated judges whether what a session writes to a node of a Galera cluster reaches the
// other nodes.
func JudgeReplicated(vars, status Settings) Verdict {
	v := Verdict{What: "wsrep_on", Value: vars["wsrep_on"]}
	if status.On("wsrep_connected") && !vars.On("wsrep_on") {
		v.Severity, v.Value = Wrong, "OFF, at a node of a Galera cluster"
		v.Why = "What is written stays on this node: others hand out the same IDs and numbers."
		v.Do = "Set it to ON, for the server and in the data source name."
	}
	return v
}

// ConnectedReplicas returns how many replicas, of any kind, are connected to a server. It is not
// known to an account without the right to see that.
func ConnectedReplicas(ctx context.Context, conn *sqlx.Conn, vars, status Settings) (n int64, known bool, err error) {
	// MariaDB counts all; MySQL's status knows of those that are semi-synchronous only.
	n, err = strconv.ParseInt(status["slaves_connected"], 10, 64)
	if known = err == nil; known || !vars.On("log_bin") {
		return n, true, nil
	}
	for _, query := range []string{"SHOW REPLICAS", "SHOW SLAVE HOSTS"} {
		if n, err = countRows(ctx, conn, query); err == nil {
			return n, true, nil
		}
	}
	if KindOf(err) == Transient {
		return 0, false, err
	}
	n, err = strconv.ParseInt(status.First("rpl_semi_sync_source_clients", "rpl_semi_sync_master_clients"), 10, 64)
	return n, err == nil && n > 0, nil
}

// countRows returns how many rows a query has.
func countRows(ctx context.Context, conn *sqlx.Conn, query string) (n int64, err error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return 0, Failed("ask for replicas", err)
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		return 0, Failed("ask for replicas", err)
	}
	return n, nil
}

// LackingReplica says why one of the replicas that are connected can lack a commit that was
// acknowledged; "" if none can.
func LackingReplica(vars, status Settings, replicas int64) string {
	if replicas == 0 {
		return ""
	}
	if !status.On("rpl_semi_sync_master_status", "rpl_semi_sync_source_status") {
		return fmt.Sprintf("%d replicas are connected without semi-synchronous replication: one of them lacks the newest commits when it takes over", replicas)
	}
	name, confirm := "one replica's confirmation, as MariaDB does", int64(1)
	for _, setting := range []string{
		"rpl_semi_sync_source_wait_for_replica_count", "rpl_semi_sync_master_wait_for_slave_count",
	} {
		if n, err := strconv.ParseInt(vars[setting], 10, 64); err == nil {
			name, confirm = fmt.Sprintf("%d (%s)", n, setting), n
			break
		}
	}
	if replicas > confirm {
		return fmt.Sprintf("%d replicas are connected, and a commit waits for %s: "+
			"another one lacks the newest commits when it takes over", replicas, name)
	}
	return ""
}
