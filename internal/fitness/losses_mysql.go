package fitness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
)

// A server is what a server of MySQL or MariaDB tells about itself.
type server struct {
	vars, status settings
	replicas     int64 // that are connected
	counted      bool  // replicas is known: the account may need a right for that
	source
}

// errFollows is returned for a replica, or a server that was made the primary too early: it writes what it has received
// over the rows.
var errFollows = retry.Transient(errors.New("ask for replication: the server applies what another one has written: " +
	"stop that when it has applied all that it had received, or connect to the primary"))

func (s *server) isTiDB() bool    { return strings.Contains(s.vars["version"], "TiDB") }
func (s *server) isMariaDB() bool { return strings.Contains(s.vars["version"], "MariaDB") }

// isGalera reports whether the server is a node of a Galera cluster, connected or not.
func (s *server) isGalera() bool { return s.vars.on("wsrep_on") }

// mysqlServer asks the server for all that the findings of this exam need.
func (e *exam) mysqlServer(ctx context.Context) (s *server, err error) {
	s = &server{}
	if s.vars, err = readSettings(ctx, e.conn, e.query("settings")); err != nil || s.isTiDB() { // replicates by itself
		return s, err
	}
	if s.status, err = readSettings(ctx, e.conn, e.query("status")); err != nil {
		return s, err
	}
	if e.takeovers {
		if err = s.countReplicas(ctx, e.conn); err != nil {
			return s, err
		}
	}
	if e.person || e.leads {
		s.source, err = s.follows(ctx, e.conn, e.person)
	}
	return s, err
}

func (e *exam) mysqlLosses(ctx context.Context) error {
	s, err := e.mysqlServer(ctx)
	if err != nil || s.isTiDB() {
		return err
	}
	if e.leads && s.running {
		return errFollows
	}
	e.add(s.losses()...)
	return nil
}

// losses judges whether an acknowledged commit is on disk, in the binary log as well, and reaches the other nodes of a
// Galera cluster. Galera is never durable: when all nodes crash, commits in their memory are lost, and when a node that
// was cut off comes back, the commits that it acknowledged meanwhile.
func (s *server) losses() []doctor.Finding {
	const log, sync = "innodb_flush_log_at_trx_commit", "sync_binlog"
	flush, dies := s.vars[log], "machine"
	if flush == "0" {
		dies = "server"
	}
	binlog := ""
	if s.vars.on("log_bin") {
		binlog = s.vars[sync]
	}
	return []doctor.Finding{
		doctor.Fine(log, flush).
			But(flush != "" && flush != "1" && flush != "3", crash, flush+", not 1", // MariaDB's 3 syncs as 1 does
				"A crash of the "+dies+" loses the commits of the last second or so", "Set it to 1."),
		doctor.Fine(sync, binlog).
			But(s.vars.on("log_bin") && binlog != "1", crash, cmp.Or(binlog, "unknown")+", not 1, and there is a "+
				"binary log", "After a crash of the machine the binary log may lack acknowledged transactions, which "+
				"the server then rolls back and replicas never get", "Set it to 1."),
		doctor.Finding{What: "wsrep_on"}.
			But(s.status.on("wsrep_connected") && !s.isGalera(), refused, "OFF, at a node of a Galera cluster",
				"Writes stay on this node: others give out the same IDs and numbers.",
				"Set it to ON, for the server and in the data source name."),
		s.replication(),
		doctor.Finding{What: "Galera's durability"}.
			But(s.isGalera(), takeover, "can lose commits", "wsrep_on is ON, and a node of a Galera cluster "+
				"acknowledges a commit before others have stored it: when nodes crash together, or a cluster is "+
				"bootstrapped from a node that lags, the newest commits are lost", "Take leased IDs, with Losses as "+
				"it is. Bootstrap from the node with the largest seqno (grastate.dat, wsrep_recover) only. After "+
				"nodes crashed together, set the AUTO_INCREMENT counter above the largest ID that was ever given."),
	}
}

// severalWrite and oneWriter are the reason and the advice for clusters with several servers that accept writes.
const (
	severalWrite = "Row locks hold within one server only. Of two servers' transactions that change the same row, " +
		"one fails at its commit and is tried again."
	oneWriter = "Let all workers write through one server while it lives. Where the cluster sets " +
		"auto_increment_increment, each start uses up that many disposable IDs."
)

