package worker

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"
)

// settings are a server's variables, by their names in lower case.
type settings map[string]string

// on says whether a switch is on, by any of the names that it has had.
func (s settings) on(names ...string) bool {
	v := strings.ToUpper(s.first(names...))
	return v == "ON" || v == "1"
}

// first returns the value of the first name that the server knows.
func (s settings) first(names ...string) string {
	for _, name := range names {
		if v, ok := s[name]; ok {
			return v
		}
	}
	return ""
}

// mysqlServer looks at the settings of the server and of the session.
func (c *check) mysqlServer(ctx context.Context) error {
	vars, err := readSettings(ctx, c.conn, "SHOW VARIABLES")
	if err != nil {
		return err
	}
	loss := c.lossLevel()
	for _, f := range []Finding{
		judgeVersion(vars),
		judgeIsolation(vars),
		judgeIncrement(vars, c.hasNodes),
		judgeFlush(vars, loss),
		judgeBinlogSync(vars, loss),
	} {
		if f.What != "" {
			c.add(f)
		}
	}
	if !isTiDB(vars) || !c.hasNodes {
		return nil
	}
	var name, create string
	if err := c.conn.QueryRowxContext(ctx, "SHOW CREATE TABLE `"+c.nodes+"`").Scan(&name, &create); err != nil {
		return c.told("AUTO_ID_CACHE", failed("read the definition of table "+c.nodes, err))
	}
	c.add(judgeIDCache(create, c.nodes))
	return nil
}

// lossLevel is how bad a lost commit is. Leases make up for one, unless told that it
// cannot happen; an ID from a table that is lost is given again.
func (c *check) lossLevel() Level {
	if c.DurableStore || c.hasNodes || !c.hasLease {
		return LevelError
	}
	return LevelNote
}

const lossWhy = "Disposable IDs are then given again, and so are ticks of leases with DurableStore; leases without it make up for it."

// readSettings reads names and values, as SHOW VARIABLES and SHOW STATUS list them.
func readSettings(ctx context.Context, conn *sqlx.Conn, query string) (settings, error) {
	rows, err := conn.QueryxContext(ctx, query)
	if err != nil {
		return nil, failed("read the server's settings", err)
	}
	defer rows.Close()
	s := settings{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, failed("read the server's settings", err)
		}
		s[strings.ToLower(name)] = value
	}
	if err := rows.Err(); err != nil {
		return nil, failed("read the server's settings", err)
	}
	return s, nil
}

func isTiDB(vars settings) bool    { return strings.Contains(vars["version"], "TiDB") }
func isMariaDB(vars settings) bool { return strings.Contains(vars["version"], "MariaDB") }

func judgeVersion(vars settings) Finding {
	name, version, oldest := "MySQL", vars["version"], [3]int{8, 0, 0}
	switch {
	case isTiDB(vars):
		return Finding{Level: LevelOK, What: "server", Value: "TiDB"}
	case isMariaDB(vars):
		name, oldest = "MariaDB", [3]int{10, 2, 4}
	}
	version, _, _ = strings.Cut(version, "-")
	f := Finding{Level: LevelOK, What: "server", Value: name + " " + version}
	var v [3]int
	for i, part := range strings.SplitN(version, ".", 3) {
		v[i], _ = strconv.Atoi(part)
	}
	if v[0] < oldest[0] || v[0] == oldest[0] && (v[1] < oldest[1] || v[1] == oldest[1] && v[2] < oldest[2]) {
		f.Level = LevelWarn
		f.Why = "It forgets the AUTO_INCREMENT counter at a restart, and goes on after the largest ID that is left."
		f.Do = "Never delete the newest row of disposable IDs, or take a newer server."
	}
	return f
}

