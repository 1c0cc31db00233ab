package sqldoctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

// replication is what a server shows of its replication. A nil pointer means unknown.
type replication struct {
	readOnly     string // the setting that forbids writing, if one does
	isReplica    *bool  // it is set up to follow another server
	running      *bool  // it follows that server now
	replicas     *int64 // how many are connected
	lacking      string // why one of them can lack the newest commits
	binlog       bool   // there is a binary log, without which there are no replicas
	semiSync     bool
	cluster      string // the cluster that replicates before it acknowledges, if there is one
	multiPrimary bool
}

// mysqlReplication examines this server's place among others.
func (e *exam) mysqlReplication(ctx context.Context) error {
	vars, err := database.ReadSettings(ctx, e.conn, "SHOW VARIABLES")
	if err != nil {
		return err
	}
	if isTiDB(vars) {
		return nil // replicates by itself
	}
	status, err := database.ReadSettings(ctx, e.conn, "SHOW GLOBAL STATUS")
	if err != nil {
		return err
	}
	r := replicationOf(vars, status)
	if err := e.replicaStatus(ctx, vars, &r); err != nil {
		return err
	}
	n, known, err := database.ConnectedReplicas(ctx, e.conn, vars, status)
	if err != nil {
		return err
	}
	if known {
		r.replicas, r.lacking = &n, database.LackingReplica(vars, status, n)
	}
	if v := database.JudgeReplicated(vars, status); v.Severity == database.Wrong {
		e.add(judged(v))
	}
	for _, f := range r.judge(e.takeoverLevel()) {
		e.add(f)
	}
	if isGalera(vars) {
		e.findings = append(e.findings, judgeGalera(vars, status, e.Never, e.hasNodes)...)
	}
	return nil
}

func replicationOf(vars, status database.Settings) replication {
	r := replication{
		binlog:       vars.On("log_bin"),
		semiSync:     status.On("rpl_semi_sync_source_status", "rpl_semi_sync_master_status"),
		multiPrimary: vars.First("group_replication_group_name") != "" && !vars.On("group_replication_single_primary_mode"),
	}
	for _, name := range []string{"super_read_only", "read_only", "innodb_read_only", "transaction_read_only", "tx_read_only"} {
		// MariaDB 12 has more kinds of read_only than ON.
		if v := strings.ToUpper(vars[name]); v != "" && v != "OFF" && v != "0" {
			r.readOnly = name
			break
		}
	}
	switch {
	case isGalera(vars):
		r.cluster = "Galera"
	case vars.First("group_replication_group_name") != "":
		r.cluster = "group replication"
	}
	if v, ok := status["slaves_running"]; ok { // MariaDB: its own connections to sources
		running := v != "0"
		r.running = &running
		if running {
			r.isReplica = &running
		}
	}
	return r
}

