package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// The tables of package sqlstore are a store as package lease wants one. The tests in test/databases do the same on
// servers.
func TestLeases(t *testing.T) {
	open := func(t *testing.T) storetest.Subject { return newFile(t).leases() }
	storetest.Run(t, storetest.Config{Histories: 8}, open)
	storetest.RunRegistry(t, storetest.Config{}, open)
}

// The table of segments is a store as package segment wants one.
func TestSegments(t *testing.T) {
	segmenttest.Run(t, segmenttest.Config{Histories: 8},
		func(t *testing.T) segmenttest.Subject { return newFile(t).segments() })
}

// A file is a database, each of whose clients has a pool of its own.
type file struct {
	t      *testing.T
	source string
	admin  *sqlx.DB
	faults sync.Map // of stores
}

func newFile(t *testing.T) *file {
	path := filepath.Join(t.TempDir(), "uid.db")
	// What is written need not outlive the machine.
	f := &file{t: t, source: "file:" + path + "?_synchronous=OFF&_txlock=immediate&_busy_timeout=10000"}
	f.admin = open(t, path)
	return f
}

// client opens the tables, whose next transaction can be made to fail.
func (f *file) client() (*sqlstore.DB, *faults) {
	c := &faults{driver: f.admin.Driver(), source: f.source}
	db := sqlx.NewDb(sql.OpenDB(c), "sqlite")
	f.t.Cleanup(func() { db.Close() })
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(f.t, err)
	return tables, c
}

// fault sets the next fault of a store.
func (f *file) fault(store any, next storetest.Fault) bool {
	if next == storetest.Delay {
		return false // the file is locked until the write is there
	}
	c, _ := f.faults.Load(store)
	c.(*faults).next.Store(int64(next))
	return true
}

func (f *file) do(statement string, args ...any) error {
	_, err := f.admin.Exec(statement, args...)
	return err
}

func (f *file) leases() storetest.Subject {
	return storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			tables, c := f.client()
			l, err := tables.Leases(namespace)
			f.faults.Store(l, c)
			return l, err
		},
		Registry: func() (registry.Store, error) {
			tables, _ := f.client()
			return tables.Registry(), nil
		},
		Fault: func(client lease.Store, next storetest.Fault) bool { return f.fault(client, next) },
		RemoveNamespace: func(namespace string) error {
			return f.do("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = -1", namespace)
		},
		RemoveRow: func(namespace string, id int64) error {
			return f.do("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = ?", namespace, id)
		},
		SetGiven: func(namespace string, given int64) error {
			holder := ""
			if given >= 0 {
				holder = fmt.Sprintf("all worker IDs, given up to %d", given)
			}
			return f.do("UPDATE WORKER_LEASE SET HOLDER = ? WHERE NAMESPACE = ? AND WORKER_ID = -1", holder, namespace)
		},
	}
}

func (f *file) segments() segmenttest.Subject {
	return segmenttest.Subject{
		Open: func() (segment.Store, error) {
			tables, c := f.client()
			s := tables.Segments()
			f.faults.Store(s, c)
			return s, nil
		},
		Fault: func(client segment.Store, next segmenttest.Fault) bool { return f.fault(client, next) },
		Foreign: func(tag string, n int64) (first int64, err error) {
			const draw = "UPDATE leaf_alloc SET max_id = max_id + ? WHERE biz_tag = ? RETURNING max_id"
			err = f.admin.Get(&first, draw, n, tag)
			return first - n, err
		},
		Lower: func(tag string, next int64) error {
			if next < 0 {
				return f.do("DELETE FROM leaf_alloc WHERE biz_tag = ?", tag)
			}
			return f.do("UPDATE leaf_alloc SET max_id = ? WHERE biz_tag = ?", next, tag)
		},
	}
}

// A faults connects a client, and fails as it is told.
type faults struct {
	driver driver.Driver
	source string
	next   atomic.Int64 // a storetest.Fault
}

func (c *faults) Driver() driver.Driver { return c.driver }

func (c *faults) Connect(context.Context) (driver.Conn, error) {
	to, err := c.driver.Open(c.source)
	if err != nil {
		return nil, err
	}
	return conn{to.(connection), c}, nil
}

// fails takes a fault, if it is the next one.
func (c *faults) fails(how storetest.Fault) bool {
	return c.next.CompareAndSwap(int64(how), int64(storetest.OK))
}

type connection interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
}

type conn struct {
	connection
	faults *faults
}

func (c conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.faults.fails(storetest.Refuse) {
		return nil, driver.ErrBadConn
	}
	to, err := c.connection.BeginTx(ctx, o)
	return tx{to, c.faults}, err
}

type tx struct {
	driver.Tx
	faults *faults
}

func (t tx) Commit() error {
	switch {
	case t.faults.fails(storetest.LoseWrite):
		_ = t.Rollback()
	case t.faults.fails(storetest.LoseReply):
		if err := t.Tx.Commit(); err != nil {
			return err
		}
	default:
		return t.Tx.Commit()
	}
	return driver.ErrBadConn
}
