package database

import (
	"errors"

	"github.com/go-sql-driver/mysql"
)

// An Origin says where, when and in what state of the session a statement has read rows. What was
// decided by them may be written by the same server only: another one may lack the newest writes,
// or have newer ones.
type Origin struct {
	Now        Micros // the database's time, when the rows had been read
	late       int64  // microseconds that are part of Now
	connection int64  // of MySQL: the session
	server     int64  // of MySQL: the server's name and number; of PostgreSQL: when it was started
	plain      bool   // a statement commits by itself
	readOnly   bool
	Schema     string // of PostgreSQL: where the table is; empty if there is none
}

// OriginColumns are what Fields scans, of a statement that reads a table.
func (d Dialect) OriginColumns(table string) string {
	columns := d.Now() + ", " + d.Late() + ", "
	switch d {
	case MySQL:
		return columns + mysqlConnection + ", " + mysqlServer + ", " + mysqlPlain + ", " + mysqlReadOnly + ", ''"
	case Postgres:
		return columns + "0, " + postgresServer + ", TRUE, " + postgresReadOnly +
			", COALESCE((SELECT CAST(CAST(relnamespace AS REGNAMESPACE) AS TEXT) " +
			"FROM pg_class WHERE oid = TO_REGCLASS('`" + table + "`')), '')"
	}
	return columns + "0, 0, 1, 0, ''"
}

const (
	// A proxy that shares connections may send two statements of one client to two servers, or
	// over two connections.
	mysqlConnection = "CONNECTION_ID()"
	mysqlServer     = "CRC32(CONCAT_WS(' ', @@global.server_id, @@hostname, @@port))"
	// With completion_type a transaction may follow on the one before. MySQL, other than MariaDB,
	// does not tell whether one is open.
	mysqlPlain    = "@@autocommit = 1 AND @@completion_type = 'NO_CHAIN' /*M! AND @@in_transaction = 0 */"
	mysqlReadOnly = "@@global.read_only OR @@global.innodb_read_only"

	postgresServer   = "CAST(EXTRACT(EPOCH FROM PG_POSTMASTER_START_TIME()) * 1000000 AS BIGINT)"
	postgresReadOnly = "(PG_IS_IN_RECOVERY() OR CURRENT_SETTING('transaction_read_only') = 'on')"
)

// Fields returns where to scan OriginColumns.
func (o *Origin) Fields() []any {
	return []any{&o.Now, &o.late, &o.connection, &o.server, &o.plain, &o.readOnly, &o.Schema}
}

// Plain reports whether a statement of the session commits by itself.
func (o *Origin) Plain() bool { return o.plain }

// Same returns the condition that a statement runs where o was read.
func (d Dialect) Same(o Origin) string {
	switch d {
	case MySQL:
		return mysqlConnection + " = " + Int(o.connection) + " AND " + mysqlServer + " = " + Int(o.server)
	case Postgres:
		return postgresServer + " = " + Int(o.server)
	}
	return "1 = 1"
}

// longestLate is the longest a reading statement may take, in microseconds.
const longestLate = 1e6

// Settle makes Now the time after the rows were read, where that can be told.
func (o *Origin) Settle() {
	if 0 <= o.late && o.late <= longestLate {
		o.Now, o.late = o.Now+Micros(o.late), 0
	}
}

// errLate says that it is not known when rows were read.
var errLate = &failure{"read rows", errors.New("the database has taken more than 1 s, or its session's time stands still"), Transient}

// Decides returns an error when nothing can be decided by what was read: the time is not known,
// or the server refuses writes, as a replica does, and may lack the newest ones.
func (o *Origin) Decides(d Dialect) error {
	if o.late != 0 {
		return errLate
	}
	return o.Writes(d)
}

// Writes returns an error when the server refuses writes, as a replica does, and may lack the
// newest ones: nothing is decided by what it has.
func (o *Origin) Writes(d Dialect) error {
	switch {
	case !o.readOnly:
		return nil
	case d == MySQL: // what it answers to a write
		return Failed("read rows", &mysql.MySQLError{Number: 1290})
	}
	return &failure{"read rows", &postgresError{postgresReadOnlyState, postgresMeaning[postgresReadOnlyState].words}, Final}
}

// SameAs reports whether both were read from one server, in one session.
func (o *Origin) SameAs(p Origin) bool { return o.connection == p.connection && o.server == p.server }
