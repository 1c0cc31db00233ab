package engines

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A Store is the leases and the segments of one place.
type Store struct {
	registry.Store
	Segments segment.Store
}

// openers open stores, by the scheme of their URL.
var openers = map[string]func(context.Context, *url.URL) (Store, io.Closer, error){
	"postgres":  openPostgres,
	"mysql":     openMySQL,
	"sqlite":    openSQLite,
	"etcd":      openEtcd,
	"zookeeper": openZooKeeper,
	"redis":     openRedis,
}

// clockError is more than the clocks of one machine differ by.
const clockError = 5 * time.Millisecond

// Open opens the store at a URL of a Deployment, for as long as the Closer is open. It connects as
// late as it can.
func Open(ctx context.Context, where string) (Store, io.Closer, error) {
	u, err := url.Parse(where)
	if err != nil {
		return Store{}, nil, fmt.Errorf("the URL of a store: %w", err)
	}
	opener := openers[u.Scheme]
	if opener == nil {
		return Store{}, nil, fmt.Errorf("no store has URLs that begin with %s", u.Scheme)
	}
	return opener(ctx, u)
}

func openTables(db *sqlx.DB) (Store, io.Closer, error) {
	s, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		db.Close()
		return Store{}, nil, err
	}
	return Store{s, s.Segments()}, db, nil
}

type closer func()

func (c closer) Close() error {
	c()
	return nil
}
