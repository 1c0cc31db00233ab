package worker

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
)

// look examines the database before the first lease of a start: the table's columns, and
// with DurableStore the settings by which commits can be lost. What the account may not
// see, and a table that is not there, it passes over.
func (l *Lease) look(ctx context.Context) error {
	conn, err := l.table.db.Connx(ctx)
	if err != nil {
		return failed("connect", err)
	}
	defer conn.Close()
	shape, err := readShape(ctx, conn, l.table.dialect, l.table.name)
	if err != nil {
		return err
	}
	if len(shape.columns) > 0 {
		if f := judgeTable("table", l.table.name, l.table.dialect, shape, leaseTableColumns); f.Level == LevelError {
			return fmt.Errorf("%w: table %s: %s. %s %s", uid.ErrConfig, l.table.name, f.Value, f.Why, f.Do)
		}
	}
	if !l.cfg.DurableStore || l.cfg.DurableStoreUnverified {
		return nil
	}
	lossy := lossyMySQL
	if l.table.dialect == SQLite {
		lossy = lossySQLite
	}
	why, err := lossy(ctx, conn)
	if err != nil {
		return err
	}
	if len(why) > 0 {
		return fmt.Errorf("%w: DurableStore is set, but the database can lose what it has acknowledged: %s; DurableStoreUnverified takes the setting at its word",
			uid.ErrConfig, strings.Join(why, "; "))
	}
	return nil
}

// lossyMySQL says by what settings of a server a commit can be lost.
func lossyMySQL(ctx context.Context, conn *sqlx.Conn) (why []string, err error) {
	vars, err := readSettings(ctx, conn, "SHOW VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'wsrep_on')")
	if err != nil {
		return nil, err
	}
	status, err := readSettings(ctx, conn, "SHOW GLOBAL STATUS WHERE Variable_name IN ('Slaves_connected', 'Replicas_connected',"+
		" 'Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_status')")
	if err != nil {
		return nil, err
	}
	return lossySettings(vars, status), nil
}

// lossySettings judges the variables and the status of a server.
func lossySettings(vars, status settings) (why []string) {
	if v, known := vars["innodb_flush_log_at_trx_commit"]; known && v != "1" {
		why = append(why, "innodb_flush_log_at_trx_commit is "+v+", not 1")
	}
	if v := vars["sync_binlog"]; vars.on("log_bin") && v != "1" {
		why = append(why, "sync_binlog is "+v+", not 1, and there is a binary log")
	}
	if vars.on("wsrep_on") {
		why = append(why, "it is a node of a Galera cluster (wsrep_on)")
	}
	replicas := status.first("slaves_connected", "replicas_connected")
	if replicas != "" && replicas != "0" && !status.on("rpl_semi_sync_master_status", "rpl_semi_sync_source_status") {
		why = append(why, replicas+" replicas are connected without semi-synchronous replication: one of them lacks the newest commits when it takes over")
	}
	return why
}

// lossySQLite says by what settings of a connection a commit can be lost.
func lossySQLite(ctx context.Context, conn *sqlx.Conn) (why []string, err error) {
	var synchronous int
	var journal string
	if err := conn.GetContext(ctx, &synchronous, "PRAGMA synchronous"); err != nil {
		return nil, failed("PRAGMA synchronous", err)
	}
	if err := conn.GetContext(ctx, &journal, "PRAGMA journal_mode"); err != nil {
		return nil, failed("PRAGMA journal_mode", err)
	}
	for _, f := range []Finding{judgeSynchronous(synchronous, journal), judgeJournal(journal)} {
		if f.Level == LevelError {
			why = append(why, f.What+" is "+f.Value)
		}
	}
	return why, nil
}