func judgeIsolation(vars settings) Finding {
	level := vars.first("transaction_isolation", "tx_isolation")
	f := Finding{Level: LevelOK, What: "isolation", Value: level}
	switch {
	case level == "READ-COMMITTED" && vars.on("log_bin") && vars["binlog_format"] == "STATEMENT":
		f.Level, f.Value = LevelError, level+", binlog_format=STATEMENT"
		f.Why = "InnoDB refuses every write at this isolation with this format of the binary log."
		f.Do = "Set binlog_format to ROW or MIXED."
	case level == "READ-UNCOMMITTED":
		f.Level, f.Why = LevelWarn, "Statements see what others have not committed. Workers lock what they decide by; reports such as this one may be wrong."
		f.Do = "Set the isolation to REPEATABLE-READ or READ-COMMITTED."
	case level == "SERIALIZABLE":
		f.Level, f.Why = LevelNote, "Every read takes a lock: workers wait for each other, and meet deadlocks, after which they try again."
		f.Do = "REPEATABLE-READ or READ-COMMITTED is enough."
	}
	return f
}

func judgeIncrement(vars settings, disposable bool) Finding {
	step := vars["auto_increment_increment"]
	f := Finding{Level: LevelOK, What: "auto_increment_increment", Value: fmt.Sprintf("%s, offset %s", step, vars["auto_increment_offset"])}
	if n, err := strconv.Atoi(step); err == nil && n > 1 {
		f.Level = LevelNote
		if disposable {
			f.Level = LevelWarn
		}
		f.Why = fmt.Sprintf("Each start of a disposable worker uses up %d of the layout's IDs instead of one. Leases do not use the counter.", n)
		f.Do = "Set it to 1 where no other writable server needs IDs of its own, or take leased IDs."
	}
	return f
}

func judgeFlush(vars settings, loss Level) Finding {
	v, ok := vars["innodb_flush_log_at_trx_commit"]
	if !ok || isTiDB(vars) {
		return Finding{}
	}
	f := Finding{Level: LevelOK, What: "innodb_flush_log_at_trx_commit", Value: v}
	if v == "1" || v == "3" {
		return f
	}
	f.Level = loss
	f.Why = "A crash of the machine loses the commits of the last second or so. " + lossWhy
	if v == "0" {
		f.Why = "A crash of the server loses the commits of the last second or so. " + lossWhy
	}
	f.Do = "Set it to 1."
	return f
}

func judgeBinlogSync(vars settings, loss Level) Finding {
	if !vars.on("log_bin") || isTiDB(vars) {
		return Finding{}
	}
	f := Finding{Level: LevelOK, What: "sync_binlog", Value: vars["sync_binlog"]}
	if f.Value != "1" {
		f.Level = loss
		f.Why = "After a crash of the machine the binary log may lack transactions that were acknowledged, which the server then rolls back and replicas never get. " + lossWhy
		f.Do = "Set it to 1."
	}
	return f
}

func judgeIDCache(create, table string) Finding {
	f := Finding{Level: LevelOK, What: "AUTO_ID_CACHE", Value: "1"}
	if !strings.Contains(create, "AUTO_ID_CACHE=1 ") && !strings.HasSuffix(create, "AUTO_ID_CACHE=1") {
		f.Level, f.Value = LevelWarn, "not 1"
		f.Why = "Each TiDB server takes IDs in batches, of 30,000 by default, and forgets the rest of a batch when it restarts: they are used up fast, and do not ascend."
		f.Do = "The option works only when a table is created: create it anew with AUTO_ID_CACHE 1 and a counter above the largest ID. ALTER TABLE " + table + " cannot change it to 1."
	}
	return f
}

// replication is what a server tells of its replication. A nil *bool was not told.
type replication struct {
	readOnly     string // the setting that forbids writing, if one does
	isReplica    *bool  // it is set up to follow another server
	running      *bool  // and does
	replicas     *int64 // that are connected
	binlog       bool   // without which there can be none
	semiSync     bool
	cluster      string // that replicates before it acknowledges, if one does
	multiPrimary bool
}

