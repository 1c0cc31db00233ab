package etcd_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/worker/lease"
)

// A meter counts the requests of a client, and their bytes.
type meter struct {
	mu                       sync.Mutex
	requests, sent, received int
}

func (m *meter) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, send grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := send(ctx, method, req, reply, cc, opts...)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	m.sent += proto.Size(req.(proto.Message))
	m.received += proto.Size(reply.(proto.Message))
	return err
}

func (m *meter) dial() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(m.intercept)}
}

// What a Take and a renewal cost in a namespace of 10,000 rows.
func TestLarge(t *testing.T) {
	const rows = 10_000
	c := start(t, 3)
	admin := connect(t, nil, c.Endpoints()...)
	m := &meter{}
	client, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints(), Logger: zap.NewNop(), DialOptions: m.dial()})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	store, err := etcd.New(client, etcd.Config{})
	require.NoError(t, err)
	l, err := store.Leases("orders")
	require.NoError(t, err)
	require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error { n.Layout = strings.Repeat("l", 60); return nil }))
	const key = "uid/leases/orders/namespace"
	namespace, err := admin.Get(t.Context(), key)
	require.NoError(t, err)
	fill := func(over func(id int) bool) {
		var ops []clientv3.Op
		for id := range rows {
			until := time.Now().Add(time.Hour)
			if over(id) {
				until = time.Now().Add(-time.Hour - time.Duration(id)*time.Millisecond)
			}
			ops = append(ops, clientv3.OpPut(fmt.Sprintf("uid/leases/orders/worker/%019d", id), fmt.Sprintf(`{"v":2,"write":"%026d","nonce":"%032d","high":%d,"until":%d,"layout":"%s","holder":"some-host-name-of-a-pod/12345","acquired":%d,"renewed":%d}`,
				id, id, int64(1)<<40, until.UnixMicro(), strings.Repeat("l", 60), until.UnixMicro(), until.UnixMicro())))
		}
		ops = append(ops, clientv3.OpPut(key,
			regexp.MustCompile(`"given":-?\d+`).ReplaceAllString(string(namespace.Kvs[0].Value), fmt.Sprintf(`"given":%d`, rows-1))))
		for batch := range slices.Chunk(ops, 100) {
			_, err := admin.Txn(t.Context()).Then(batch...).Commit()
			require.NoError(t, err)
		}
	}
	w := all
	w.Rest = time.Minute
	for _, c := range []struct {
		name string
		over func(id int) bool
	}{
		{"all are held", func(int) bool { return false }},
		{"a hundredth is over", func(id int) bool { return id%100 == 50 }},
		{"a hundredth is over, above the first rows", func(id int) bool { return id > 256 && id%100 == 50 }},
		{"half is over", func(id int) bool { return id%2 == 0 }},
	} {
		fill(c.over)
		const n = 20
		reused := 0
		*m = meter{}
		began := time.Now()
		for range n {
			require.NoError(t, l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
				if r.Nonce, r.Until = "n", now.Now.Add(time.Hour); r.WorkerID < rows {
					reused++
				}
				return nil
			}))
		}
		t.Logf("Take, %s: %.1f requests, %.1f ms, %d bytes sent, %d received; %d of %d are of former rows", c.name,
			float64(m.requests)/n, float64(time.Since(began).Microseconds())/n/1000, m.sent/n, m.received/n, reused, n)
		require.Less(t, m.received/n, 500*(256+16*15), "bytes")
	}
	*m = meter{}
	began := time.Now()
	const n = 200
	for i := range int64(n) {
		require.NoError(t, l.Change(t.Context(), i, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { r.High++; return nil }))
	}
	t.Logf("Change: %.1f requests, %.1f ms, %d bytes sent, %d received", float64(m.requests)/n, float64(time.Since(began).Microseconds())/n/1000, m.sent/n, m.received/n)

	w.IDs.Last = rows - 1 // and no row is free: all have to be read
	fill(func(int) bool { return false })
	*m = meter{}
	began = time.Now()
	require.Error(t, l.Take(t.Context(), w, func(*lease.Namespace, *lease.Row, lease.Clock) error { return nil }))
	t.Logf("Take, none is free: %d requests, %.0f ms, %d bytes received", m.requests, time.Since(began).Seconds()*1000, m.received)
}
