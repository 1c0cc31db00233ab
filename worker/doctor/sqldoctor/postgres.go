package sqldoctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

// postgresServer examines the settings of the server and of the session, and its place among
// others.
func (e *exam) postgresServer(ctx context.Context) error {
	vars, err := database.ReadSettings(ctx, e.conn, "SELECT name, COALESCE(setting, '') FROM pg_settings")
	if err != nil {
		return err
	}
	var standby bool
	if err := e.conn.GetContext(ctx, &standby, "SELECT pg_is_in_recovery()"); err != nil {
		return database.Failed("ask for the replication", err)
	}
	standbys, err := database.ConnectedStandbys(ctx, e.conn)
	if err != nil {
		return err
	}
	loss := e.lossLevel()
	for _, f := range []doctor.Finding{
		{Level: doctor.LevelOK, What: "server", Value: "PostgreSQL " + vars["server_version"]},
		judgePostgresIsolation(vars["default_transaction_isolation"]),
		judgePostgresWritable(standby, vars),
		judgeWhole(vars, "fsync"),
		judgeWhole(vars, "full_page_writes"),
		judgeSynchronousCommit(vars, loss),
		judgeStandbys(vars["synchronous_standby_names"], standbys, e.takeoverLevel()),
		judgeWALLevel(vars["wal_level"]),
		{Level: doctor.LevelOK, What: "idle_in_transaction_session_timeout", Value: vars["idle_in_transaction_session_timeout"] + " ms; workers set their own"},
	} {
		e.add(f)
	}
	return nil
}

func judgePostgresIsolation(level string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "isolation", Value: level}
	if level == "serializable" {
		f.Level, f.Why = doctor.LevelNote, "Transactions that touch the same rows fail more often, and are tried again."
		f.Do = "read committed is enough."
	}
	return f
}

func judgePostgresWritable(standby bool, vars database.Settings) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "writable", Value: "yes"}
	switch {
	case standby:
		f.Value, f.Why = "a standby", "What workers need is on the primary."
	case vars.On("default_transaction_read_only"):
		f.Value, f.Why = "default_transaction_read_only is on", "Workers cannot write here."
	default:
		return f
	}
	f.Level, f.Do = doctor.LevelError, "Connect workers to the primary (target_session_attrs=read-write finds it), with sessions that may write."
	return f
}

// judgeWhole judges a setting without which a crash damages the database.
func judgeWhole(vars database.Settings, name string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: name, Value: vars[name]}
	if !vars.On(name) {
		f.Level = doctor.LevelError
		f.Why = "A crash of the machine can damage the database, and lose any commit: IDs and ticks then come again, whatever workers are set to."
		f.Do = "Set it to on."
	}
	return f
}

func judgeSynchronousCommit(vars database.Settings, loss doctor.Level) doctor.Finding {
	v := vars["synchronous_commit"]
	f := doctor.Finding{Level: doctor.LevelOK, What: "synchronous_commit", Value: v}
	switch {
	case v == "off":
		f.Level, f.Do = loss, "Set it to on, for the database or the account of workers at least."
		f.Why = "A crash of the server loses the commits of the last moments. " + lossWhy
	case v == "local" && vars["synchronous_standby_names"] != "":
		f.Level, f.Do = loss, "Set it to on."
		f.Why = "No standby need have a commit that was acknowledged: one that takes over may lack it. " + lossWhy
	}
	return f
}

func judgeStandbys(names string, standbys []string, lacking doctor.Level) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "replication",
		Value: fmt.Sprintf("%d connected, asynchronous", len(standbys))}
	if names != "" {
		f.Value = fmt.Sprintf("%d connected, synchronous_standby_names is set", len(standbys))
	}
	lacks := database.LackingStandby(names, standbys)
	switch {
	case lacks != "":
		f.Level = lacking
		f.Why = "A failover may lose the newest commits, and of the identity column's counter, too: " +
			lacks + ". " + lossWhy
		f.Do = "Take leased IDs, with Losses as it is, or let synchronous_standby_names " +
			"make each standby that may take over have a commit: FIRST 2 (a, b). " +
			"After a failover, set the counter above the largest ID that was ever given."
	case names == "":
		f.Value = "no standby is connected"
	default:
		f.Level = doctor.LevelNote
		f.Why = "Only a standby of synchronous_standby_names has every commit. While too few are connected, commits wait."
		f.Do = "Make sure that no other one is ever promoted."
	}
	return f
}

func judgeWALLevel(v string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "wal_level", Value: v}
	if v == "minimal" {
		f.Level, f.Why = doctor.LevelNote, "The write-ahead log is neither archived nor sent to a standby: a backup that is restored lacks all that was committed since. "+lossWhy
		f.Do = "After a restore, make the namespaces anew with a rest, and set the counter above the largest ID that was ever given."
	}
	return f
}

