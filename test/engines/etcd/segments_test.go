package etcd_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores/etcd"
)

func draw(n int64) func(*storage.Segment) error {
	return func(r *storage.Segment) error {
		r.Step, r.Next = max(r.Step, 1), r.Next+n
		return nil
	}
}

// An account that may write the key of one tag draws its numbers, and no others.
func TestSegmentAccess(t *testing.T) {
	c := start(t, 1)
	authenticate(t, connect(t, nil, c.Addrs()...))
	open := func(user string) segment.Store {
		cfg := clientv3.Config{Endpoints: c.Addrs(), Logger: zap.NewNop(), Username: canary + user, Password: canary}
		client := must(clientv3.New(cfg))
		t.Cleanup(func() { client.Close() })
		return must(etcd.New(client, etcd.Config{})).Segments()
	}
	one := open("invoices")
	_, err := one.Inspect(t.Context())
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, one.Change(t.Context(), "invoices", draw(10)))
	}
	_, listed := one.Rows(t.Context(), "", 10)
	written := one.Change(t.Context(), "orders", draw(10))
	read := open("reader").Change(t.Context(), "invoices", draw(10))
	for _, err := range []error{listed, written, read} {
		require.ErrorContains(t, err, "permission denied")
		require.False(t, retry.IsTransient(err))
		require.NotContains(t, logtest.Texts(err), canary)
	}
	all := open("service")
	require.NoError(t, all.Change(t.Context(), "orders", draw(10)))
	require.Len(t, must(all.Rows(t.Context(), "", 10)), 2)
}