// mysqlReplication looks at where this server stands among others.
func (c *check) mysqlReplication(ctx context.Context) error {
	vars, err := readSettings(ctx, c.conn, "SHOW VARIABLES")
	if err != nil {
		return err
	}
	if isTiDB(vars) {
		return nil // replicates by itself
	}
	status, err := readSettings(ctx, c.conn, "SHOW GLOBAL STATUS")
	if err != nil {
		return err
	}
	r := replicationOf(vars, status)
	if err := c.replicaStatus(ctx, vars, &r); err != nil {
		return err
	}
	if err := c.connectedReplicas(ctx, vars, &r); err != nil {
		return err
	}
	for _, f := range r.judge(c.lossLevel()) {
		c.add(f)
	}
	return nil
}

func replicationOf(vars, status settings) replication {
	r := replication{
		binlog:       vars.on("log_bin"),
		semiSync:     status.on("rpl_semi_sync_source_status", "rpl_semi_sync_master_status"),
		multiPrimary: vars.first("group_replication_group_name") != "" && !vars.on("group_replication_single_primary_mode"),
	}
	for _, name := range []string{"super_read_only", "read_only", "innodb_read_only", "transaction_read_only", "tx_read_only"} {
		// MariaDB 12 has more kinds of read_only than ON.
		if v := strings.ToUpper(vars[name]); v != "" && v != "OFF" && v != "0" {
			r.readOnly = name
			break
		}
	}
	switch {
	case vars.on("wsrep_on") && status["wsrep_connected"] == "ON":
		r.cluster, r.multiPrimary = "Galera", true
	case vars.first("group_replication_group_name") != "":
		r.cluster = "group replication"
	}
	if v := status.first("rpl_semi_sync_source_clients", "rpl_semi_sync_master_clients"); v != "" && v != "0" {
		r.setReplicas(v)
	}
	if v, ok := status["slaves_connected"]; ok { // of MariaDB, whatever their kind
		r.setReplicas(v)
	}
	if v, ok := status["slaves_running"]; ok { // of MariaDB, for its own connections
		running := v != "0"
		r.running = &running
		if running {
			r.isReplica = &running
		}
	}
	return r
}

func (r *replication) setReplicas(text string) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		r.replicas = &n
	}
}

// replicaStatus asks whether this server follows another one, which accounts without
// a right to it are not told.
func (c *check) replicaStatus(ctx context.Context, vars settings, r *replication) error {
	queries := []string{"SHOW REPLICA STATUS", "SHOW SLAVE STATUS"}
	if isMariaDB(vars) {
		queries = []string{"SHOW ALL SLAVES STATUS"}
	}
	var err error
	for _, query := range queries {
		var sources []map[string]any
		if sources, err = c.maps(ctx, query); err != nil {
			continue
		}
		is, running := len(sources) > 0, false
		for _, s := range sources {
			for _, name := range []string{"Replica_IO_Running", "Slave_IO_Running", "Replica_SQL_Running", "Slave_SQL_Running"} {
				if v, ok := s[name].([]byte); ok && string(v) != "No" {
					running = true
				}
			}
		}
		r.isReplica, r.running = &is, &running
		return nil
	}
	if kindOf(err) == transient {
		return err
	}
	return nil // stays untold
}

// connectedReplicas asks MySQL who follows this server, which MariaDB tells in its
// status.
func (c *check) connectedReplicas(ctx context.Context, vars settings, r *replication) error {
	if !r.binlog || r.replicas != nil || isMariaDB(vars) {
		return nil
	}
	var err error
	for _, query := range []string{"SHOW REPLICAS", "SHOW SLAVE HOSTS"} {
		var hosts []map[string]any
		if hosts, err = c.maps(ctx, query); err != nil {
			continue
		}
		n := int64(len(hosts))
		r.replicas = &n
		return nil
	}
	if kindOf(err) == transient {
		return err
	}
	return nil
}

