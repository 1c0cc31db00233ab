package etcd_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
)

// late holds back a write of one client, which gets an error as from a connection that was cut.
type late struct {
	hold    bool // the next transaction that compares something, as all writes do
	deliver func()
}

func (l *late) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
	send grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if r, is := req.(*pb.TxnRequest); !is || len(r.Compare) == 0 || !l.hold {
		return send(ctx, method, req, reply, cc, opts...)
	}
	l.hold = false
	l.deliver = func() { _ = send(context.WithoutCancel(ctx), method, req, new(pb.TxnResponse), cc, opts...) }
	return status.Error(codes.Unavailable, "the connection was cut")
}

// A snapshot that is restored: as the same cluster a write that was decided on what is lost is
// refused, and as another one nobody goes on.
func TestRestore(t *testing.T) {
	for name, token := range map[string]string{"the same cluster": "etcd", "another cluster": "other"} {
		t.Run(name, func(t *testing.T) {
			c := start(t, 1)
			f := new(late)
			client := connect(t, f, c.Addrs()...)
			store := must(etcd.New(client, etcd.Config{}))
			l := must(store.Leases("orders"))
			require.NoError(t, l.Init(t.Context(), func(*storage.Namespace, storage.Clock) error { return nil }))
			hold := func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
				r.Until = now.Now.Add(time.Hour)
				return nil
			}
			require.NoError(t, l.Take(t.Context(), all, hold))
			restore := backup(t, c)
			_, err := client.Put(t.Context(), "elsewhere", "lost") // so that the write is decided on what is lost
			require.NoError(t, err)
			f.hold = true
			late := func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
				r.Nonce = "late"
				return nil
			}
			require.Error(t, l.Change(t.Context(), 0, late))

			restore(token)
			await(t, client)
			f.deliver()
			kv := must(client.Get(t.Context(), "uid/leases/orders/worker/0000000000000000000"))
			require.NotContains(t, string(kv.Kvs[0].Value), "late")

			err = l.Change(t.Context(), 0, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
				r.Nonce = "since"
				return nil
			})
			if token == "etcd" {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, uid.ErrConfig)
			}
		})
	}
}

// backup saves a snapshot of a cluster of one. The function that it returns restores that, with a
// token; "etcd" leaves the cluster its ID.
func backup(t *testing.T, c *cluster.Etcd) (restore func(token string)) {
	t.Helper()
	back, err := cluster.BackupEtcd(c)
	require.NoError(t, err)
	return func(token string) {
		t.Helper()
		require.NoError(t, back(c, token))
	}
}

var all = storage.Wanted{
	IDs: lease.Range{First: 0, Last: 1<<22 - 1}, Highest: func(time.Time) int64 { return 1 << 60 },
}

// await returns when the client is connected again.
func await(t *testing.T, c *clientv3.Client) {
	t.Helper()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Get(ctx, "nothing")
		return err == nil
	}, time.Minute, 10*time.Millisecond)
}

// After a snapshot was restored workers go on as the package says, though the owners of before have drawn as far ahead
// as they may.
func TestRestoredLeases(t *testing.T) {
	layout := bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 1, Unit: 100 * time.Millisecond})
	lost := lease.Founding{Layout: layout, Lost: true}
	for name, c := range map[string]struct {
		token string
		cure  func(t *testing.T, client *clientv3.Client, l lease.Store)
	}{
		"nothing is done": {token: "etcd"},
		"its key is deleted": {"etcd", func(t *testing.T, client *clientv3.Client, _ lease.Store) {
			must(client.Delete(t.Context(), "uid/leases/orders/namespace"))
		}},
		"its key is deleted, in another cluster": {"other", func(t *testing.T, client *clientv3.Client, _ lease.Store) {
			must(client.Delete(t.Context(), "uid/leases/orders/namespace"))
		}},
		"uid worker init --lost": {"etcd", func(t *testing.T, _ *clientv3.Client, l lease.Store) {
			require.NoError(t, lease.Found(t.Context(), l, lost))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := start(t, 1)
			client := connect(t, nil, cluster.Addrs()...)
			l := must(must(etcd.New(client, etcd.Config{})).Leases("orders"))
			require.NoError(t, lease.Found(t.Context(), l, lease.Founding{Layout: layout}))
			restore := backup(t, cluster)
			seen, twice := map[uid.UID]bool{}, 0
			draw := func(each int) {
				for range 4 {
					w := must(lease.New(l, lease.Config{Logger: slog.New(slog.DiscardHandler)}))
					g := must(cached.New(w, cached.Config{Layout: layout, MaxLead: 30 * time.Minute}))
					for range each {
						u := must(g.GetUID())
						if seen[u] {
							twice++
						}
						seen[u] = true
					}
					defer func() { require.NoError(t, g.Close()) }()
				}
			}
			draw(2300) // of 2,400 in two minutes
			require.Zero(t, twice)
			restore(c.token)
			await(t, client)
			if c.cure != nil {
				c.cure(t, client, l)
			}
			draw(20)
			require.Equal(t, c.cure == nil, twice > 0, "%d UIDs came twice", twice)
		})
	}
}
