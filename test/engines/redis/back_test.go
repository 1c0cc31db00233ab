package redis_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/lease"
)

// The keys of all rows are restored by hand, under running owners.
func TestKeysRestored(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		s := k.server(t)
		admin := client(t, s.Addr(0))
		engines.PutBack{
			Store: func() lease.Store { return leases(t, client(t, s.Addr(0)), "orders") },
			Keep: func() (back func()) {
				keys, kept := []string{"uid:{orders}:rows", "uid:{orders}:ids"}, map[string]string{}
				for _, key := range keys {
					kept[key] = must(admin.Dump(t.Context(), key).Result())
				}
				return func() {
					for _, key := range keys {
						require.NoError(t, admin.RestoreReplace(t.Context(), key, 0, kept[key]).Err())
					}
				}
			},
		}.Play(t)
	})
}