func (c *check) maps(ctx context.Context, query string) ([]map[string]any, error) {
	rows, err := c.conn.QueryxContext(ctx, query)
	if err != nil {
		return nil, failed("ask for replication", err)
	}
	defer rows.Close()
	var all []map[string]any
	for rows.Next() {
		m := map[string]any{}
		if err := rows.MapScan(m); err != nil {
			return nil, failed("ask for replication", err)
		}
		all = append(all, m)
	}
	if err := rows.Err(); err != nil {
		return nil, failed("ask for replication", err)
	}
	return all, nil
}

func (r replication) judge(loss Level) []Finding {
	writable := Finding{Level: LevelOK, What: "writable", Value: "yes"}
	if r.readOnly != "" {
		writable = Finding{LevelError, "writable", r.readOnly + " is on", "Workers cannot write here, only accounts that stand above the setting can.",
			"Connect workers to the primary."}
	}
	return []Finding{writable, r.judgeReplica(), r.judgeReplicas(loss)}
}

// judgeReplica judges whether the server follows another.
func (r replication) judgeReplica() Finding {
	f := Finding{Level: LevelOK, What: "replica", Value: "no"}
	switch {
	case r.isReplica == nil:
		f.Level, f.Value = LevelNote, "could not be told"
		f.Why = "A replica that accepts writes diverges from its primary, and both hand out the same IDs."
		f.Do = "Check with an account that has REPLICATION CLIENT (MariaDB from 10.5: REPLICA MONITOR), or make sure yourself."
	case *r.isReplica && r.readOnly != "":
		f.Level, f.Value = LevelError, "yes, read-only"
		f.Why, f.Do = "What workers need is on the primary.", "Connect workers to the primary."
	case *r.isReplica:
		f.Level, f.Value = LevelError, "yes, and writable"
		f.Why = "Two servers that both accept writes diverge, and hand out the same IDs and ticks."
		f.Do = "Connect workers to the primary only, and set read_only here. After a failover, remove what is left of the replication (RESET REPLICA ALL)."
		if r.running != nil && !*r.running {
			f.Level, f.Value = LevelWarn, "set up, but stopped; writable"
			f.Why = "It was a replica. If it has not been made the primary, two servers accept writes, and hand out the same IDs and ticks."
		}
	}
	return f
}

// judgeReplicas judges what a failover to a follower of this server would lose.
func (r replication) judgeReplicas(loss Level) Finding {
	const what = "replication"
	warn := LevelWarn
	if loss == LevelNote {
		warn = LevelNote
	}
	switch {
	case r.cluster != "" && r.multiPrimary:
		return Finding{LevelNote, what, r.cluster + ", several servers accept writes",
			"Row locks hold within one server only; of two that change the same row at once, one fails at its commit and tries again.",
			"Let all workers use the same server while it lives. Where the cluster sets auto_increment_increment, each start uses up that many disposable IDs."}
	case r.cluster != "":
		return Finding{Level: LevelOK, What: what, Value: r.cluster}
	case !r.binlog:
		return Finding{Level: LevelOK, What: what, Value: "none (no binary log)"}
	case r.replicas == nil:
		return Finding{LevelNote, what, "could not be told", "A failover to an asynchronous replica loses the newest commits. " + lossWhy,
			"Check with an account that has REPLICATION SLAVE, or make sure yourself."}
	case *r.replicas == 0:
		return Finding{LevelOK, what, "no replica is connected", "", ""}
	case r.semiSync:
		return Finding{LevelNote, what, fmt.Sprintf("%d connected, semi-synchronous", *r.replicas),
			"When no replica answers in time the server goes on without: a failover may then lose the newest commits. " + lossWhy,
			"Set the time-out of semi-synchronous replication so high that it is never reached, and its wait point to AFTER_SYNC."}
	}
	return Finding{warn, what, fmt.Sprintf("%d connected, asynchronous", *r.replicas), "A failover may lose the newest commits. " + lossWhy,
		"Take leased IDs without DurableStore, or semi-synchronous replication. After a failover, set the AUTO_INCREMENT counter above the largest ID that was ever given."}
}
