package engines

import (
	"context"
	"io"
	"net/url"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/jmoiron/sqlx"

	_ "github.com/uidgen/uid/connect/mysql" // which open what URLs name
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/segment"
	_ "github.com/uidgen/uid/stores/redis"
	_ "github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A Store is the leases and the segments of one place.
type Store struct {
	registry.Store
	Segments segment.Store
}

// clockError is more than the clocks of one machine differ by.
const clockError = 5 * time.Millisecond

// Open opens the store at a URL of a Deployment, for as long as the Closer is open. It connects as
// late as it can, and notices soon that a server of etcd or ZooKeeper does not answer any more.
func Open(ctx context.Context, where string) (Store, io.Closer, error) {
	if strings.HasPrefix(where, "postgres:") { // whose opener is another module
		db, err := sqlx.Open("pgx", where)
		if err != nil {
			return Store{}, nil, err
		}
		s, err := sqlstore.New(db, sqlstore.Config{})
		if err != nil {
			return Store{}, nil, err
		}
		return Store{s.Registry(), s.Segments()}, db, nil
	}
	if u, err := url.Parse(where); err == nil && u.Scheme == "etcd" {
		return openEtcd(u)
	} else if err == nil && u.Scheme == "zookeeper" {
		return openZooKeeper(u)
	}
	u, err := scheme.Parse(where)
	if err != nil {
		return Store{}, nil, err
	}
	s, err := u.Open(ctx, scheme.Options{Timeout: time.Second})
	if err != nil {
		return Store{}, nil, err
	}
	return Store{s.Registry, s.Segments}, closer(s.Close), nil
}

type closer func() error

func (c closer) Close() error { return c() }
