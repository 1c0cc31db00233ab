// Package zookeeper_test runs the store for ZooKeeper on an ensemble of three.
package zookeeper_test

import (
	"fmt"
	"net/url"
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

var (
	ensemble = cluster.Share(func() (*cluster.ZooKeeper, error) { return cluster.StartZooKeeper(3) })
	roots    atomic.Int64
)

func TestMain(m *testing.M) { cluster.Main(m) }

type quiet struct{}

func (quiet) Printf(string, ...any) {}

const secret = "hunter2"

// subject is an empty store. Its clients share connections, each to one server: some servers lag
// behind others.
func subject(t *testing.T) drivertest.Subject {
	root := fmt.Sprintf("/test%d/uid", roots.Add(1)) // which is not there yet
	var conns []*zk.Conn
	for _, addr := range ensemble(t).Addrs() {
		c, _, err := zk.Connect([]string{addr}, 4*time.Second, zk.WithLogger(quiet{}))
		require.NoError(t, err)
		t.Cleanup(c.Close)
		require.NoError(t, c.AddAuth("digest", []byte("uid:"+secret)))
		conns = append(conns, c)
	}
	var n atomic.Int64
	return drivertest.Subject{
		Open: func() (stores.Driver, error) {
			conn := conns[int(n.Add(1))%len(conns)]
			s, err := zookeeper.New(conn, zookeeper.Config{Root: root, ACL: zk.AuthACL(zk.PermAll)})
			if err != nil {
				return nil, err
			}
			return s.Driver(), nil
		},
		Remove: func(key string) error {
			k, _ := stores.ParseKey(key)
			if k.ID < 0 {
				_, err := conns[0].Set(root+"/"+url.PathEscape(k.Namespace), nil, -1)
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
