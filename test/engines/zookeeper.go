package engines

import (
	"context"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/test/engines/cluster"
)

// ZooKeeper is an ensemble of three servers.
var ZooKeeper = Engine{Name: "zookeeper", Start: startZooKeeper}

func startZooKeeper() (*Deployment, error) {
	z, err := cluster.StartZooKeeper(3)
	if err != nil {
		return nil, err
	}
	d := several("zookeeper", z.Nodes)
	d.Close = z.Close
	d.Version = func() (string, error) { return cluster.ZooKeeperVersion(z.Nodes[0]) }
	d.Leader = func() (int, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		return max(0, slices.Index(z.Nodes, z.Leader(ctx))), nil
	}
	return d, nil
}

func openZooKeeper(u *url.URL) (Store, io.Closer, error) {
	c, _, err := zk.Connect(strings.Split(u.Host, ","), 2*time.Second, zk.WithLogger(silence{}))
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

type silence struct{}

func (silence) Printf(string, ...any) {}
