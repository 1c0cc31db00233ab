package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"
)

// A failure is the error of a database call, with a text that may be logged. It keeps nothing of the driver's error,
// which may quote the DSN: neither in its text nor for errors.As.
type failure struct {
	doing       string
	cause       error
	kind        kind
	unreachable bool
}

// A kind is what a failure means for another attempt.
type kind int

const (
	final        kind = iota // another attempt would fail, too
	transient                // a later attempt may succeed
	missingTable             // final, unless somebody creates the table
)

func (f *failure) Error() string { return f.doing + ": " + f.cause.Error() }
func (f *failure) Unwrap() error { return f.cause }

// Transient tells package retry whether another attempt may succeed.
func (f *failure) Transient() bool { return f.kind == transient }

// Unreachable tells package retry whether no server has answered.
func (f *failure) Unreachable() bool { return f.unreachable }

// Failed translates a driver's error, or nil; doing names the operation that failed. The result does not wrap err, and
// holds no secret. Its method Transient reports whether another attempt may succeed.
func Failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	kind, cause := translate(err)
	return &failure{doing, cause, kind, kind == transient && isUnreachable(err)}
}

// isUnreachable reports whether the network knows no such server. A server that does not answer in time may be there.
func isUnreachable(err error) bool {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Op == "dial" && !e.Timeout()
	}
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// IsMissingTable reports whether an error of Failed says that the table does not exist.
func IsMissingTable(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.kind == missingTable
}

// passedOn are errors with a fixed text; they are returned as they are.
var passedOn = []struct {
	kind kind
	errs []error
}{
	{transient, []error{
		context.Canceled, // whether the caller's context ended is for the caller to see
		context.DeadlineExceeded, os.ErrDeadlineExceeded, driver.ErrBadConn, mysql.ErrInvalidConn,
		io.ErrUnexpectedEOF, io.EOF,
		sql.ErrConnDone, sql.ErrTxDone, // after a connection broke, and after the context ended it
	}},
	{final, []error{
		mysql.ErrNoTLS, mysql.ErrCleartextPassword, mysql.ErrNativePassword, mysql.ErrOldPassword,
		mysql.ErrUnknownPlugin, mysql.ErrOldProtocol, mysql.ErrMalformPkt, mysql.ErrPktSync, mysql.ErrPktTooLarge,
	}},
}

// A coder is the error of a SQLite driver.
type coder interface {
	error
	Code() int
}

// closedDB is the text of database/sql's error for a closed sql.DB, which has no exported name.
const closedDB = "sql: database is closed"

// translate returns err in other words, and its kind. Of an unknown error it keeps only the type.
func translate(err error) (kind, error) {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return translateMySQL(e)
	}
	if e, ok := errors.AsType[stater](err); ok {
		return translatePostgres(e)
	}
	if e, ok := errors.AsType[coder](err); ok {
		return translateSQLite(e.Code(), e.Error())
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return translateNet(e)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return transient, dnsWords(e)
	}
	for _, p := range passedOn {
		for _, known := range p.errs {
			if errors.Is(err, known) {
				return p.kind, known
			}
		}
	}
	// The driver pgx, when a connection is gone.
	if _, ok := errors.AsType[interface {
		error
		SafeToRetry() bool
	}](err); ok {
		return transient, errors.New("the connection is closed")
	}
	switch text := err.Error(); {
	case text == closedDB:
		return final, errors.New(closedDB)
	// A SQLite driver that keeps its code in a field instead of a method.
	case strings.HasPrefix(text, "database is locked"), strings.HasPrefix(text, "database table is locked"):
		return transient, errors.New("the SQLite database is locked")
	case strings.HasPrefix(text, noSuchTable):
		return missingTable, errors.New("the table does not exist")
	}
	return final, fmt.Errorf("%T (its text is withheld, for it may quote the DSN)", err)
}

// withheld stands for what a server says of a failure: it may name an account, and quote values of the DSN.
const withheld = "(the server's text is withheld, for it may name the account)"

// mysqlTold are failures whose text names what is not secret: a variable that a DSN sets, a character set, a collation
// or an engine.
var mysqlTold = []uint16{1115, 1193, 1238, 1273, 1286, 1419}

type meaning struct {
	kind  kind
	words string
}

// mysqlMeaning explains the errors of MySQL, MariaDB, Galera and group replication that a worker may get.
var mysqlMeaning = map[uint16]meaning{
	1020: {transient, "the row changed since it was read"},
	1040: {transient, "too many connections"},
	1044: {final, "access denied: the account may not use this database"},
	1045: {final, "access denied: wrong user or password, or not from this host"},
	1046: {final, "no database selected: the DSN is to name one"},
	1047: {transient, "the node is not ready for queries"},
	1049: {final, "no such database"},
	1053: {transient, "the server is shutting down"},
	1062: {final, "a row with this key exists: is the table's AUTO_INCREMENT counter behind its rows?"},
	1130: {final, "access denied: not from this host"},
	1142: {final, "access denied: the account lacks this right on the table"},
	1143: {final, "access denied: the account lacks this right on a column"},
	1146: {missingTable, "the table does not exist"},
	1158: {transient, "network error"},
	1159: {transient, "network timeout"},
	1160: {transient, "network error"},
	1161: {transient, "network timeout"},
	1180: {transient, "the commit failed"},
	1203: {transient, "the account has too many connections"},
	1205: {transient, "waited too long for a lock"},
	1213: {transient, "deadlock"},
	1226: {transient, "the account has too many connections, or has used up what it may do in an hour"},
	1227: {final, "access denied: the account lacks a privilege"},
	1290: {final, "the server is read-only: is it a replica?"},
	1317: {transient, "the query was interrupted"},
	1412: {transient, "the table's definition has just changed"},
	1467: {final, "the table's AUTO_INCREMENT counter is at its end"},
	1698: {final, "access denied: wrong user or password, or not from this host"},
	1792: {final, "the transaction is read-only"},
	1820: {final, "access denied: the account is to change its password first"},
	1836: {final, "the server is read-only"},
	1862: {final, "access denied: the account's password has expired"},
	1927: {transient, "the connection was killed"},
	1969: {transient, "the statement has taken too long (max_statement_time)"},
	3024: {transient, "the query has taken too long (max_execution_time)"},
	3032: {transient, "the server is in offline mode"},
	3101: {transient, "the transaction was rolled back by group replication"},
	3118: {final, "access denied: the account is locked"},
	3572: {transient, "another client has the lock"},
	4031: {transient, "the server closed an idle connection"},
}

