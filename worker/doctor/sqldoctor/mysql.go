package sqldoctor

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

// mysqlServer examines the settings of the server and of the session.
func (e *exam) mysqlServer(ctx context.Context) error {
	vars, err := database.ReadSettings(ctx, e.conn, "SHOW VARIABLES")
	if err != nil {
		return err
	}
	loss := e.lossLevel()
	for _, f := range []doctor.Finding{
		judgeVersion(vars),
		judgeIsolation(vars),
		judgeIncrement(vars, e.hasNodes),
		judgeFlush(vars, loss),
		judgeBinlogSync(vars, loss),
	} {
		if f.What != "" {
			e.add(f)
		}
	}
	if !isTiDB(vars) || !e.hasNodes {
		return nil
	}
	var name, create string
	if err := e.conn.QueryRowxContext(ctx, "SHOW CREATE TABLE `"+e.nodes+"`").Scan(&name, &create); err != nil {
		return e.noteUnknown("AUTO_ID_CACHE", database.Failed("read the definition of table "+e.nodes, err))
	}
	e.add(judgeIDCache(create, e.nodes))
	return nil
}

// lossLevel is how bad a lost commit is. A lost disposable ID is given again. Leases make up for
// a lost commit, except where Losses are Never.
func (e *exam) lossLevel() doctor.Level {
	if e.Never || e.hasNodes || !e.hasLease {
		return doctor.LevelError
	}
	return doctor.LevelNote
}

// takeoverLevel is how bad it is that another server lacks commits when it takes over.
func (e *exam) takeoverLevel() doctor.Level {
	if loss := e.lossLevel(); loss == doctor.LevelNote || e.Never {
		return loss // such a start is refused
	}
	return doctor.LevelWarn
}

const lossWhy = "Disposable IDs are then given again, and so are ticks of leases whose Losses are Never; others make up for it."

func isTiDB(vars database.Settings) bool    { return strings.Contains(vars["version"], "TiDB") }
func isMariaDB(vars database.Settings) bool { return strings.Contains(vars["version"], "MariaDB") }

func judgeVersion(vars database.Settings) doctor.Finding {
	name, version, oldest := "MySQL", vars["version"], [3]int{8, 0, 0}
	switch {
	case isTiDB(vars):
		return doctor.Finding{Level: doctor.LevelOK, What: "server", Value: "TiDB"}
	case isMariaDB(vars):
		name, oldest = "MariaDB", [3]int{10, 2, 4}
	}
	version, _, _ = strings.Cut(version, "-")
	f := doctor.Finding{Level: doctor.LevelOK, What: "server", Value: name + " " + version}
	var v [3]int
	for i, part := range strings.SplitN(version, ".", 3) {
		v[i], _ = strconv.Atoi(part)
	}
	if v[0] < oldest[0] || v[0] == oldest[0] && (v[1] < oldest[1] || v[1] == oldest[1] && v[2] < oldest[2]) {
		f.Level = doctor.LevelWarn
		f.Why = "It forgets the AUTO_INCREMENT counter at a restart, and goes on after the largest ID that is left."
		f.Do = "Never delete the newest row of disposable IDs, or take a newer server."
	}
	return f
}

func judgeIsolation(vars database.Settings) doctor.Finding {
	level := vars.First("transaction_isolation", "tx_isolation")
	f := doctor.Finding{Level: doctor.LevelOK, What: "isolation", Value: level}
	switch {
	case level == "READ-COMMITTED" && vars.On("log_bin") && vars["binlog_format"] == "STATEMENT":
		f.Level, f.Value = doctor.LevelError, level+", binlog_format=STATEMENT"
		f.Why = "InnoDB refuses every write at this isolation with this format of the binary log."
		f.Do = "Set binlog_format to ROW or MIXED."
	case level == "READ-UNCOMMITTED":
		f.Level, f.Why = doctor.LevelWarn, "Statements see what others have not committed. Workers lock what they decide by; reports such as this one may be wrong."
		f.Do = "Set the isolation to REPEATABLE-READ or READ-COMMITTED."
	case level == "SERIALIZABLE":
		f.Level, f.Why = doctor.LevelNote, "Every read takes a lock: workers wait for each other, and meet deadlocks, after which they try again."
		f.Do = "REPEATABLE-READ or READ-COMMITTED is enough."
	}
	return f
}

func judgeIncrement(vars database.Settings, disposable bool) doctor.Finding {
	step := vars["auto_increment_increment"]
	f := doctor.Finding{Level: doctor.LevelOK, What: "auto_increment_increment", Value: fmt.Sprintf("%s, offset %s", step, vars["auto_increment_offset"])}
	if n, err := strconv.Atoi(step); err == nil && n > 1 {
		f.Level = doctor.LevelNote
		if disposable {
			f.Level = doctor.LevelWarn
		}
		f.Why = fmt.Sprintf("Each start of a disposable worker uses up %d of the layout's IDs instead of one. Leases do not use the counter.", n)
		f.Do = "Set it to 1 where no other writable server needs IDs of its own, or take leased IDs."
	}
	return f
}

func judgeFlush(vars database.Settings, loss doctor.Level) doctor.Finding {
	v, ok := vars["innodb_flush_log_at_trx_commit"]
	if !ok || isTiDB(vars) {
		return doctor.Finding{}
	}
	f := doctor.Finding{Level: doctor.LevelOK, What: "innodb_flush_log_at_trx_commit", Value: v}
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

func judgeBinlogSync(vars database.Settings, loss doctor.Level) doctor.Finding {
	if !vars.On("log_bin") || isTiDB(vars) {
		return doctor.Finding{}
	}
	f := doctor.Finding{Level: doctor.LevelOK, What: "sync_binlog", Value: vars["sync_binlog"]}
	if f.Value != "1" {
		f.Level = loss
		f.Why = "After a crash of the machine the binary log may lack transactions that were acknowledged, which the server then rolls back and replicas never get. " + lossWhy
		f.Do = "Set it to 1."
	}
	return f
}

func judgeIDCache(create, table string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "AUTO_ID_CACHE", Value: "1"}
	if !strings.Contains(create, "AUTO_ID_CACHE=1 ") && !strings.HasSuffix(create, "AUTO_ID_CACHE=1") {
		f.Level, f.Value = doctor.LevelWarn, "not 1"
		f.Why = "Each TiDB server takes IDs in batches, of 30,000 by default, and forgets the rest of a batch when it restarts: they are used up fast, and do not ascend."
		f.Do = "The option works only when a table is created: create it anew with AUTO_ID_CACHE 1 and a counter above the largest ID. ALTER TABLE " + table + " cannot change it to 1."
	}
	return f
}