// replicaStatus asks whether this server follows another one. The answer stays unknown for an
// account without a right to it.
func (e *exam) replicaStatus(ctx context.Context, vars database.Settings, r *replication) error {
	queries := []string{"SHOW REPLICA STATUS", "SHOW SLAVE STATUS"}
	if isMariaDB(vars) {
		queries = []string{"SHOW ALL SLAVES STATUS"}
	}
	var err error
	for _, query := range queries {
		var sources []map[string]any
		if sources, err = e.maps(ctx, query); err != nil {
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
	if database.KindOf(err) == database.Transient {
		return err
	}
	return nil // stays unknown
}

func (e *exam) maps(ctx context.Context, query string) ([]map[string]any, error) {
	rows, err := e.conn.QueryxContext(ctx, query)
	if err != nil {
		return nil, database.Failed("ask for replication", err)
	}
	defer rows.Close()
	var all []map[string]any
	for rows.Next() {
		m := map[string]any{}
		if err := rows.MapScan(m); err != nil {
			return nil, database.Failed("ask for replication", err)
		}
		all = append(all, m)
	}
	if err := rows.Err(); err != nil {
		return nil, database.Failed("ask for replication", err)
	}
	return all, nil
}

func (r replication) judge(lacking doctor.Level) []doctor.Finding {
	writable := doctor.Finding{Level: doctor.LevelOK, What: "writable", Value: "yes"}
	if r.readOnly != "" {
		writable = finding(doctor.LevelError, "writable", r.readOnly+" is on", "Workers cannot write here, only accounts that stand above the setting can.",
			"Connect workers to the primary.")
	}
	return []doctor.Finding{writable, r.judgeReplica(), r.judgeReplicas(lacking)}
}

// judgeReplica judges whether the server follows another.
func (r replication) judgeReplica() doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "replica", Value: "no"}
	switch {
	case r.isReplica == nil:
		f.Level, f.Value = doctor.LevelNote, "could not be told"
		f.Why = "A replica that accepts writes diverges from its primary, and both hand out the same IDs."
		f.Do = "Check with an account that has REPLICATION CLIENT (MariaDB from 10.5: REPLICA MONITOR), or make sure yourself."
	case *r.isReplica && r.readOnly != "":
		f.Level, f.Value = doctor.LevelError, "yes, read-only"
		f.Why, f.Do = "What workers need is on the primary.", "Connect workers to the primary."
	case *r.isReplica:
		f.Level, f.Value = doctor.LevelError, "yes, and writable"
		f.Why = "Two servers that both accept writes diverge, and hand out the same IDs and ticks."
		f.Do = "Connect workers to the primary only, and set read_only here. After a failover, remove what is left of the replication (RESET REPLICA ALL)."
		if r.running != nil && !*r.running {
			f.Level, f.Value = doctor.LevelWarn, "set up, but stopped; writable"
			f.Why = "It was a replica. If it has not been made the primary, two servers accept writes, and hand out the same IDs and ticks."
		}
	}
	return f
}

// judgeReplicas judges what a failover to a follower of this server would lose.
func (r replication) judgeReplicas(lacking doctor.Level) doctor.Finding {
	const what = "replication"
	switch {
	case r.cluster != "" && r.multiPrimary:
		return finding(doctor.LevelNote, what, r.cluster+", several servers accept writes",
			"Row locks hold within one server only; of two that change the same row at once, one fails at its commit and tries again.",
			"Let all workers use the same server while it lives. Where the cluster sets auto_increment_increment, each start uses up that many disposable IDs.")
	case r.cluster != "":
		return doctor.Finding{Level: doctor.LevelOK, What: what, Value: r.cluster}
	case !r.binlog:
		return doctor.Finding{Level: doctor.LevelOK, What: what, Value: "none (no binary log)"}
	case r.replicas == nil:
		return finding(doctor.LevelNote, what, "could not be told", "A failover to an asynchronous replica loses the newest commits. "+lossWhy,
			"Check with an account that has REPLICATION SLAVE, or make sure yourself.")
	case *r.replicas == 0:
		return finding(doctor.LevelOK, what, "no replica is connected", "", "")
	case r.semiSync && r.lacking == "":
		return finding(doctor.LevelNote, what, fmt.Sprintf("%d connected, semi-synchronous", *r.replicas),
			"When no replica answers in time the server goes on without: a failover may then lose the newest commits. "+lossWhy,
			"Set the time-out of semi-synchronous replication so high that it is never reached, and its wait point to AFTER_SYNC.")
	}
	if r.semiSync {
		return finding(lacking, what, fmt.Sprintf("%d connected, semi-synchronous", *r.replicas),
			"A failover may lose the newest commits: "+r.lacking+". "+lossWhy,
			"Take leased IDs, with Losses as it is, or let a commit wait for as many replicas as there are "+
				"(MySQL's rpl_semi_sync_source_wait_for_replica_count).")
	}
	return finding(lacking, what, fmt.Sprintf("%d connected, asynchronous", *r.replicas),
		"A failover may lose the newest commits. "+lossWhy,
		"Take leased IDs, with Losses as it is, or semi-synchronous replication. After a failover, set the AUTO_INCREMENT counter above the largest ID that was ever given.")
}
