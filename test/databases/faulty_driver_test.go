package databases_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/test/engines/cluster"
)

// A faults connects a client to a database, fails as it is told, and pretends.
type faults struct {
	driver.Connector
	*pretence
	next      atomic.Int64 // a storetest.Fault
	late      func(write func())
	committed *func() // is called when a transaction of a file is committed
}

// A pretence is what the clients of a database are made to believe.
type pretence struct {
	clock  atomic.Int64 // microseconds since 1970, at which the clock stands; 0 for the database's own
	server atomic.Int64 // how many servers have taken over from the first
	// readOnly is what a MySQL server says that its read_only is; "" stands for what it is.
	readOnly string
}

// reads returns a query with the time that the client is to see.
func (p *pretence) reads(query string) string {
	if now := p.clock.Load(); now != 0 {
		for _, d := range []database.Dialect{database.MySQL, database.Postgres, database.SQLite} {
			query = strings.ReplaceAll(query, strings.TrimPrefix(d.Clock(), "SELECT "), fmt.Sprint(now))
		}
		query = strings.ReplaceAll(query, "SYSDATE(6)", "NOW(6)")
	}
	return p.sends(query)
}

// sends returns a statement as the server that is there now would understand it.
func (p *pretence) sends(statement string) string {
	if p.readOnly != "" {
		statement = strings.ReplaceAll(statement, "@@global.read_only", "'"+p.readOnly+"'")
	}
	if n := p.server.Load(); n != 0 {
		statement = strings.ReplaceAll(statement, "@@global.server_id", fmt.Sprintf("(@@global.server_id + %d)", n))
		statement = strings.ReplaceAll(statement, "PG_POSTMASTER_START_TIME()",
			fmt.Sprintf("(PG_POSTMASTER_START_TIME() + INTERVAL '%d s')", n))
	}
	return statement
}

func (f *faults) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := f.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{session: c.(session), faults: f}, nil
}

// fails takes a fault, if it is the next one.
func (f *faults) fails(how storetest.Fault) bool {
	return f.next.CompareAndSwap(int64(how), int64(storetest.OK))
}

// commit carries out a commit, or loses it.
func (f *faults) commit(do, undo func() error) error {
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

// A session is what the drivers' connections have in common.
type session interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
}

type conn struct {
	session
	faults *faults
	held   bool
	open   []string // the statements since the transaction began, that one included
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.faults.fails(storetest.Refuse) {
		return nil, driver.ErrBadConn
	}
	return c.session.QueryContext(ctx, c.faults.reads(query), args)
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	if c.faults.fails(storetest.Refuse) {
		return nil, driver.ErrBadConn
	}
	exec := func() (err error) {
		r, err = c.session.ExecContext(ctx, c.faults.sends(query), args)
		return err
	}
	switch {
	case strings.HasPrefix(query, begin):
		c.open = []string{query}
		err = exec()
	case strings.HasPrefix(query, cluster.Commit), c.open == nil && decisive(query):
		late := append(c.open, query)
		c.open = nil
		if c.faults.fails(storetest.Delay) {
			return nil, c.hold(late)
		}
		// The server undoes what is open when the connection ends.
		err = c.faults.commit(exec, c.Close)
	default:
		if c.open != nil {
			c.open = append(c.open, query)
		}
		if strings.HasPrefix(query, rollback) {
			c.open = nil
		}
		err = exec()
	}
	return r, err
}

const (
	begin    = "START TRANSACTION"
	rollback = "ROLLBACK"
)

// hold keeps statements, none of which has arguments, until they are delivered. A transaction of
// which all but the commit was carried out is undone, so that it locks nothing until then.
func (c *conn) hold(statements []string) error {
	c.held = true
	send := func(statement string) (changed bool) {
		r, err := c.session.ExecContext(context.Background(), c.faults.sends(statement), nil)
		if err != nil {
			return false
		}
		n, err := r.RowsAffected()
		return err == nil && n > 0
	}
	if len(statements) > 1 {
		send(rollback)
		send("SET SESSION wait_timeout = 600")
	}
	c.faults.late(func() {
		for i, statement := range statements {
			// Its client has seen that each statement changed something.
			if changed := send(statement); !changed && 0 < i && i < len(statements)-1 {
				break
			}
		}
		_ = c.session.Close()
	})
	return driver.ErrBadConn
}

// decisive reports whether a statement of a server's leases commits by itself.
func decisive(query string) bool {
	return strings.Contains(query, cluster.LeaseWrite) || strings.Contains(query, cluster.LeaseWriteOnPostgres)
}

func (c *conn) Close() error {
	if c.held {
		return nil // the server has yet to read what is on its way
	}
	return c.session.Close()
}

func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	t, err := c.session.BeginTx(ctx, o)
	return &tx{t, c.faults}, err
}

type tx struct {
	driver.Tx
	faults *faults
}

func (t *tx) Commit() error {
	err := t.faults.commit(t.Tx.Commit, t.Rollback)
	if hook := t.faults.committed; hook != nil {
		(*hook)()
	}
	return err
}
