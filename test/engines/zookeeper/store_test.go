// Package zookeeper_test runs the store for ZooKeeper on an ensemble of three.
package zookeeper_test

import (
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/test/engines/cluster"
)

// The ensemble that tests share which do no harm to its servers.
var shared struct {
	once     sync.Once
	ensemble *cluster.ZooKeeper
	err      error
	roots    atomic.Int64
}

func TestMain(m *testing.M) {
	m.Run()
	if shared.ensemble != nil {
		shared.ensemble.Close()
	}
}

func ensemble(t testing.TB) *cluster.ZooKeeper {
	t.Helper()
	shared.once.Do(func() { shared.ensemble, shared.err = cluster.StartZooKeeper(3) })
	require.NoError(t, shared.err)
	return shared.ensemble
}

// root returns the path of a node that is not there yet.
func root() string { return fmt.Sprintf("/test%d/uid", shared.roots.Add(1)) }

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

// subject is an empty store. Its clients share connections, each to one server: some servers lag
// behind others.
func subject(t *testing.T) drivertest.Subject {
	e, root := ensemble(t), root()
	var conns []*zk.Conn
	for _, addr := range e.Addrs() {
		c := connect(t, addr)
		require.NoError(t, c.AddAuth("digest", []byte("uid:"+secret)))
		conns = append(conns, c)
	}
	var n atomic.Int64
	return drivertest.Subject{
		Open: func() (stores.Driver, error) {
			s, err := zookeeper.New(conns[int(n.Add(1))%len(conns)], zookeeper.Config{Root: root, ACL: zk.AuthACL(zk.PermAll)})
			if err != nil {
				return nil, err
			}
			return s.Driver(), nil
		},
		Remove: func(key string) error {
			k, _ := stores.ParseKey(key)
			if k.ID < 0 {
				_, err := conns[0].Set(root+"/"+k.Namespace, nil, -1)
				return err
			}
			if err := conns[0].Delete(fmt.Sprintf("%s/%s/%d", root, k.Namespace, k.ID), -1); err != zk.ErrNoNode {
				return err
			}
			return nil
		},
		Secret: secret,
	}
}

func TestStore(t *testing.T) { drivertest.Run(t, drivertest.Config{}, subject) }

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
