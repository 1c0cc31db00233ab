package redis_test

import (
	"context"
	"fmt"
	"testing"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/watch"
	"github.com/uidgen/uid/worker/lease"
)

// Rows that somebody deletes under their owners, and puts back.
func TestRowsVanish(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		addr, ctx := k.server(t).Addr(0), context.Background()
		c := client(t, addr)
		require.NoError(t, c.FlushAll(ctx).Err())
		open := func() lease.Store { return leases(t, client(t, addr), "orders") }
		durable := lease.Config{Losses: lease.NeverUnchecked} // the burn would hide what goes wrong
		watch.Vanish(t, durable, open, func(ids []int64) func() {
			var remove, put []goredis.Cmder
			for _, id := range ids {
				id := fmt.Sprintf("%019d", id)
				row, err := c.HGet(ctx, "uid:{orders}:rows", id).Result()
				require.NoError(t, err)
				remove = append(remove,
					goredis.NewCmd(ctx, "hdel", "uid:{orders}:rows", id), goredis.NewCmd(ctx, "zrem", "uid:{orders}:ids", id))
				put = append(put,
					goredis.NewCmd(ctx, "hset", "uid:{orders}:rows", id, row), goredis.NewCmd(ctx, "zadd", "uid:{orders}:ids", 0, id))
			}
			do := func(all []goredis.Cmder) {
				_, err := c.TxPipelined(ctx, func(p goredis.Pipeliner) error {
					for _, cmd := range all {
						_ = p.Process(ctx, cmd)
					}
					return nil
				})
				require.NoError(t, err)
			}
			do(remove)
			return func() { do(put) }
		})
	})
}
