package zookeeper_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/worker/lease"
)

// counted is a network connection that counts what it carries.
type counted struct {
	net.Conn
	bytes *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.bytes.Add(int64(n))
	return n, err
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.bytes.Add(int64(n))
	return n, err
}

// What an acquisition and a renewal cost in namespaces of several sizes.
func TestSizes(t *testing.T) {
	e := ensemble(t)
	var carried atomic.Int64
	dial := func(network, address string, timeout time.Duration) (net.Conn, error) {
		c, err := net.DialTimeout(network, address, timeout)
		return counted{c, &carried}, err
	}
	conn, _, err := zk.Connect(e.Addrs(), 4*time.Second, zk.WithLogger(quiet{}), zk.WithDialer(dial))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	for _, rows := range []int{10, 200, 5000} {
		t.Run(strconv.Itoa(rows), func(t *testing.T) {
			root := root()
			store, err := zookeeper.New(conn, zookeeper.Config{Root: root})
			require.NoError(t, err)
			open := func() *zookeeper.Leases {
				l, err := store.Leases("orders")
				require.NoError(t, err)
				return l
			}
			l := open()
			require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error { n.Layout = "x"; return nil }))
			take := func(l lease.Store) {
				w := lease.Wanted{IDs: lease.Range{Last: 1 << 22}, Highest: func(time.Time) int64 { return math.MaxInt64 }}
				require.NoError(t, l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
					r.Nonce, r.Until, r.Holder, r.Layout = "abcdefghijklmnopqrstuvwxyz", now.Now.Add(time.Hour), "a-host-name-of-some-length/12345", "sign=1 time=28 worker=22 sequence=13"
					return nil
				}))
			}
			take(l)
			held, _, err := conn.Get(root + "/orders/0")
			require.NoError(t, err)
			made, _, err := conn.Children(root + "/orders")
			require.NoError(t, err)
			var ops []any
			for id := 1; id < rows; id++ {
				if name := strconv.Itoa(id); slices.Contains(made, name) {
					ops = append(ops, &zk.SetDataRequest{Path: root + "/orders/" + name, Data: held, Version: -1})
				} else {
					ops = append(ops,
						&zk.CreateRequest{Path: root + "/orders/" + name, Data: held, Acl: zk.WorldACL(zk.PermAll)})
				}
				if len(ops) == 500 || id == rows-1 {
					_, err := conn.Multi(ops...)
					require.NoError(t, err)
					ops = nil
				}
			}
			require.NoError(t, setGiven(conn, root+"/orders", int64(rows-1)))
			// A twentieth is free: the rows say that their leases ended in 2001.
			_, tail, _ := bytes.Cut(held, []byte(`"until":`))
			until, _, _ := bytes.Cut(tail, []byte(","))
			over := bytes.Replace(held, until, []byte("1000000000000000"), 1)
			for id := 7; id < rows; id += 20 {
				_, err := conn.Set(fmt.Sprintf("%s/orders/%d", root, id), over, -1)
				require.NoError(t, err)
			}
			cost := func(what string, n int, do func(i int)) {
				carried.Store(0)
				began := time.Now()
				for i := range n {
					do(i)
				}
				t.Logf("%d rows: %s takes %.1f ms and %d bytes", rows, what, time.Since(began).Seconds()*1e3/float64(n), carried.Load()/int64(n))
			}
			cost("a first acquisition", 20, func(int) { take(open()) })
			cost("a later one", 20, func(int) { take(l) })
			cost("a renewal", 100, func(i int) {
				require.NoError(t, l.Change(t.Context(), 0, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { r.High++; return nil }))
			})
			refused := errors.New("refused")
			cost("a refused renewal", 20, func(int) {
				require.ErrorIs(t, l.Change(t.Context(), 0, func(*lease.Namespace, *lease.Row, lease.Clock) error { return refused }), refused)
			})
		})
	}
}
