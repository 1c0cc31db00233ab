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

// A failure is the error of a database call, in words fit for a log. It keeps nothing of the
// driver's error, which may quote the DSN: neither in its text nor for errors.As.
type failure struct {
	doing       string
	cause       error
	kind        Kind
	unreachable bool
}

// A Kind says what a failure means for another attempt.
type Kind int

// The kinds.
const (
	Final        Kind = iota // another attempt would fail, too
	Transient                // a later attempt may well succeed
	MissingTable             // final, unless somebody creates the table
)

func (f *failure) Error() string { return f.doing + ": " + f.cause.Error() }
func (f *failure) Unwrap() error { return f.cause }

// Transient reports to package retry whether another attempt may succeed.
func (f *failure) Transient() bool { return f.kind == Transient }

// Unreachable reports to package retry whether nobody has answered.
func (f *failure) Unreachable() bool { return f.unreachable }

// Failed translates a driver's error, or nil; doing says which operation failed. It does not keep err.
// The result holds no secret, and its method Transient says whether it may pass.
func Failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	kind, cause := translate(err)
	return &failure{doing, cause, kind, kind == Transient && isUnreachable(err)}
}

// isUnreachable reports whether there is no server, as far as the network knows: that it does not answer in
// time may pass.
func isUnreachable(err error) bool {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Op == "dial" && !e.Timeout()
	}
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// Changed returns how many rows a statement has changed, or why that is not known.
func Changed(doing string, res sql.Result, err error) (n int64, _ error) {
	if err == nil {
		n, err = res.RowsAffected()
	}
	return n, Failed(doing, err)
}

// KindOf returns the kind of an error made by Failed, and Final for every other.
func KindOf(err error) Kind {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.kind
	}
	return Final
}

