package fitness

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

// A server is what one of MySQL or MariaDB tells of itself.
type server struct {
	vars, status settings
	replicas
	source
}

func (s *server) isTiDB() bool    { return strings.Contains(s.vars["version"], "TiDB") }
func (s *server) isMariaDB() bool { return strings.Contains(s.vars["version"], "MariaDB") }

// isGalera reports whether the server is a node of a Galera cluster, connected or not.
func (s *server) isGalera() bool { return s.vars.on("wsrep_on") }

// mysqlServer asks the server for what those findings need that are asked for.
func (e *exam) mysqlServer(ctx context.Context) (s *server, err error) {
	s = &server{}
	if s.vars, err = readSettings(ctx, e.conn, e.query("settings")); err != nil || s.isTiDB() { // replicates by itself
		return s, err
	}
	if s.status, err = readSettings(ctx, e.conn, e.query("status")); err != nil {
		return s, err
	}
	if e.takeovers {
		if s.replicas, err = connectedReplicas(ctx, e.conn, s.vars, s.status); err != nil {
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
	if err != nil {
		return err
	}
	if e.leads && s.running {
		return database.ErrFollows
	}
	e.add(s.flushing(), s.syncing(), s.apart(), s.replication(), s.durability())
	return nil
}

// flushing judges whether a commit is on disk when it is acknowledged.
func (s *server) flushing() doctor.Finding {
	const what = "innodb_flush_log_at_trx_commit"
	flush, told := s.vars[what]
	if !told || s.isTiDB() {
		return doctor.Finding{}
	}
	dies := "machine"
	if flush == "0" {
		dies = "server"
	}
	return doctor.Fine(what, flush).
		But(flush != "1" && flush != "3", crash, flush+", not 1", // MariaDB's 3 syncs as 1 does, with more work
			"A crash of the "+dies+" loses the commits of the last second or so", "Set it to 1.")
}

// syncing judges whether the binary log has what is acknowledged.
func (s *server) syncing() doctor.Finding {
	const what = "sync_binlog"
	if !s.vars.on("log_bin") || s.isTiDB() {
		return doctor.Finding{}
	}
	return doctor.Fine(what, s.vars[what]).
		But(s.vars[what] != "1", crash, s.vars[what]+", not 1, and there is a binary log",
			"After a crash of the machine the binary log may lack transactions that were acknowledged, "+
				"which the server then rolls back and replicas never get", "Set it to 1.")
}

// apart judges whether a node of a Galera cluster keeps to itself what is written.
func (s *server) apart() doctor.Finding {
	return doctor.Finding{What: "wsrep_on"}.
		But(s.status.on("wsrep_connected") && !s.isGalera(), refused, "OFF, at a node of a Galera cluster",
			"What is written stays on this node: others hand out the same IDs and numbers.",
			"Set it to ON, for the server and in the data source name.")
}

// durability says what a Galera cluster loses. What the nodes hold in memory only is lost when
// all of them crash, and a commit that one node has acknowledged while it was cut off when it
// comes back: so nobody may take it for durable.
func (s *server) durability() doctor.Finding {
	return doctor.Finding{What: "Galera's durability"}.
		But(s.isGalera(), takeover, "can lose commits",
			"wsrep_on is ON, and a node of a Galera cluster acknowledges a commit before others have stored it: "+
				"when nodes crash together, or a cluster is bootstrapped from a node that lags, the newest are lost",
			"Take leased IDs, with Losses as it is. Bootstrap from the node with the largest seqno (grastate.dat, "+
				"wsrep_recover) only. After nodes crashed together, "+
				"set the AUTO_INCREMENT counter above the largest ID that was ever given.")
}

// replication judges what a server lacks that takes over from this one.
func (s *server) replication() doctor.Finding {
	how, cluster := "asynchronous", ""
	if s.semiSync {
		how = "semi-synchronous"
	}
	how = fmt.Sprintf("%d connected, %s", s.connected, how)
	group := s.vars.first("group_replication_group_name") != ""
	switch {
	case s.isGalera():
		cluster = "Galera"
	case group:
		cluster = "group replication"
	}
	f := doctor.Finding{What: "replication"}.
		But(s.lacking != "", takeover, how, s.lacking,
			"Take leased IDs, with Losses as it is, or semi-synchronous replication in which a commit waits for as "+
				"many replicas as there are (MySQL's rpl_semi_sync_source_wait_for_replica_count). "+
				"After a failover, set the AUTO_INCREMENT counter above the largest ID ever given.").
		But(group && !s.vars.on("group_replication_single_primary_mode"), note,
			cluster+", several servers accept writes", "Row locks hold within one server only; "+
				"of two that change the same row at once, one fails at its commit and tries again.",
			"Let all workers use the same server while it lives. Where the cluster sets auto_increment_increment, "+
				"each start uses up that many disposable IDs.")
	switch {
	case f.Level != "":
		return f
	case cluster != "":
		return doctor.Fine(f.What, cluster)
	case !s.vars.on("log_bin"):
		return doctor.Fine(f.What, "none (no binary log)")
	}
	return doctor.Fine(f.What, "no replica is connected").
		But(!s.counted, note, "could not be told",
			"A failover to an asynchronous replica loses the newest commits"+lossWhy,
			"Check with an account that has REPLICATION SLAVE, or make sure yourself.").
		But(s.connected > 0, note, how, "When no replica answers in time the server goes on without: "+
			"a failover may then lose the newest commits"+lossWhy,
			"Set the time-out of semi-synchronous replication so high that it is never reached, "+
				"and its wait point to AFTER_SYNC.")
}

// A source is the server that a server of MySQL or MariaDB follows.
type source struct {
	told     bool
	follower bool // it is set up to follow another one
	running  bool // and does so now
}

// follows asks whether the server follows another one. It stays unknown to an account without a right to it.
func (s *server) follows(ctx context.Context, conn *sqlx.Conn, all bool) (source, error) {
	running := s.status["slaves_running"] != "" && s.status["slaves_running"] != "0" // MariaDB shows that to all
	queries := []string{"SHOW REPLICA STATUS", "SHOW SLAVE STATUS"}
	if s.isMariaDB() {
		if queries = []string{"SHOW ALL SLAVES STATUS"}; !all {
			return source{running: running}, nil
		}
	}
	rows, err := firstOf(ctx, conn, queries...)
	if database.KindOf(err) == database.Transient {
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

// replicas are those of any kind that are connected to a server.
type replicas struct {
	counted   bool // what an account without a right to it cannot
	connected int64
	semiSync  bool
	lacking   string // why one of them can lack a commit that was acknowledged
}

func connectedReplicas(ctx context.Context, conn *sqlx.Conn, vars, status settings) (r replicas, err error) {
	// MariaDB counts all; MySQL's status knows of those that are semi-synchronous only.
	n, unknown := strconv.ParseInt(status["slaves_connected"], 10, 64)
	if r.counted = unknown == nil || !vars.on("log_bin"); !r.counted {
		all, err := firstOf(ctx, conn, "SHOW REPLICAS", "SHOW SLAVE HOSTS")
		if database.KindOf(err) == database.Transient {
			return r, err
		}
		if n, r.counted = int64(len(all)), err == nil; !r.counted {
			clients := status.first("rpl_semi_sync_source_clients", "rpl_semi_sync_master_clients")
			n, _ = strconv.ParseInt(clients, 10, 64)
			r.counted = n > 0
		}
	}
	r.connected, r.semiSync = n, status.on("rpl_semi_sync_master_status", "rpl_semi_sync_source_status")
	r.lacking = r.lacks(vars)
	return r, nil
}

// lacks says why one of the replicas can lack a commit that was acknowledged; "" if none can.
func (r replicas) lacks(vars settings) string {
	if r.connected > 0 && !r.semiSync {
		return fmt.Sprintf("%d replicas are connected without semi-synchronous replication: "+
			"one of them lacks the newest commits when it takes over", r.connected)
	}
	waits, by := int64(1), "one replica's confirmation, as MariaDB does"
	for _, name := range []string{
		"rpl_semi_sync_master_wait_for_slave_count", "rpl_semi_sync_source_wait_for_replica_count",
	} {
		if n, err := strconv.ParseInt(vars[name], 10, 64); err == nil {
			waits, by = n, fmt.Sprintf("%d (%s)", n, name)
		}
	}
	if r.connected <= waits {
		return ""
	}
	return fmt.Sprintf("%d replicas are connected, and a commit waits for %s: "+
		"another one lacks the newest commits when it takes over", r.connected, by)
}
