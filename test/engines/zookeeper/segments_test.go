package zookeeper_test

import (
	"sync/atomic"
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/segment/segmenttest"
	"github.com/uidgen/uid/stores/zookeeper"
)

type segmentClient struct {
	*zookeeper.Segments
	conn *faultyConn
}

// The suite of stores of segments. Clients share connections, each to one server: some servers lag
// behind others.
func TestSegments(t *testing.T) {
	e := ensemble(t)
	segmenttest.Run(t, segmenttest.Config{Histories: 10}, func(t *testing.T) segmenttest.Subject {
		f, root := newFaulty(), root()
		var conns []*zk.Conn
		for _, addr := range e.Addrs() {
			c := connect(t, addr)
			require.NoError(t, c.AddAuth("digest", []byte("uid:"+secret)))
			conns = append(conns, c)
		}
		var n atomic.Int64
		return segmenttest.Subject{
			Open: func() (segment.Store, error) {
				conn := &faultyConn{Conn: conns[int(n.Add(1))%len(conns)], f: f}
				store, err := zookeeper.New(conn, zookeeper.Config{Root: root, ACL: zk.AuthACL(zk.PermAll)})
				if err != nil {
					return nil, err
				}
				return segmentClient{store.Segments(), conn}, nil
			},
			Fault:   func(c segment.Store, fault segmenttest.Fault) bool { return c.(segmentClient).conn.set(fault) },
			Deliver: f.deliver,
			Secret:  secret,
		}
	})
}