// passedOn are errors with a fixed text; they are returned as they are.
var passedOn = []struct {
	kind Kind
	errs []error
}{
	{Transient, []error{
		context.Canceled, // whether the caller's context ended is for the caller to see
		context.DeadlineExceeded, os.ErrDeadlineExceeded, driver.ErrBadConn, mysql.ErrInvalidConn,
		io.ErrUnexpectedEOF, io.EOF,
		sql.ErrConnDone, sql.ErrTxDone, // after a connection broke, and after the context ended it
	}},
	{Final, []error{
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

// translate returns err in other words, and its kind. Of an error that it does not know it
// returns only the type.
func translate(err error) (Kind, error) {
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
		return Transient, dnsWords(e)
	}
	for _, p := range passedOn {
		for _, known := range p.errs {
			if errors.Is(err, known) {
				return p.kind, known
			}
		}
	}
	// The driver pgx, of a connection that is gone.
	if _, ok := errors.AsType[interface {
		error
		SafeToRetry() bool
	}](err); ok {
		return Transient, errors.New("the connection is closed")
	}
	switch text := err.Error(); {
	case text == closedDB:
		return Final, errors.New(closedDB)
	// A SQLite driver that keeps its code in a field instead of a method.
	case strings.HasPrefix(text, "database is locked"), strings.HasPrefix(text, "database table is locked"):
		return Transient, errors.New("the SQLite database is locked")
	case strings.HasPrefix(text, noSuchTable):
		return MissingTable, errors.New("the table does not exist")
	}
	return Final, fmt.Errorf("%T (its text is withheld, for it may quote the DSN)", err)
}

type meaning struct {
	kind  Kind
	words string
}

// mysqlMeaning explains the error numbers of MySQL, MariaDB, Galera and group replication that a
// worker meets.
var mysqlMeaning = map[uint16]meaning{
	1020: {Transient, "the row changed since it was read"},
	1040: {Transient, "too many connections"},
	1044: {Final, "access denied: the account may not use this database"},
	1045: {Final, "access denied: wrong user or password, or not from this host"},
	1046: {Final, "no database selected: the DSN is to name one"},
	1047: {Transient, "the node is not ready for queries"},
	1049: {Final, "no such database"},
	1053: {Transient, "the server is shutting down"},
	1062: {Final, "a row with this key exists: is the table's AUTO_INCREMENT counter behind its rows?"},
	1130: {Final, "access denied: not from this host"},
	1142: {Final, "access denied: the account lacks this right on the table"},
	1143: {Final, "access denied: the account lacks this right on a column"},
	1146: {MissingTable, "the table does not exist"},
	1158: {Transient, "network error"},
	1159: {Transient, "network timeout"},
	1160: {Transient, "network error"},
	1161: {Transient, "network timeout"},
	1180: {Transient, "the commit failed"},
	1203: {Transient, "the account has too many connections"},
	1205: {Transient, "waited too long for a lock"},
	1213: {Transient, "deadlock"},
	1226: {Transient, "the account has too many connections, or has used up what it may do in an hour"},
	1227: {Final, "access denied: the account lacks a privilege"},
	1290: {Final, "the server is read-only: is it a replica?"},
	1317: {Transient, "the query was interrupted"},
	1412: {Transient, "the table's definition has just changed"},
	1467: {Final, "the table's AUTO_INCREMENT counter is at its end"},
	1698: {Final, "access denied: wrong user or password, or not from this host"},
	1792: {Final, "the transaction is read-only"},
	1820: {Final, "access denied: the account is to change its password first"},
	1836: {Final, "the server is read-only"},
	1862: {Final, "access denied: the account's password has expired"},
	1927: {Transient, "the connection was killed"},
	1969: {Transient, "the statement has taken too long (max_statement_time)"},
	3024: {Transient, "the query has taken too long (max_execution_time)"},
	3032: {Transient, "the server is in offline mode"},
	3101: {Transient, "the transaction was rolled back by group replication"},
	3118: {Final, "access denied: the account is locked"},
	3572: {Transient, "another one has the lock"},
	4031: {Transient, "the server closed an idle connection"},
}

func translateMySQL(e *mysql.MySQLError) (Kind, error) {
	m, known := mysqlMeaning[e.Number]
	if !known {
		m.words = "(the server's text is withheld, for it may name the account)"
		if words, ok := mysqlOfColumn[e.Number]; ok {
			m.words = ofColumn(words, e.Message)
		}
	}
	return m.kind, fmt.Errorf("MySQL %w", &mysql.MySQLError{Number: e.Number, SQLState: e.SQLState, Message: m.words})
}

// sqliteMeaning explains SQLite's primary result codes. SQLite has one code for all errors in
// SQL, so the text distinguishes those.
var sqliteMeaning = map[int]meaning{
	3:  {Final, "access denied"},
	5:  {Transient, "the database is locked"},
	6:  {Transient, "the table is locked"},
	8:  {Final, "the database is read-only"},
	9:  {Transient, "the query was interrupted"},
	10: {Final, "disk I/O error"},
	11: {Final, "the database file is malformed"},
	13: {Final, "the disk, or the table's counter, is full"},
	14: {Final, "the database file cannot be opened"},
	15: {Transient, "the locks of the database are contended"},
	26: {Final, "the file is not a SQLite database"},
}

const noSuchTable = "no such table: "

// sqliteMoved is SQLite's code for a file that is no longer where it was opened.
const sqliteMoved = 1032

func translateSQLite(code int, text string) (Kind, error) {
	if code == sqliteMoved {
		return Final, misplaced("it is no longer in its place (SQLite error %d)", code)
	}
	m := sqliteMeaning[code&0xff]
	if m.words == "" {
		switch {
		case strings.Contains(text, noSuchTable):
			m = meaning{MissingTable, "the table does not exist"}
		case strings.Contains(text, "has no column named "), strings.Contains(text, "no such column: "):
			m.words = ofColumn(noSuchColumn, text)
		default:
			m.words = "(its text is withheld, for it may quote the DSN)"
		}
	}
	return m.kind, fmt.Errorf("SQLite error %d: %s", code, m.words)
}

// translateNet keeps a numeric address, and drops names and paths. Network errors may pass, above
// all that of a server which has not been started yet. Final are an invalid address, and a socket
// that is not permitted.
func translateNet(e *net.OpError) (Kind, error) {
	where := e.Op
	if a, ok := e.Addr.(*net.TCPAddr); ok {
		where += " " + a.String()
	}
	if errno, ok := errors.AsType[syscall.Errno](e); ok {
		kind := Transient
		if errno.Is(os.ErrPermission) {
			kind = Final
		}
		return kind, fmt.Errorf("%s: %w", where, errno)
	}
	if dns, ok := errors.AsType[*net.DNSError](e); ok {
		return Transient, fmt.Errorf("%s: %w", where, dnsWords(dns))
	}
	if e.Timeout() {
		return Transient, fmt.Errorf("%s: %w", where, os.ErrDeadlineExceeded)
	}
	kind := Transient
	switch e.Err.(type) {
	case net.UnknownNetworkError, net.InvalidAddrError, *net.AddrError, *net.ParseError:
		kind = Final
	}
	return kind, fmt.Errorf("%s: %T", where, e.Err)
}

func dnsWords(e *net.DNSError) error {
	if e.IsNotFound {
		return errors.New("the server's host name or port does not resolve")
	}
	return errors.New("the server's host name could not be looked up just now")
}

// Codes returns the code of a driver's error: a number of MySQL's, a state of PostgreSQL's or a code of SQLite's.
func Codes(err error) (number uint16, state string, code int) {
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

// IsDuplicate reports whether a row was refused because of its key.
func IsDuplicate(err error) bool {
	const mysqlDuplicate = 1062
	const constraint = 19 // SQLite's, whose others a worker cannot offend
	number, state, code := Codes(err)
	return number == mysqlDuplicate || state == postgresDuplicate || code&0xff == constraint
}

// IsRaced reports whether a single statement was refused, and nothing of it was stored, because
// of what others have written at the same time: a row with the key, a lock, a deadlock, a failed
// certification, a conflict between two transactions.
func IsRaced(err error) bool {
	number, state, _ := Codes(err)
	return IsDuplicate(err) || slices.Contains([]uint16{1020, 1205, 1213, 3572}, number) ||
		state == "40001" || state == "40P01"
}
