package engines

import (
	"context"
	"slices"
	"time"

	"github.com/uidgen/uid/test/engines/cluster"
)

// ZooKeeper is an ensemble of three servers.
var ZooKeeper = Engine{Name: "zookeeper", Start: startZooKeeper}

func startZooKeeper() (*Deployment, error) {
	z, err := cluster.StartZooKeeper(3)
	if err != nil {
		return nil, err
	}
	d := several("zookeeper", z.Servers)
	d.Close = z.Close
	d.Version = func() (string, error) { return cluster.ZooKeeperVersion(z.Servers[0]) }
	d.Leader = func() (int, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		return max(0, slices.Index(z.Servers, z.Leader(ctx))), nil
	}
	return d, nil
}
