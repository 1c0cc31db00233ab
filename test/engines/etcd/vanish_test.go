package etcd_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/test/engines/watch"
	"github.com/uidgen/uid/worker/lease"
)

// Rows that somebody deletes under their owners, and puts back.
func TestRowsVanish(t *testing.T) {
	c := start(t, 1)
	client, ctx := connect(t, nil, c.Endpoints()...), context.Background()
	open := func() lease.Store {
		store, err := etcd.New(connect(t, nil, c.Endpoints()...), etcd.Config{})
		require.NoError(t, err)
		l, err := store.Leases("orders")
		require.NoError(t, err)
		return l
	}
	watch.Vanish(t, lease.Config{}, open, func(ids []int64) func() {
		var remove, put []clientv3.Op
		for _, id := range ids {
			key := fmt.Sprintf("uid/leases/orders/worker/%019d", id)
			row, err := client.Get(ctx, key)
			require.NoError(t, err)
			require.Len(t, row.Kvs, 1)
			remove, put = append(remove, clientv3.OpDelete(key)),
				append(put, clientv3.OpPut(key, string(row.Kvs[0].Value)))
		}
		_, err := client.Txn(ctx).Then(remove...).Commit()
		require.NoError(t, err)
		return func() {
			_, err := client.Txn(ctx).Then(put...).Commit()
			require.NoError(t, err)
		}
	})
}
