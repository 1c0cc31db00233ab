package engines_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/lease"
)

// On each engine imports in one namespace and over the same times share no UID with each other; one that
// begins after another's last UID has its worker ID, unless clocks may differ (etcd) or a write that was
// tried twice may have lost to itself (ZooKeeper). Redis can lose writes, and is refused.
func TestBackfill(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, time.February, n, 0, 0, 0, 0, time.UTC) }
	for name, start := range places {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			s, opened, err := engines.Open(t.Context(), p.url)
			require.NoError(t, err)
			defer opened.Close()
			leases := must(s.Namespace("backfill"))
			// So few IDs that none has a row before it is needed.
			require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{IDs: lease.Range{Last: 5}}))
			source := backfill.FromLeases(leases, backfill.LeaseConfig{Losses: lease.Never})
			seen, ids := map[uid.UID]bool{}, map[int64]bool{}
			backfilled := func(cfg backfill.Config, times ...time.Time) (id int64, err error) {
				g, err := backfill.New(source, cfg)
				if err != nil {
					return 0, err
				}
				for _, at := range times {
					u := must(g.At(at))
					require.False(t, seen[u], "twice: %s", u)
					seen[u] = true
					id = must(bits.Default().Parse(u)).WorkerID
				}
				return id, g.Close()
			}
			if name == "redis" || name == "valkey" {
				_, err := backfilled(backfill.Config{From: day(1)}, day(3))
				require.ErrorIs(t, err, uid.ErrConfig)
				require.ErrorContains(t, err, "has acknowledged")
				return
			}
			for range 5 {
				id, err := backfilled(backfill.Config{From: day(1)}, day(3), day(2), day(3))
				require.NoError(t, err)
				ids[id] = true
			}
			require.Len(t, ids, 5)
			later, err := backfilled(backfill.Config{From: day(4)}, day(4))
			require.NoError(t, err)
			if name != "etcd" && name != "zookeeper" && name != "kubernetes" { // a lease rests for the clocks' error
				require.Contains(t, ids, later)
			}
			_, err = backfilled(backfill.Config{From: day(4), To: day(1).AddDate(173, 0, 0)}, day(4))
			require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange), err)
		})
	}
}
