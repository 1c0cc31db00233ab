package database

var inMySQL = expressionsOf{
	now: "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))",
	// The time that the statement has waited, for a change of the table's definition, say. It is 0 on a server whose
	// SYSDATE is NOW, and an hour off when a summer time begins or ends meanwhile.
	delay: "TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))",
	// A proxy that shares connections may send two statements of one client to two servers, or over two
	// connections.
	session: "CONNECTION_ID()",
	// MariaDB has no server_uuid. No argument of CONCAT is NULL, which Oracle's mode ignores; SPACE(0) is not NULL in
	// any mode.
	history: "COALESCE((SELECT CONCAT('server ', HEX(CRC32(CONCAT_WS(' '," +
		" /*!50700 @@server_uuid, */ @@global.server_id, @@hostname, @@port, @@datadir)))," +
		" @uid_since, ', table made ', " + mysqlTime("UNIX_TIMESTAMP(CREATE_TIME)") +
		") FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'" +
		" AND CREATE_TIME IS NOT NULL AND @uid_started > 0), SPACE(0))",
	justStarted: "UNIX_TIMESTAMP() < @uid_started + 2",
	needsSetup:  "@uid_started IS NULL",
	// The server's status is expensive to read, and a session is never older than the server: so a session reads it
	// once. The start is a whole second, and always the same one: a step of the clock changes Uptime, too. Without a
	// battery the clock may begin at the same second twice. So MariaDB's text has the clock sequence of its UUIDs,
	// which is random at each start. MySQL's follows from the second of the start, and changes when its clock is set
	// back.
	setUp: "SET @uid_started = COALESCE(" + mysqlStarted + ", 0)," +
		" @uid_since = CONCAT_WS(', cluster ', CONCAT(' since ', " + mysqlTime("COALESCE("+mysqlStarted+", 0)") +
		" /*M! , ' ', SUBSTR(CONVERT(UUID() USING utf8mb4), 20, 4) */), LEFT(" +
		mysqlStatus("wsrep_cluster_state_uuid") + ", 8))",
	// With completion_type a transaction may follow the one before. MySQL, unlike MariaDB, does not tell whether one is
	// open.
	autocommits: "@@autocommit = 1 AND @@completion_type = 'NO_CHAIN' /*M! AND @@in_transaction = 0 */",
	// From MariaDB 12 on read_only has more values than ON.
	readOnly: "CONCAT(@@global.read_only) NOT IN ('0', 'OFF') OR @@global.innodb_read_only",
	schema:   "SPACE(0)",
	// The session's charset may be one in which a name of the schema cannot be compared with a text.
	alike: "SELECT TABLE_NAME, @@lower_case_table_names = 0 FROM information_schema.TABLES" +
		" WHERE TABLE_SCHEMA = DATABASE() AND LOWER(TABLE_NAME) IN ({names}) ORDER BY TABLE_NAME",
	indexed: "CONVERT(%s USING utf8mb4) COLLATE utf8mb4_bin",
	begin:   "START TRANSACTION",
	// With a session's completion_type, a plain COMMIT or ROLLBACK may begin another transaction, or end
	// the session.
	ends: " AND NO CHAIN NO RELEASE",
}

var mysqlStarted = "UNIX_TIMESTAMP() - CAST(" + mysqlStatus("Uptime") + " AS SIGNED)"

// mysqlStatus reads a variable of the server's status: MariaDB has it in one schema, MySQL in another.
func mysqlStatus(name string) string {
	return "(SELECT VARIABLE_VALUE FROM /*M! information_schema */ /*!50700 performance_schema */ .session_status" +
		" WHERE VARIABLE_NAME = '" + name + "' AND LENGTH(VARIABLE_VALUE) > 0)"
}

// mysqlTime formats seconds since 1970, whatever the session's time zone.
func mysqlTime(seconds string) string {
	return "DATE_FORMAT(TIMESTAMPADD(SECOND, " + seconds + ", '1970-01-01 00:00:00'), '%Y-%m-%dT%TZ')"
}
