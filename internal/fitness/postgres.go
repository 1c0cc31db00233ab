package fitness

import (
	"context"
	"fmt"
	"strconv"

	"github.com/uidgen/uid/internal/database"
)

// What the rows need: the views pg_settings and pg_stat_replication would read all settings, and all sessions.
const (
	postgresSettings = `SELECT name, COALESCE(CURRENT_SETTING(name, TRUE), '') FROM UNNEST(ARRAY['server_version',
	'fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'wal_level',
	'default_transaction_isolation', 'default_transaction_read_only', 'idle_in_transaction_session_timeout']) name
	UNION ALL SELECT 'standby', CAST(PG_IS_IN_RECOVERY() AS TEXT)`
	postgresStandbys = `SELECT COALESCE(a.application_name, '')
	FROM PG_STAT_GET_WAL_SENDERS() w CROSS JOIN LATERAL PG_STAT_GET_ACTIVITY(w.pid) a`
)

func (e *exam) postgres(ctx context.Context) error {
	vars, err := readSettings(ctx, e.conn, postgresSettings)
	if err != nil {
		return err
	}
	// Those that are connected, which any account may see.
	name := func(name *string) []any { return []any{name} }
	var standbys []string
	if e.takeovers {
		if standbys, err = database.SelectRows(ctx, e.conn, name, postgresStandbys); err != nil {
			return database.Failed("ask for standbys", err)
		}
	}
	e.judge(postgresRows(vars, standbys)...)
	if e.hasLease {
		return e.renewalsCost(ctx)
	}
	return nil
}

// postgresRows judge the settings of the server and of the session, and the server's place among others.
func postgresRows(vars settings, standbys []string) []row {
	const isolation, writable, replication = "isolation", "writable", "replication"
	const committed, wal, idle = "synchronous_commit", "wal_level", "idle_in_transaction_session_timeout"
	level, commit := vars["default_transaction_isolation"], vars[committed]
	names := vars["synchronous_standby_names"]
	const primary = "Connect workers to the primary (target_session_attrs=read-write finds it), " +
		"with sessions that may write."
	how := fmt.Sprintf("%d connected, asynchronous", len(standbys))
	if names != "" {
		how = fmt.Sprintf("%d connected, synchronous_standby_names is set", len(standbys))
	}
	lacking := lackingStandby(names, standbys)
	rows := []row{
		fine("server", "PostgreSQL "+vars["server_version"]),
		{level == "serializable", note, isolation, level,
			"Transactions that touch the same rows fail more often, and are tried again.", "read committed is enough."},
		fine(isolation, level),
		{vars["standby"] == "true", bad, writable, "a standby", "What workers need is on the primary.", primary},
		{vars.on("default_transaction_read_only"), bad, writable, "default_transaction_read_only is on",
			"Workers cannot write here.", primary},
		fine(writable, "yes"),
		{commit == "off", crash, committed, commit,
			"A crash of the server loses the commits of the last moments" + lossWhy,
			"Set it to on, for the database or the account of workers at least."},
		{commit == "local" && names != "", takeover, committed, commit,
			"synchronous_commit is local: no standby need have a commit" + lossWhy, "Set it to on."},
		fine(committed, commit),
		{lacking != "", takeover, replication, how, lacking + lossWhy, "Take leased IDs, with Losses as it is, or " +
			"let synchronous_standby_names make each standby that may take over have a commit: FIRST 2 (a, b). " +
			"After a failover, set the counter above the largest ID that was ever given."},
		{names == "", ok, replication, "no standby is connected", "", ""},
		{true, note, replication, how,
			"Only a standby of synchronous_standby_names has every commit. While too few are connected, commits wait.",
			"Make sure that no other one is ever promoted."},
		{vars[wal] == "minimal", note, wal, vars[wal],
			"The write-ahead log is neither archived nor sent to a standby: " +
				"a backup that is restored lacks all that was committed since" + lossWhy,
			"After a restore, make the namespaces anew with a rest, " +
				"and set the counter above the largest ID that was ever given."},
		fine(wal, vars[wal]),
		fine(idle, vars[idle]+"; workers set their own"),
	}
	for _, name := range []string{"fsync", "full_page_writes"} {
		rows = append(rows, []row{
			{vars[name] == "", "", name, "", "", ""},
			{!vars.on(name), damage, name, vars[name] + ", not on",
				"A crash of the machine can damage the database, and lose any commit: " +
					"IDs and ticks then come again, whatever workers are set to.", "Set it to on."},
			fine(name, vars[name]),
		}...)
	}
	return rows
}

// renewalsCost judges what of the table of leases makes renewals costly: indexes, and pages that are full.
func (e *exam) renewalsCost(ctx context.Context) error {
	has, err := readSettings(ctx, e.conn, e.dialect.SQL(`SELECT 'indexes',
		COALESCE(string_agg(DISTINCT COALESCE(a.attname, 'an expression'), ', '), '')
		FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) AS k(attnum)
		LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
		WHERE i.indrelid = CAST('`+"`"+e.Leases+"`"+`' AS regclass)
		AND LOWER(COALESCE(a.attname, '')) NOT IN ('namespace', 'worker_id')
		UNION ALL SELECT 'fillfactor',
		COALESCE((SELECT option_value FROM pg_options_to_table(c.reloptions) WHERE option_name = 'fillfactor'), '100')
		FROM pg_class c WHERE c.oid = CAST('`+"`"+e.Leases+"`"+`' AS regclass)`))
	if err != nil {
		return e.noteUnknown("indexes and fillfactor", err)
	}
	e.judge(renewalRows(has, e.Leases)...)
	return nil
}

func renewalRows(has settings, table string) []row {
	const indexes, fillfactor = "indexes", "fillfactor"
	fill, _ := strconv.Atoi(has[fillfactor])
	return []row{
		{has[indexes] != "", warn, indexes, "also of " + has[indexes],
			"With an index of a column that a renewal changes, every renewal writes the index as well " +
				"(it is no HOT update), and the table grows until it is vacuumed.",
			"Drop it: workers need the primary key only."},
		fine(indexes, "the primary key only"),
		{fill > 90, note, fillfactor, has[fillfactor],
			"A page has no room for the next version of its rows, so that renewals write the index, too.",
			"ALTER TABLE " + table + " SET (fillfactor = 80)"},
		fine(fillfactor, has[fillfactor]),
	}
}
