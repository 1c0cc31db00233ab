package worker

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"
)

// A failure is what a database call came to, in words fit for a log. It keeps
// nothing of the driver's error, which may quote the DSN: not in its text, and
// not for errors.As either.
type failure struct {
	doing string
	cause error
	kind  failureKind
}

type failureKind int

const (
	final        failureKind = iota // the same again is going to fail again
	transient                       // a later attempt may well succeed
	missingTable                    // final, unless somebody creates the table
)

func (f *failure) Error() string { return f.doing + ": " + f.cause.Error() }
func (f *failure) Unwrap() error { return f.cause }

// Transient is for package retry.
func (f *failure) Transient() bool { return f.kind == transient }

// failed translates a driver's error, for ever: err itself is not kept.
func failed(doing string, err error) error {
	kind, cause := translate(err)
	return &failure{doing, cause, kind}
}

// kindOf is final for everything that is not a failure.
func kindOf(err error) failureKind {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.kind
	}
	return final
}

// passedOn are errors with a fixed text, returned as they are.
var passedOn = []struct {
	err  error
	kind failureKind
}{
	{context.Canceled, transient}, // whether the caller's context ended is for the caller to see
	{context.DeadlineExceeded, transient},
	{os.ErrDeadlineExceeded, transient},
	{driver.ErrBadConn, transient},
	{mysql.ErrInvalidConn, transient},
	{io.ErrUnexpectedEOF, transient},
	{io.EOF, transient},
	{sql.ErrConnDone, transient}, // after a connection broke, and
	{sql.ErrTxDone, transient},   // after the context ended it
	{mysql.ErrNoTLS, final},
	{mysql.ErrCleartextPassword, final},
	{mysql.ErrNativePassword, final},
	{mysql.ErrOldPassword, final},
	{mysql.ErrUnknownPlugin, final},
	{mysql.ErrOldProtocol, final},
	{mysql.ErrMalformPkt, final},
	{mysql.ErrPktSync, final},
	{mysql.ErrPktTooLarge, final},
}

// closedDB is database/sql's error for a closed sql.DB, which has no name there.
const closedDB = "sql: database is closed"

// translate returns err in other words, and its kind. What it does not know it
// names by its type only.
func translate(err error) (failureKind, error) {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return translateMySQL(e)
	}
	if e, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		return translateSQLite(e.Code(), e.Error())
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return translateNet(e)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return transient, dnsWords(e)
	}
	for _, p := range passedOn {
		if errors.Is(err, p.err) {
			return p.kind, p.err
		}
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

type meaning struct {
	kind  failureKind
	words string
}

// mysqlMeaning tells the error numbers of MySQL, MariaDB, Galera and group
// replication that a worker meets.
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
	3032: {transient, "the server is in offline mode"},
	3101: {transient, "the transaction was rolled back by group replication"},
	3118: {final, "access denied: the account is locked"},
	4031: {transient, "the server closed an idle connection"},
}

func translateMySQL(e *mysql.MySQLError) (failureKind, error) {
	m, known := mysqlMeaning[e.Number]
	if !known {
		m.words = "(the server's text is withheld, for it may name the account)"
		if words, ok := mysqlOfColumn[e.Number]; ok {
			m.words = ofColumn(words, e.Message)
		}
	}
	return m.kind, fmt.Errorf("MySQL %w", &mysql.MySQLError{Number: e.Number, SQLState: e.SQLState, Message: m.words})
}

// sqliteMeaning tells SQLite's primary result codes. SQLite has one code for all
// errors in SQL, so those are told by their text.
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

// sqliteMoved is SQLite's code for a file that is no longer where it was opened.
const sqliteMoved = 1032

func translateSQLite(code int, text string) (failureKind, error) {
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

// translateNet keeps a numeric address, and leaves names and paths away. Network
// errors may pass, that of a server which has not been started yet above all,
// except those of an address that is none, and being denied the socket.
func translateNet(e *net.OpError) (failureKind, error) {
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

// duplicateKey is MySQL's error number for a key that is there already.
const duplicateKey = 1062

// isDuplicate reports whether a row was refused because of its key.
func isDuplicate(err error) bool {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return e.Number == duplicateKey
	}
	const constraint = 19 // SQLite's, whose others a worker cannot offend
	e, ok := errors.AsType[interface {
		error
		Code() int
	}](err)
	return ok && e.Code()&0xff == constraint
}
