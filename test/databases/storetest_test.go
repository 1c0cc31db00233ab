package databases_test

import (
	"context"
	"database/sql/driver"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/faulty"
	"github.com/uidgen/uid/test/kit"
)

// The tables are a store as package lease wants one, on both kinds of database. What a clock that stands shows, which
// the test turns, depends on neither.
func TestStore(t *testing.T) {
	t.Parallel()
	for kind, fresh := range kit.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel() // they wait most of the time
			open := func(t *testing.T) storetest.Subject { return subject(t, fresh(t), false).Subject(t) }
			storetest.Run(t, storetest.Config{Histories: 8}, open)
			storetest.RunRegistry(t, storetest.Config{}, open)
		})
	}
	t.Run("a clock that stands", func(t *testing.T) {
		t.Parallel()
		// A statement that is on its way has the time of before: what turns the clock waits for it.
		cfg := storetest.Config{Histories: 8, Patience: 200 * time.Millisecond}
		storetest.Run(t, cfg, func(t *testing.T) storetest.Subject {
			return subject(t, kit.NewMySQL(t), true).Subject(t)
		})
	})
}

// The tables of segments are a store as package segment wants one, on both kinds of database.
func TestSegments(t *testing.T) {
	t.Parallel()
	for kind, fresh := range kit.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			segmenttest.Run(t, segmenttest.Config{Histories: 8}, func(t *testing.T) segmenttest.Subject {
				return subject(t, fresh(t), false).Segments(t)
			})
		})
	}
}

// subject is a database each of whose clients has a pool of its own.
func subject(t *testing.T, s store, stands bool) faulty.Database {
	admin := s.Open(t)
	connect := func() (driver.Connector, error) {
		cfg, err := mysql.ParseDSN(s.Source)
		if err != nil {
			return nil, err
		}
		cfg.Logger = cluster.Quiet
		return mysql.NewConnector(cfg)
	}
	if s.Driver == "sqlite" {
		connect = func() (driver.Connector, error) {
			return fileConnector{admin.Driver(), "file:" + s.Source + "?_synchronous=EXTRA&_txlock=immediate&_busy_timeout=10000"}, nil
		}
	}
	return faulty.Database{Driver: s.Driver, Connect: connect, Admin: admin, Stands: stands}
}

type fileConnector struct {
	driver driver.Driver
	source string
}

func (c fileConnector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.source) }
func (c fileConnector) Driver() driver.Driver                        { return c.driver }
