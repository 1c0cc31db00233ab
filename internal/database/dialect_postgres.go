package database

import "fmt"

var inPostgres = expressionsOf{
	now:     "CAST(FLOOR(EXTRACT(EPOCH FROM CLOCK_TIMESTAMP()) * 1000000) AS BIGINT)",
	delay:   "0",
	session: "0", // a pooler may change it
	// A crash of one process restarts all others and loses unflushed writes, while the server continues: then the
	// statistics are reset. xmin is the last change of the table's definition, including its name, and relfilenode
	// changes with TRUNCATE. The name of the log has the timeline, which changes when a standby is promoted. Another
	// database or schema under the same name has another xmin; VACUUM does not change xmin.
	history: "COALESCE('server since ' || " + postgresTime("PG_POSTMASTER_START_TIME()") +
		" || ', timeline ' || CASE WHEN PG_IS_IN_RECOVERY() THEN ''" +
		" ELSE SUBSTR(PG_WALFILE_NAME(PG_CURRENT_WAL_LSN()), 1, 8) END" +
		" || ', no crash since ' ||" +
		" COALESCE((SELECT " + postgresTime("stats_reset") + " FROM pg_stat_bgwriter), 'ever')" +
		" || ', table ' || (SELECT c.oid || '/' || relfilenode || '/' || CAST(c.xmin AS TEXT)" +
		" || ' in ' || CAST(n.xmin AS TEXT) || ' of ' || d.oid || '/' || CAST(d.xmin AS TEXT)" +
		" FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace" +
		" JOIN pg_database d ON datname = CURRENT_DATABASE()" +
		" WHERE c.oid = TO_REGCLASS('`{table}`')), '')",
	justStarted: "FALSE",
	needsSetup:  "FALSE",
	autocommits: "TRUE",
	readOnly:    "(PG_IS_IN_RECOVERY() OR CURRENT_SETTING('transaction_read_only') = 'on')",
	schema: "COALESCE((SELECT CAST(CAST(relnamespace AS REGNAMESPACE) AS TEXT) " +
		"FROM pg_class WHERE oid = TO_REGCLASS('`{table}`')), '')",
	alike: "SELECT CAST(relname AS TEXT), TRUE FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f')" +
		" AND pg_table_is_visible(oid) AND LOWER(relname) IN ({names}) ORDER BY 1",
	indexed: "%s",
	// The server ends a transaction that stands still for as long as stall; see Prepare.
	begin: fmt.Sprintf("START TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE; "+
		"SET LOCAL idle_in_transaction_session_timeout = %d", stall.Milliseconds()),
}

func postgresTime(at string) string {
	return "TO_CHAR(" + at + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
