package redis_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/proxy"
	"github.com/uidgen/uid/test/engines/watch"
	"github.com/uidgen/uid/worker/lease"
)

// A replica that lacks the last acquisitions and renewals is promoted, again and again, while
// owners draw UIDs, and new ones start at once. The burn covers that; without it UIDs come twice.
func TestFailover(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		t.Run("with the burn", func(t *testing.T) {
			w := k.failovers(t, lease.Config{})
			issued, twice, first := w.Seen()
			require.Zero(t, twice, "of %d UIDs; the first of owners %v", issued, first)
		})
		t.Run("without the burn", func(t *testing.T) {
			w := k.failovers(t, lease.Config{Losses: lease.NeverUnchecked})
			_, twice, _ := w.Seen()
			require.NotZero(t, twice, "this run must be able to find some")
		})
	})
}

func (k kind) failovers(t *testing.T, cfg lease.Config) *watch.Watch {
	p, err := k.pair(k.name, "--requirepass="+secret)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	// Clients find the primary at one address, as by a name or through Sentinel.
	front, err := proxy.Listen("127.0.0.1:0", p.Addr())
	require.NoError(t, err)
	t.Cleanup(front.Close)
	open := func() lease.Store { return leases(t, client(t, front.Addr()), "orders") }

	w := watch.New(t)
	require.NoError(t, lease.Found(t.Context(), open(), lease.Founding{Layout: w.Layout}))
	require.NoError(t, p.CatchUp())
	cfg.Window, cfg.MaxClockSkew = time.Second, 50*time.Millisecond
	cfg.TTL = 1500 * time.Millisecond
	w.Start(t, 5, cfg, open)
	for range 3 {
		require.NoError(t, p.CatchUp())
		p.Lag(true)
		w.Start(t, 5, cfg, open) // these acquisitions will be lost
		w.Await(t, 3000)         // and what all owners renew meanwhile
		require.NoError(t, p.Failover())
		front.Retarget(p.Addr())
		w.Start(t, 5, cfg, open) // these get the same IDs
		w.Await(t, 3000)
		require.NoError(t, p.Rejoin())
	}
	owners := w.End()
	issued, twice, _ := w.Seen()
	t.Logf("%d UIDs of %d owners, %d of them twice; %d acquisitions, %d takeovers, %d losses of a lease",
		issued, owners, twice, w.Acquired.Load(), w.TakenOver.Load(), w.Lost.Load())
	require.NotZero(t, w.Lost.Load(), "no lease was lost: nothing was tried")
	return w
}

// Rows that somebody deletes under their owners, and puts back.
func TestRowsVanish(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		addr, ctx := k.server(t).Addr(0), context.Background()
		c := client(t, addr)
		open := func() lease.Store { return leases(t, client(t, addr), "orders") }
		durable := lease.Config{Losses: lease.NeverUnchecked} // the burn would hide what goes wrong
		watch.Vanish(t, durable, open, func(ids []int64) func() {
			var remove, put []goredis.Cmder
			for _, id := range ids {
				id, padded := fmt.Sprint(id), fmt.Sprintf("%019d", id)
				row, err := c.HGet(ctx, "uid:{orders}:rows", id).Result()
				require.NoError(t, err)
				end, err := c.ZScore(ctx, "uid:{orders}:ends", padded).Result()
				require.NoError(t, err)
				remove = append(remove,
					goredis.NewCmd(ctx, "hdel", "uid:{orders}:rows", id),
					goredis.NewCmd(ctx, "zrem", "uid:{orders}:ends", padded),
					goredis.NewCmd(ctx, "zrem", "uid:{orders}:ids", padded))
				put = append(put,
					goredis.NewCmd(ctx, "hset", "uid:{orders}:rows", id, row),
					goredis.NewCmd(ctx, "zadd", "uid:{orders}:ends", end, padded),
					goredis.NewCmd(ctx, "zadd", "uid:{orders}:ids", 0, padded))
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