// replication judges what another server lacks when it takes over.
func (s *server) replication() doctor.Finding {
	how := "asynchronous"
	if s.semiSync() {
		how = "semi-synchronous"
	}
	group := s.vars.first("group_replication_group_name") != ""
	alone, is := false, "no replica is connected"
	switch {
	case s.isGalera():
		is = "Galera"
	case group:
		is = "group replication"
	case !s.vars.on("log_bin"):
		is = "none (no binary log)"
	default:
		alone = true
	}
	return replication(is, int(s.replicas), how, s.lacking(), "semi-synchronous replication in which a commit waits "+
		"for as many replicas as there are (MySQL's rpl_semi_sync_source_wait_for_replica_count)").
		But(group && !s.vars.on("group_replication_single_primary_mode"), note, is+", several servers accept writes",
			severalWrite, oneWriter).
		But(alone && !s.counted, note, "could not be told", "A failover to an asynchronous replica loses the newest "+
			"commits"+lossWhy, "Check with an account that has REPLICATION SLAVE, or make sure yourself.").
		But(alone && s.replicas > 0, note, fmt.Sprintf("%d connected, %s", s.replicas, how), "When no replica answers "+
			"in time the server continues without: a failover may then lose the newest commits"+lossWhy,
			"Set the time-out of semi-synchronous replication so high that it is never reached, "+
				"and its wait point to AFTER_SYNC.")
}

// A source says whether a server of MySQL or MariaDB follows another one.
type source struct {
	told     bool // the account may see it
	follower bool // it is set up to follow another one
	running  bool // and does so now
}

// follows asks whether the server follows another one. An account without a right to that does not know.
func (s *server) follows(ctx context.Context, conn *sqlx.Conn, all bool) (source, error) {
	running := s.status["slaves_running"] != "" && s.status["slaves_running"] != "0" // any account of MariaDB sees it
	queries := []string{"SHOW REPLICA STATUS", "SHOW SLAVE STATUS"}
	if s.isMariaDB() {
		if queries = []string{"SHOW ALL SLAVES STATUS"}; !all {
			return source{running: running}, nil
		}
	}
	rows, err := firstOf(ctx, conn, queries...)
	if retry.IsTransient(err) {
		return source{}, err
	}
	follows := source{told: err == nil || running, follower: len(rows) > 0 || running, running: running}
	for _, row := range rows {
		for _, thread := range []string{"Replica_IO", "Slave_IO", "Replica_SQL", "Slave_SQL"} {
			if v, is := row[thread+"_Running"].([]byte); is && string(v) != "No" {
				follows.running = true
			}
		}
	}
	return follows, nil
}

// firstOf returns the rows of the first of the queries that the server answers.
func firstOf(ctx context.Context, conn *sqlx.Conn, queries ...string) (all []map[string]any, err error) {
	for _, query := range queries {
		var rows *sqlx.Rows
		if rows, err = conn.QueryxContext(ctx, query); err != nil {
			continue
		}
		for err == nil && rows.Next() {
			row := map[string]any{}
			err = rows.MapScan(row)
			all = append(all, row)
		}
		if err == nil {
			err = rows.Err()
		}
		_ = rows.Close()
		break
	}
	return all, database.Failed("ask for replication", err)
}

// countReplicas counts the replicas that are connected. MariaDB's status has their number; MySQL's has only that of the
// semi-synchronous ones.
func (s *server) countReplicas(ctx context.Context, conn *sqlx.Conn) error {
	n, unknown := strconv.ParseInt(s.status["slaves_connected"], 10, 64)
	if s.counted = unknown == nil || !s.vars.on("log_bin"); !s.counted {
		all, err := firstOf(ctx, conn, "SHOW REPLICAS", "SHOW SLAVE HOSTS")
		if retry.IsTransient(err) {
			return err
		}
		if n, s.counted = int64(len(all)), err == nil; !s.counted {
			clients := s.status.first("rpl_semi_sync_source_clients", "rpl_semi_sync_master_clients")
			n, _ = strconv.ParseInt(clients, 10, 64)
			s.counted = n > 0
		}
	}
	s.replicas = n
	return nil
}

func (s *server) semiSync() bool {
	return s.status.on("rpl_semi_sync_master_status", "rpl_semi_sync_source_status")
}

// lacking says why a replica that takes over may lack a commit that was acknowledged; "" if none can.
func (s *server) lacking() string {
	if s.replicas > 0 && !s.semiSync() {
		return fmt.Sprintf("%d replicas are connected without semi-synchronous replication: "+
			"one of them lacks the newest commits when it takes over", s.replicas)
	}
	waits, by := int64(1), "one replica's confirmation, as MariaDB does"
	for _, name := range []string{
		"rpl_semi_sync_master_wait_for_slave_count", "rpl_semi_sync_source_wait_for_replica_count",
	} {
		if n, err := strconv.ParseInt(s.vars[name], 10, 64); err == nil {
			waits, by = n, fmt.Sprintf("%d (%s)", n, name)
		}
	}
	if s.replicas <= waits {
		return ""
	}
	return fmt.Sprintf("%d replicas are connected, and a commit waits for %s: "+
		"another one lacks the newest commits when it takes over", s.replicas, by)
}
