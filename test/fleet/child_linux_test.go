package fleet

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"os"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
)

// canary is a password that turns up wherever one may stand by mistake.
const canary = "hunter2"

func TestMain(m *testing.M) {
	crew.Child(openStore)
	_ = mysql.SetLogger(log.New(&said, "driver: ", 0))
	cluster.Main(m)
}

// said is what the driver logs in this process.
var said texts

// A store is where the table is.
type store struct {
	SQLite string // a path, or
	Addr   string // of a server
}

// text is the store as processes get it.
func (s store) text() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// openStore is for processes.
func openStore(ctx context.Context, text string) (lease.Store, io.Closer, error) {
	var s store
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, nil, err
	}
	if err := mysql.SetLogger(log.New(os.Stderr, "driver: ", 0)); err != nil {
		return nil, nil, err
	}
	db, err := s.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	leases, err := leasesIn(db)
	return leases, db, err
}

// source returns what sql.Open takes for a server. The canary is in five places of it:
// user, password, network, address and database.
func (s store) source() string {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = canary, canary, canary, canary+s.Addr, canary
	cfg.Timeout = time.Second
	return cfg.FormatDSN()
}

func (s store) open(ctx context.Context) (*sqlx.DB, error) {
	if s.SQLite != "" {
		return sqlite.Open(ctx, s.SQLite)
	}
	mysql.RegisterDialContext(canary, func(ctx context.Context, addr string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", addr[len(canary):])
	})
	return sqlx.Open("mysql", s.source())
}

// leasesIn returns the leases in a database.
func leasesIn(db *sqlx.DB) (lease.Store, error) {
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		return nil, err
	}
	return tables.Leases("")
}

// newLease returns a worker on the database.
func newLease(db *sqlx.DB, cfg lease.Config) (*lease.Lease, error) {
	leases, err := leasesIn(db)
	if err != nil {
		return nil, err
	}
	return lease.New(leases, cfg)
}
