package engines

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	_ "github.com/uidgen/uid/connect/mysql" // which open what URLs name
	_ "github.com/uidgen/uid/connect/postgres"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/segment"
	_ "github.com/uidgen/uid/stores/etcd"
	_ "github.com/uidgen/uid/stores/kubernetes"
	_ "github.com/uidgen/uid/stores/redis"
	"github.com/uidgen/uid/stores/zookeeper"
	_ "github.com/uidgen/uid/worker/sqlite"
)

// A Store is the leases and the segments of one place.
type Store struct {
	registry.Store
	Segments segment.Store
}

// clockError is more than the clocks of one machine differ by.
const clockError = 5 * time.Millisecond

// Open opens the store at a URL of a Deployment, for as long as the Closer is open.
func Open(ctx context.Context, where string) (Store, io.Closer, error) {
	if strings.HasPrefix(where, "etcd:") {
		where += "?clockerror=" + clockError.String()
	}
	u, err := scheme.Parse(where)
	if err != nil {
		return Store{}, nil, err
	}
	if u.Scheme == "zookeeper" {
		return openZooKeeper(u.Hosts)
	}
	s, err := u.Open(ctx, scheme.Options{Timeout: time.Second})
	if err != nil {
		return Store{}, nil, err
	}
	return Store{s.Registry, s.Segments}, closer(s.Close), nil
}

// openZooKeeper has a session that is shorter than that of a URL: the client waits for more than six sessions for a
// server that stands still.
func openZooKeeper(hosts []string) (Store, io.Closer, error) {
	c, _, err := zk.Connect(hosts, 2*time.Second, zk.WithLogger(silence{}))
	if err != nil {
		return Store{}, nil, err
	}
	s, err := zookeeper.New(c, zookeeper.Config{ClockError: clockError})
	if err != nil {
		c.Close()
		return Store{}, nil, err
	}
	return Store{s.Registry(), s.Segments()}, closer(func() error { c.Close(); return nil }), nil
}

type closer func() error

func (c closer) Close() error { return c() }

type silence struct{}

func (silence) Printf(string, ...any) {}
