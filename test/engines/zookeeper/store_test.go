// Package zookeeper_test runs the store for ZooKeeper on an ensemble of three.
package zookeeper_test

import (
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/segment/segmenttest"
	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
	"github.com/uidgen/uid/worker/storetest"
)

// ensemble is what tests share which do no harm to its servers.
var ensemble = cluster.Share(func() (*cluster.ZooKeeper, error) { return cluster.StartZooKeeper(3) })

func TestMain(m *testing.M) { cluster.Main(m) }

var roots atomic.Int64

// root returns the path of a node that is not there yet.
func root() string { return fmt.Sprintf("/test%d/uid", roots.Add(1)) }

// connect returns a connection that ends with the test.
func connect(t testing.TB, servers ...string) *zk.Conn {
	t.Helper()
	c, _, err := zk.Connect(servers, 4*time.Second, zk.WithLogger(quiet{}))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

const secret = "hunter2"

// faultyStores returns what opens stores at an empty root. They share connections, each to one server:
// some servers lag behind others.
func faultyStores(t *testing.T) (f *faulty, at string, conns []*zk.Conn, open func() (*zookeeper.Store, *faultyConn, error)) {
	f, at = new(faulty), root()
	for _, addr := range ensemble(t).Addrs() {
		c := connect(t, addr)
		require.NoError(t, c.AddAuth("digest", []byte("uid:"+secret)))
		conns = append(conns, c)
	}
	var n atomic.Int64
	return f, at, conns, func() (*zookeeper.Store, *faultyConn, error) {
		conn := &faultyConn{Conn: conns[int(n.Add(1))%len(conns)], f: f}
		s, err := zookeeper.New(conn, zookeeper.Config{Root: at, ACL: zk.AuthACL(zk.PermAll)})
		return s, conn, err
	}
}

// subject is an empty store.
func subject(t *testing.T) storetest.Subject {
	f, root, conns, open := faultyStores(t)
	return storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			s, conn, err := open()
			if err != nil {
				return nil, err
			}
			l, err := s.Leases(namespace)
			return client{l, conn}, err
		},
		Registry: func() (registry.Store, error) { s, _, err := open(); return s, err },
		Fault:    func(c lease.Store, fault storetest.Fault) bool { return c.(client).conn.set(fault) },
		Deliver:  f.deliver,
		RemoveNamespace: func(namespace string) error {
			_, err := conns[0].Set(root+"/"+namespace, nil, -1)
			return err
		},
		RemoveRow: func(namespace string, id int64) error {
			if err := conns[0].Delete(fmt.Sprintf("%s/%s/%d", root, namespace, id), -1); err != zk.ErrNoNode {
				return err
			}
			return nil
		},
		SetGiven: func(namespace string, n int64) error { return setGiven(conns[0], root+"/"+namespace, n) },
		Secret:   secret,
	}
}

var given = regexp.MustCompile(`"given":-?\d+`)

// setGiven writes the Given of a namespace by hand.
func setGiven(conn *zk.Conn, path string, n int64) error {
	if _, err := conn.Set(path+"/clock", nil, -1); err != nil { // it sees the newest state then
		return err
	}
	is, _, err := conn.Get(path)
	if err != nil {
		return err
	}
	_, err = conn.Set(path, given.ReplaceAll(is, fmt.Appendf(nil, `"given":%d`, n)), -1)
	return err
}

func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Config{}, subject)
	storetest.RunRegistry(t, storetest.Config{}, subject)
}

// The suite of stores of segments.
func TestSegments(t *testing.T) {
	segmenttest.Run(t, segmenttest.Config{Histories: 10}, func(t *testing.T) segmenttest.Subject {
		f, _, _, open := faultyStores(t)
		return segmenttest.Subject{
			Open: func() (segment.Store, error) {
				s, conn, err := open()
				if err != nil {
					return nil, err
				}
				return segmentClient{s.Segments(), conn}, nil
			},
			Fault:   func(c segment.Store, fault segmenttest.Fault) bool { return c.(segmentClient).conn.set(fault) },
			Deliver: f.deliver,
			Secret:  secret,
		}
	})
}

type client struct {
	*zookeeper.Leases
	conn *faultyConn
}

type segmentClient struct {
	*zookeeper.Segments
	conn *faultyConn
}
