package databases_test

import (
	"database/sql"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/sqlstore"
)

// clients are those of one subject.
type clients struct {
	faultyDatabase
	t      *testing.T
	made   pretence
	faults sync.Map // of stores to *faults

	mu   sync.Mutex
	late []func() // writes that are on their way
}

func (d faultyDatabase) clients(t *testing.T) *clients { return &clients{faultyDatabase: d, t: t} }

// open opens the pool of one more client.
func (c *clients) open() (*sqlstore.DB, *faults) {
	f := &faults{Connector: c.Connect(), pretence: &c.made, late: func(write func()) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.late = append(c.late, write)
	}}
	db := sqlx.NewDb(sql.OpenDB(f), c.Driver)
	c.t.Cleanup(func() { db.Close() })
	return tablesOf(db, sqlstore.Config{}), f
}

// fault sets the next fault of a client's store.
func (c *clients) fault(store any, fault storetest.Fault) bool {
	f, _ := c.faults.Load(store)
	f.(*faults).next.Store(int64(fault))
	return true
}

// deliver lets the writes arrive that are on their way.
func (c *clients) deliver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, write := range c.late {
		write()
	}
	c.late = nil
}
