package databases_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker/storetest"
)

// A faultyDriver connects to a store, fails as it is told, and sets the database's clock.
type faultyDriver struct {
	driver.Connector
	clock *atomic.Int64 // microseconds since 1970, at which it stands; 0 for the database's own
	next  atomic.Int64  // a storetest.Fault
}

// openFaulty opens a store with a pool of its own.
func openFaulty(t testing.TB, s store, clock *atomic.Int64) (*sqlx.DB, *faultyDriver) {
	t.Helper()
	f := &faultyDriver{clock: clock}
	if s.Driver == "sqlite" {
		plain := s.Open(t)
		f.Connector = fileConnector{plain.Driver(), "file:" + s.Source + "?_synchronous=EXTRA&_txlock=immediate&_busy_timeout=10000"}
	} else {
		cfg, err := mysql.ParseDSN(s.Source)
		require.NoError(t, err)
		cfg.Logger = testserver.Quiet
		f.Connector, err = mysql.NewConnector(cfg)
		require.NoError(t, err)
	}
	db := sqlx.NewDb(sql.OpenDB(f), s.Driver)
	t.Cleanup(func() { db.Close() })
	return db, f
}

type fileConnector struct {
	driver driver.Driver
	source string
}

func (c fileConnector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.source) }
func (c fileConnector) Driver() driver.Driver                        { return c.driver }

func (f *faultyDriver) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := f.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyConn{c, f}, nil
}

// fails takes a fault, if it is the next one.
func (f *faultyDriver) fails(how storetest.Fault) bool {
	return f.next.CompareAndSwap(int64(how), int64(storetest.OK))
}

// commit carries out a commit, or loses it.
func (f *faultyDriver) commit(do, undo func() error) error {
	switch {
	case f.fails(storetest.LoseWrite):
		_ = undo()
		return driver.ErrBadConn
	case f.fails(storetest.LoseReply):
		if err := do(); err != nil {
			return err
		}
		return driver.ErrBadConn
	}
	return do()
}

type faultyConn struct {
	driver.Conn
	*faultyDriver
}

func (c *faultyConn) Driver() driver.Driver { return c.faultyDriver.Driver() }

func (c *faultyConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c *faultyConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

func (c *faultyConn) ResetSession(ctx context.Context) error {
	if resetter, ok := c.Conn.(driver.SessionResetter); ok {
		return resetter.ResetSession(ctx)
	}
	return nil
}

func (c *faultyConn) IsValid() bool {
	validator, ok := c.Conn.(driver.Validator)
	return !ok || validator.IsValid()
}

func (c *faultyConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.fails(storetest.Refuse) {
		return nil, driver.ErrBadConn
	}
	if now := c.clock.Load(); now != 0 && (query == database.MySQL.Clock() || query == database.SQLite.Clock()) {
		query = fmt.Sprintf("SELECT %d", now)
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c *faultyConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	if c.fails(storetest.Refuse) {
		return nil, driver.ErrBadConn
	}
	exec := func() (err error) {
		r, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
		return err
	}
	if strings.HasPrefix(query, "COMMIT") {
		// The server undoes what is open when the connection ends.
		err = c.commit(exec, c.Close)
	} else {
		err = exec()
	}
	return r, err
}

func (c *faultyConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
	return &faultyTx{tx, c.faultyDriver}, err
}

type faultyTx struct {
	driver.Tx
	driver *faultyDriver
}

func (tx *faultyTx) Commit() error { return tx.driver.commit(tx.Tx.Commit, tx.Rollback) }
