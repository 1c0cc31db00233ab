package zookeeper_test

import (
	"fmt"
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/test/engines/watch"
	"github.com/uidgen/uid/worker/lease"
)

// Rows that somebody deletes under their owners, and puts back.
func TestRowsVanish(t *testing.T) {
	addrs, root := ensemble(t).Addrs(), root()
	conn := connect(t, addrs...)
	open := func() lease.Store {
		store, err := zookeeper.New(connect(t, addrs...), zookeeper.Config{Root: root})
		require.NoError(t, err)
		l, err := store.Leases("orders")
		require.NoError(t, err)
		return l
	}
	watch.Vanish(t, lease.Config{}, open, func(ids []int64) func() {
		rows := map[string][]byte{}
		var remove []any
		for _, id := range ids {
			path := fmt.Sprintf("%s/orders/%d", root, id)
			row, _, err := conn.Get(path)
			require.NoError(t, err)
			rows[path], remove = row, append(remove, &zk.DeleteRequest{Path: path, Version: -1})
		}
		_, err := conn.Multi(remove...)
		require.NoError(t, err)
		return func() {
			for path, row := range rows {
				if _, err := conn.Create(path, row, 0, zk.WorldACL(zk.PermAll)); err == zk.ErrNodeExists {
					_, err = conn.Set(path, row, -1)
					require.NoError(t, err)
				} else {
					require.NoError(t, err)
				}
			}
		}
	})
}