// postgresTables examines what makes renewals costly.
func (e *exam) postgresTables(ctx context.Context) error {
	if !e.hasLease {
		return nil
	}
	var columns []string
	err := e.conn.SelectContext(ctx, &columns, `SELECT DISTINCT COALESCE(a.attname, 'an expression') FROM pg_index i
		CROSS JOIN LATERAL unnest(i.indkey) AS k(attnum) LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
		WHERE i.indrelid = CAST(quote_ident($1) AS regclass) AND LOWER(COALESCE(a.attname, '')) NOT IN ('namespace', 'worker_id') ORDER BY 1`, e.leases)
	if err != nil {
		return e.noteUnknown("indexes", database.Failed("read the indexes of table "+e.leases, err))
	}
	e.add(judgeIndexes(columns))
	var fill int
	err = e.conn.GetContext(ctx, &fill, `SELECT COALESCE((SELECT CAST(option_value AS INTEGER) FROM pg_options_to_table(c.reloptions) WHERE option_name = 'fillfactor'), 100)
		FROM pg_class c WHERE c.oid = CAST(quote_ident($1) AS regclass)`, e.leases)
	if err != nil {
		return e.noteUnknown("fillfactor", database.Failed("read the options of table "+e.leases, err))
	}
	e.add(judgeFillFactor(fill, e.leases))
	return nil
}

func judgeIndexes(columns []string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "indexes", Value: "the primary key only"}
	if len(columns) > 0 {
		f.Level, f.Value = doctor.LevelWarn, "also of "+strings.Join(columns, ", ")
		f.Why = "With an index of a column that a renewal changes, every renewal writes the index as well (it is no HOT update), and the table grows until it is vacuumed."
		f.Do = "Drop it: workers need the primary key only."
	}
	return f
}

func judgeFillFactor(fill int, table string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "fillfactor", Value: fmt.Sprint(fill)}
	if fill > 90 {
		f.Level, f.Why = doctor.LevelNote, "A page has no room for the next version of its rows, so that renewals write the index, too."
		f.Do = "ALTER TABLE " + table + " SET (fillfactor = 80)"
	}
	return f
}

// postgresGrants examines the rights of this account.
func (e *exam) postgresGrants(ctx context.Context) error {
	const what = "grants"
	var super bool
	if err := e.conn.GetContext(ctx, &super, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"); err != nil {
		return e.noteUnknown(what, database.Failed("ask for the account", err))
	}
	have, needs := map[string][]string{}, map[string][]string{}
	for _, t := range []struct {
		name  string
		there bool
		needs []string
	}{{e.nodes, e.hasNodes, []string{"SELECT", "INSERT"}}, {e.leases, e.hasLease, []string{"SELECT", "INSERT", "UPDATE"}}} {
		if !t.there {
			continue
		}
		needs[t.name] = t.needs
		for _, right := range []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"} {
			var has bool
			if err := e.conn.GetContext(ctx, &has, "SELECT has_table_privilege(quote_ident($1), $2)", t.name, right); err != nil {
				return e.noteUnknown(what, database.Failed("ask for the account's rights", err))
			}
			if has {
				have[t.name] = append(have[t.name], right)
			}
		}
	}
	if len(needs) > 0 || super {
		e.add(judgePostgresGrants(super, have, needs))
	}
	return nil
}

func judgePostgresGrants(super bool, have, needs map[string][]string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "grants", Value: needsText(have)}
	if f.Value == "" {
		f.Value = "none"
	}
	if super {
		f.Value = "a superuser"
	}
	var lacks, extra []string
	for table, rights := range needs {
		for _, right := range rights {
			if !slices.Contains(have[table], right) {
				lacks = append(lacks, right+" on "+table)
			}
		}
		for _, right := range have[table] {
			if !slices.Contains(workerRights, right) {
				extra = append(extra, right+" on "+table)
			}
		}
	}
	slices.Sort(lacks)
	const statements = " The documentation of package sqlstore has the statements."
	switch {
	case len(lacks) > 0:
		f.Level, f.Why, f.Do = doctor.LevelError, "Workers need what this account lacks: "+strings.Join(lacks, ", ")+".", "Grant it."+statements
	case super || len(extra) > 0:
		f.Level, f.Why = doctor.LevelWarn, "Wider than workers need. A row that is deleted or dropped by mistake makes IDs come again."
		f.Do = "Give workers an account of their own that does not own the tables."
		if len(needs) > 0 {
			f.Do = "Give workers an account of their own that does not own the tables, with " + needsText(needs) + " and nothing else." + statements
		}
	}
	return f
}
