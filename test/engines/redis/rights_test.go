package redis_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/redis"
	"github.com/uidgen/uid/worker/lease"
)

// An account with the rights of the package's document can do everything, and no right of them can
// be left out.
func TestRights(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		s := k.server(t)
		ctx := t.Context()
		admin := client(t, s.Addr(0))
		account := func(commands ...string) goredis.UniversalClient {
			args := []any{"acl", "setuser", "uid", "reset", "on", ">" + secret, "~uid:*"}
			for _, c := range commands {
				args = append(args, "+"+c)
			}
			require.NoError(t, admin.Do(ctx, args...).Err())
			return client(t, s.Addr(0), func(o *goredis.Options) { o.Username = "uid" })
		}
		require.NoError(t, everything(ctx, store(t, account(redis.Commands()...))))
		t.Run("suite", func(t *testing.T) {
			storetest.Run(t, storetest.Config{Histories: 2}, func(t *testing.T) storetest.Subject {
				require.NoError(t, admin.FlushAll(ctx).Err())
				open := func(namespace string) (lease.Store, error) {
					return leases(t, account(redis.Commands()...), namespace), nil
				}
				return storetest.Subject{Secret: secret, Steps: true, Open: open}
			})
		})
		for i, command := range redis.Commands() {
			require.NoError(t, admin.FlushAll(ctx).Err())
			require.NoError(t, admin.ScriptFlush(ctx).Err())
			err := everything(ctx, store(t, account(slices.Delete(redis.Commands(), i, i+1)...)))
			require.Error(t, err, "%s is not needed", command)
			require.False(t, retry.IsTransient(err), "%s: %v", command, err)
			refused := strings.Contains(err.Error(), "NOPERM") || errors.Is(err, uid.ErrConfig)
			require.True(t, refused, "%s: %v", command, err)
			require.NotContains(t, err.Error(), secret)
		}
	})
}

// everything calls each method of the stores, in each way that runs other commands.
func everything(ctx context.Context, s *stores.Store) error {
	l, err := s.Leases("orders")
	if err != nil {
		return err
	}
	highest := func(time.Time) int64 { return math.MaxInt64 }
	wanted := storage.Wanted{IDs: lease.Range{First: 0, Last: 1}, Highest: highest}
	take := func() error {
		return l.Take(ctx, wanted, func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
			r.Until = now.Now.Add(time.Hour)
			return nil
		})
	}
	for _, step := range []func() error{
		func() error { _, err := l.Inspect(ctx); return err },
		func() error {
			return l.Init(ctx, func(n *storage.Namespace, _ storage.Clock) error { n.Layout = "x"; return nil })
		},
		take, take,
		func() error {
			if err := take(); !errors.Is(err, uid.ErrNoWorkerID) {
				return err
			}
			return nil
		},
		func() error {
			return l.Change(ctx, 0, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
				r.Until = time.Unix(1, 0)
				return nil
			})
		},
		func() error { _, _, err := s.Registry().Namespaces(ctx); return err },
		func() error { _, err := s.Registry().Rows(ctx, "orders", -1, 10); return err },
		func() error { _, err := s.Segments().Inspect(ctx); return err },
		func() error { return s.Segments().Change(ctx, "orders", draw(10)) },
		func() error { _, err := s.Segments().Rows(ctx, "", 10); return err },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