func translateMySQL(e *mysql.MySQLError) (kind, error) {
	m, known := mysqlMeaning[e.Number]
	if !known {
		m.words = withheld
		if slices.Contains(mysqlTold, e.Number) {
			m.words = fmt.Sprintf("%.200q", e.Message)
		}
		if words, ok := mysqlOfColumn[e.Number]; ok {
			m.words = ofColumn(words, e.Message)
		}
	}
	return m.kind, fmt.Errorf("MySQL %w", &mysql.MySQLError{Number: e.Number, SQLState: e.SQLState, Message: m.words})
}

// sqliteMeaning explains SQLite's primary result codes. SQLite has one code for all errors in SQL: their texts differ.
var sqliteMeaning = map[int]meaning{
	3:  {final, "access denied"},
	5:  {transient, "the database is locked"},
	6:  {transient, "the table is locked"},
	8:  {final, "the database is read-only"},
	9:  {transient, "the query was interrupted"},
	10: {final, "disk I/O error"},
	11: {final, "the database file is malformed"},
	13: {final, "the disk, or the table's counter, is full"},
	14: {final, "the database file cannot be opened"},
	15: {transient, "the locks of the database are contended"},
	26: {final, "the file is not a SQLite database"},
}

const noSuchTable = "no such table: "

// sqliteMoved is SQLite's code for a file that is no longer at its path.
const sqliteMoved = 1032

func translateSQLite(code int, text string) (kind, error) {
	if code == sqliteMoved {
		return final, misplaced("it is no longer in its place (SQLite error %d)", code)
	}
	m := sqliteMeaning[code&0xff]
	if m.words == "" {
		switch {
		case strings.Contains(text, noSuchTable):
			m = meaning{missingTable, "the table does not exist"}
		case strings.Contains(text, "has no column named "), strings.Contains(text, "no such column: "):
			m.words = ofColumn(noSuchColumn, text)
		default:
			m.words = "(its text is withheld, for it may quote the DSN)"
		}
	}
	return m.kind, fmt.Errorf("SQLite error %d: %s", code, m.words)
}

// translateNet keeps a numeric address, and drops names and paths. Network errors are transient (a server may not have
// been started yet), but for an invalid address, and a socket that is not permitted.
func translateNet(e *net.OpError) (kind, error) {
	where := e.Op
	if a, ok := e.Addr.(*net.TCPAddr); ok {
		where += " " + a.String()
	}
	if errno, ok := errors.AsType[syscall.Errno](e); ok {
		kind := transient
		if errno.Is(os.ErrPermission) {
			kind = final
		}
		return kind, fmt.Errorf("%s: %w", where, errno)
	}
	if dns, ok := errors.AsType[*net.DNSError](e); ok {
		return transient, fmt.Errorf("%s: %w", where, dnsWords(dns))
	}
	if e.Timeout() {
		return transient, fmt.Errorf("%s: %w", where, os.ErrDeadlineExceeded)
	}
	kind := transient
	switch e.Err.(type) {
	case net.UnknownNetworkError, net.InvalidAddrError, *net.AddrError, *net.ParseError:
		kind = final
	}
	return kind, fmt.Errorf("%s: %T", where, e.Err)
}

func dnsWords(e *net.DNSError) error {
	if e.IsNotFound {
		return errors.New("the server's host name or port does not resolve")
	}
	return errors.New("the server's host name could not be looked up just now")
}

// codes returns the code of a driver's error: a number of MySQL's, a state of PostgreSQL's or a code of SQLite's.
func codes(err error) (number uint16, state string, code int) {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		number = e.Number
	}
	if e, ok := errors.AsType[stater](err); ok {
		state = e.SQLState()
	}
	if e, ok := errors.AsType[coder](err); ok {
		code = e.Code()
	}
	return number, state, code
}

// IsDenied reports whether the account lacks a right on a table. Servers of SQLite have no rights.
func IsDenied(err error) bool {
	number, state, _ := codes(err)
	return slices.Contains([]uint16{1044, 1142, 1143}, number) || state == "42501"
}

// IsDuplicate reports whether a row was refused because of its key.
func IsDuplicate(err error) bool {
	const mysqlDuplicate = 1062
	const constraint = 19 // SQLite's for all constraints; workers can violate no other one
	number, state, code := codes(err)
	return number == mysqlDuplicate || state == postgresDuplicate || code&0xff == constraint
}

// IsRaced reports whether a single statement was refused, and stored nothing, because of concurrent writes: a row with
// the key, a lock, a deadlock, a failed certification, a conflict between two transactions.
func IsRaced(err error) bool {
	number, state, _ := codes(err)
	return IsDuplicate(err) || slices.Contains([]uint16{1020, 1205, 1213, 3572}, number) ||
		state == "40001" || state == "40P01"
}
