// Package etcd_test runs package stores/etcd on real clusters.
package etcd_test

import (
	"context"
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/segment/segmenttest"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/etcd/etcdtest"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// connect returns a client of some endpoints, whose requests go through f if that is set.
func connect(t testing.TB, f *etcdtest.Faults, endpoints ...string) *clientv3.Client {
	t.Helper()
	cfg := clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()}
	if f != nil {
		cfg.DialOptions = f.DialOptions()
	}
	c, err := clientv3.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func start(t testing.TB, nodes int, args ...string) *cluster.Etcd {
	t.Helper()
	c, err := cluster.StartEtcd("etcd", nodes, args...)
	cluster.For(t, c, err)
	return c
}

var given = regexp.MustCompile(`"given":-?\d+`)

func TestMain(m *testing.M) { cluster.Main(m) }

// shared are the clusters of tests that do no harm to them, by how many nodes they have.
var shared = map[int]func(testing.TB) *cluster.Etcd{1: sharing(1), 3: sharing(3)}

func sharing(nodes int) func(testing.TB) *cluster.Etcd {
	return cluster.Share(func() (*cluster.Etcd, error) { return cluster.StartEtcd("etcd", nodes) })
}

var prefixes atomic.Int64

// The suites of stores, on one node and on three, where each client asks one node only.
func TestStore(t *testing.T) {
	for nodes, shared := range shared {
		t.Run(fmt.Sprintf("%d nodes", nodes), func(t *testing.T) {
			prefix := func() string { return fmt.Sprintf("test/%d/", prefixes.Add(1)) }
			storetest.Run(t, storetest.Config{Histories: 8}, func(t *testing.T) storetest.Subject {
				return subject(t, shared(t), prefix())
			})
			segmenttest.Run(t, segmenttest.Config{Histories: 8}, func(t *testing.T) segmenttest.Subject {
				return segments(t, shared(t), prefix())
			})
		})
	}
}

// nodeByNode returns what opens stores under a prefix, each over a connection to a node of its own.
func nodeByNode(t *testing.T, c *cluster.Etcd, prefix string) func(f *etcdtest.Faults) (*etcd.Store, error) {
	var clients atomic.Int64
	return func(f *etcdtest.Faults) (*etcd.Store, error) {
		node := int(clients.Add(1)) % len(c.Nodes)
		return etcd.New(connect(t, f, c.Endpoints()[node]), etcd.Config{Prefix: prefix})
	}
}

// subject is a store under a prefix.
func subject(t *testing.T, c *cluster.Etcd, prefix string) storetest.Subject {
	admin := connect(t, nil, c.Endpoints()...)
	open := nodeByNode(t, c, prefix)
	s := etcdtest.Subject(func(namespace string, f *etcdtest.Faults) (lease.Store, error) {
		store, err := open(f)
		if err != nil {
			return nil, err
		}
		return store.Namespace(namespace)
	})
	s.RemoveNamespace = func(namespace string) error {
		_, err := admin.Delete(context.Background(), prefix+"leases/"+namespace+"/namespace")
		return err
	}
	s.RemoveRow = func(namespace string, id int64) error {
		_, err := admin.Delete(context.Background(), fmt.Sprintf("%sleases/%s/worker/%019d", prefix, namespace, id))
		return err
	}
	s.SetGiven = func(namespace string, n int64) error {
		key := prefix + "leases/" + namespace + "/namespace"
		is, err := admin.Get(context.Background(), key)
		if err != nil {
			return err
		}
		_, err = admin.Put(context.Background(), key,
			given.ReplaceAllString(string(is.Kvs[0].Value), fmt.Sprintf(`"given":%d`, n)))
		return err
	}
	s.Secret = canary
	return s
}
