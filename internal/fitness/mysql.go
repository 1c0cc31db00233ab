package fitness

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid/internal/database"
)

// The variables and the status that the rows need: a start reads no others.
const (
	mysqlVariables = "SHOW VARIABLES WHERE Variable_name RLIKE '^(" +
		"version|log_bin|sync_binlog|binlog_format|innodb_flush_log_at_trx_commit" +
		"|auto_increment_(increment|offset)|(transaction|tx)_isolation|(super_|innodb_|transaction_|tx_)?read_only" +
		"|group_replication_(group_name|single_primary_mode)" +
		"|rpl_semi_sync_(master_wait_for_slave|source_wait_for_replica)_count" +
		"|wsrep_(on|sync_wait|trx_fragment_size))$'"
	mysqlStatus = "SHOW STATUS WHERE Variable_name RLIKE '^(" +
		"slaves_(connected|running)|rpl_semi_sync_(master|source)_(status|clients)" +
		"|wsrep_(connected|ready|cluster_(status|size)|local_(state_comment|cert_failures|bf_aborts)))$'"
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

func (e *exam) mysql(ctx context.Context) (err error) {
	s := &server{}
	if s.vars, err = readSettings(ctx, e.conn, mysqlVariables); err != nil {
		return err
	}
	if s.isTiDB() { // replicates by itself
		e.judge(s.sessionRows(e.hasNodes)...)
		return e.idCache(ctx)
	}
	if s.status, err = readSettings(ctx, e.conn, mysqlStatus); err != nil {
		return err
	}
	if e.takeovers {
		if s.replicas, err = connectedReplicas(ctx, e.conn, s.vars, s.status); err != nil {
			return err
		}
	}
	if e.person || e.leads {
		if s.source, err = s.follows(ctx, e.conn, e.person); err != nil {
			return err
		}
	}
	if e.leads && s.running {
		return database.ErrFollows
	}
	e.judge(append(s.sessionRows(e.hasNodes), s.replicationRows()...)...)
	if s.isGalera() {
		e.judge(s.galeraRows()...)
	}
	return nil
}

// name returns the server's kind and version, and whether that forgets the AUTO_INCREMENT counter.
func (s *server) name() (name string, forgets bool) {
	if s.isTiDB() {
		return "TiDB", false
	}
	name, oldest := "MySQL ", 8_00_00
	if s.isMariaDB() {
		name, oldest = "MariaDB ", 10_02_04
	}
	number, _, _ := strings.Cut(s.vars["version"], "-")
	var major, minor, patch int
	_, _ = fmt.Sscanf(number, "%d.%d.%d", &major, &minor, &patch)
	return name + number, major*1_00_00+minor*1_00+patch < oldest
}

// sessionRows judge the settings of the server and of the session.
func (s *server) sessionRows(disposable bool) []row {
	name, forgets := s.name()
	level := s.vars.first("transaction_isolation", "tx_isolation")
	step := s.vars["auto_increment_increment"]
	steps, _ := strconv.Atoi(step)
	wastes := note
	if disposable {
		wastes = warn
	}
	flush, flushes := s.vars["innodb_flush_log_at_trx_commit"]
	synced, logs := s.vars["sync_binlog"], s.vars.on("log_bin")
	dies := "machine"
	if flush == "0" {
		dies = "server"
	}
	const isolation, increment = "isolation", "auto_increment_increment"
	const flushing, syncing = "innodb_flush_log_at_trx_commit", "sync_binlog"
	return []row{
		{forgets, warn, "server", name,
			"It forgets the AUTO_INCREMENT counter at a restart, and goes on after the largest ID that is left.",
			"Never delete the newest row of disposable IDs, or take a newer server."},
		fine("server", name),
		{level == "READ-COMMITTED" && logs && s.vars["binlog_format"] == "STATEMENT", bad,
			isolation, level + ", binlog_format=STATEMENT",
			"InnoDB refuses every write at this isolation with this format of the binary log.",
			"Set binlog_format to ROW or MIXED."},
		{level == "READ-UNCOMMITTED", warn, isolation, level, "Statements see what others have not committed. " +
			"Workers lock what they decide by; reports such as this one may be wrong.",
			"Set the isolation to REPEATABLE-READ or READ-COMMITTED."},
		{level == "SERIALIZABLE", note, isolation, level,
			"Every read takes a lock: workers wait for each other, and meet deadlocks, after which they try again.",
			"REPEATABLE-READ or READ-COMMITTED is enough."},
		fine(isolation, level),
		{steps > 1, wastes, increment, step + ", offset " + s.vars["auto_increment_offset"],
			"Each start of a disposable worker uses up " + step + " of the layout's IDs instead of one. " +
				"Leases do not use the counter.",
			"Set it to 1 where no other writable server needs IDs of its own, or take leased IDs."},
		fine(increment, step+", offset "+s.vars["auto_increment_offset"]),
		{!flushes || s.isTiDB(), "", flushing, "", "", ""},
		{flush == "1" || flush == "3", ok, flushing, flush, "", ""}, // MariaDB's 3 syncs as 1 does, with more work
		{true, crash, flushing, flush + ", not 1",
			"A crash of the " + dies + " loses the commits of the last second or so" + lossWhy, "Set it to 1."},
		{!logs || s.isTiDB(), "", syncing, "", "", ""},
		{synced != "1", crash, syncing, synced + ", not 1, and there is a binary log",
			"After a crash of the machine the binary log may lack transactions that were acknowledged, " +
				"which the server then rolls back and replicas never get" + lossWhy, "Set it to 1."},
		fine(syncing, synced),
	}
}

// replicationRows judge the server's place among others.
func (s *server) replicationRows() []row {
	readOnly := ""
	for _, prefix := range []string{"tx_", "transaction_", "innodb_", "", "super_"} {
		name := prefix + "read_only"
		// MariaDB 12 has more kinds of read_only than ON.
		if v := strings.ToUpper(s.vars[name]); v != "" && v != "OFF" && v != "0" {
			readOnly = name
		}
	}
	cluster, many := "", s.vars.first("group_replication_group_name") != ""
	switch {
	case s.isGalera():
		cluster = "Galera"
	case many:
		cluster = "group replication"
	}
	how := ", asynchronous"
	if s.semiSync {
		how = ", semi-synchronous"
	}
	how = fmt.Sprint(s.connected) + " connected" + how
	const alone, writable, replica, replication = "wsrep_on", "writable", "replica", "replication"
	const onlyPrimary = "Connect workers to the primary only, and set read_only here. " +
		"After a failover, remove what is left of the replication (RESET REPLICA ALL)."
	return []row{
		{s.status.on("wsrep_connected") && !s.isGalera(), refused, alone, "OFF, at a node of a Galera cluster",
			"What is written stays on this node: others hand out the same IDs and numbers.",
			"Set it to ON, for the server and in the data source name."},
		{readOnly != "", bad, writable, readOnly + " is on",
			"Workers cannot write here, only accounts that stand above the setting can.",
			"Connect workers to the primary."},
		fine(writable, "yes"),
		{!s.told, note, replica, "could not be told",
			"A replica that accepts writes diverges from its primary, and both hand out the same IDs.",
			"Check with an account that has REPLICATION CLIENT (MariaDB from 10.5: REPLICA MONITOR), " +
				"or make sure yourself."},
		{s.follower && readOnly != "", bad, replica, "yes, read-only", "What workers need is on the primary.",
			"Connect workers to the primary."},
		{s.follower && !s.running, warn, replica, "set up, but stopped; writable", "It was a replica. If it has not " +
			"been made the primary, two servers accept writes, and hand out the same IDs and ticks.", onlyPrimary},
		{s.follower, bad, replica, "yes, and writable",
			"Two servers that both accept writes diverge, and hand out the same IDs and ticks.", onlyPrimary},
		fine(replica, "no"),
		{s.lacking != "", takeover, replication, how, s.lacking + lossWhy,
			"Take leased IDs, with Losses as it is, or semi-synchronous replication in which a commit waits for as " +
				"many replicas as there are (MySQL's rpl_semi_sync_source_wait_for_replica_count). " +
				"After a failover, set the AUTO_INCREMENT counter above the largest ID ever given."},
		{many && !s.vars.on("group_replication_single_primary_mode"), note, replication,
			cluster + ", several servers accept writes", "Row locks hold within one server only; " +
				"of two that change the same row at once, one fails at its commit and tries again.",
			"Let all workers use the same server while it lives. Where the cluster sets auto_increment_increment, " +
				"each start uses up that many disposable IDs."},
		{cluster != "", ok, replication, cluster, "", ""},
		{!s.vars.on("log_bin"), ok, replication, "none (no binary log)", "", ""},
		{!s.counted, note, replication, "could not be told",
			"A failover to an asynchronous replica loses the newest commits" + lossWhy,
			"Check with an account that has REPLICATION SLAVE, or make sure yourself."},
		{s.connected == 0, ok, replication, "no replica is connected", "", ""},
		{true, note, replication, how, "When no replica answers in time the server goes on without: " +
			"a failover may then lose the newest commits" + lossWhy,
			"Set the time-out of semi-synchronous replication so high that it is never reached, " +
				"and its wait point to AFTER_SYNC."},
	}
}

// idCache judges a table of TiDB's.
func (e *exam) idCache(ctx context.Context) error {
	const what = "AUTO_ID_CACHE"
	if !e.hasNodes {
		return nil
	}
	var name, create string
	if err := e.conn.QueryRowxContext(ctx, "SHOW CREATE TABLE `"+e.Nodes+"`").Scan(&name, &create); err != nil {
		return e.noteUnknown(what, database.Failed("read the definition of table "+e.Nodes, err))
	}
	e.judge(idCacheRows(create+" ", e.Nodes)...)
	return nil
}

func idCacheRows(create, table string) []row {
	const what = "AUTO_ID_CACHE"
	return []row{
		{!strings.Contains(create, "AUTO_ID_CACHE=1 "), warn, what, "not 1",
			"Each TiDB server takes IDs in batches, of 30,000 by default, " +
				"and forgets the rest of a batch when it restarts: they are used up fast, and do not ascend.",
			"The option works only when a table is created: create it anew with AUTO_ID_CACHE 1 and a counter above " +
				"the largest ID. ALTER TABLE " + table + " cannot change it to 1."},
		fine(what, "1"),
	}
}
