// Package etcd_test runs package stores/etcd on real clusters.
package etcd_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/test/engines/cluster"
)

// connect returns a client of some endpoints, whose writes go through late if that is set.
func connect(t testing.TB, late *late, endpoints ...string) *clientv3.Client {
	t.Helper()
	cfg := clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()}
	if late != nil {
		cfg.DialOptions = []grpc.DialOption{grpc.WithChainUnaryInterceptor(late.intercept)}
	}
	c, err := clientv3.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// must is for the test's own goroutine.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func start(t testing.TB, nodes int, args ...string) *cluster.Etcd {
	t.Helper()
	c, err := cluster.StartEtcd("etcd", nodes, args...)
	cluster.For(t, c, err)
	return c
}

// The suite of drivers, on one node and on three, where each client asks one node only.
func TestStore(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d nodes", nodes), func(t *testing.T) {
			c := start(t, nodes)
			var empty atomic.Int64
			fresh := func(t *testing.T) drivertest.Subject {
				return subject(t, c, fmt.Sprintf("test/%d/", empty.Add(1)))
			}
			drivertest.Run(t, drivertest.Config{Histories: 8}, fresh)
			if nodes > 1 {
				return
			}
			segmenttest.Run(t, segmenttest.Config{Histories: 8}, func(t *testing.T) segmenttest.Subject {
				s := segmenttest.Over(drivers.Database(fresh(t)))
				// They notice lost writes, even if the cluster has the same ID and the revision that was read.
				s.Backup = func() (restore func()) {
					back := backup(t, c)
					return func() {
						back("etcd")
						await(t, connect(t, nil, c.Addrs()...))
					}
				}
				return s
			})
		})
	}
}

// subject is a store under a prefix, each of whose clients has a connection to a node of its own.
func subject(t *testing.T, c *cluster.Etcd, prefix string) drivertest.Subject {
	admin := connect(t, nil, c.Addrs()...)
	var clients atomic.Int64
	return drivertest.Subject{
		Open: func() (stores.Driver, error) {
			node := int(clients.Add(1)) % len(c.Nodes)
			store, err := etcd.New(connect(t, nil, c.Addrs()[node]), etcd.Config{Prefix: prefix})
			if err != nil {
				return nil, err
			}
			return store.Driver(), nil
		},
		Remove: func(key string) error {
			_, err := admin.Delete(context.Background(), prefix+key)
			return err
		},
		Secret: canary,
	}
}
