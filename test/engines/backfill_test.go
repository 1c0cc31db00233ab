package engines_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// On each engine runs of uid backfill, in one namespace and over the same times, share no UID with each
// other; one that begins after another's last UID has its worker ID, unless clocks may differ (etcd)
// or a write that was tried twice may have lost to itself (ZooKeeper).
// Redis can lose writes, and is refused.
func TestBackfill(t *testing.T) {
	for name, start := range places {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			out, _ := p.calls(t)
			ok := func(args ...string) []string { return strings.Fields(out(args...)) }
			// So few IDs that none has a row before it is needed.
			ok("worker", "init", "--namespace", "orders", "--ids", "0-5")
			orders := []string{"backfill", "--namespace", "orders", "--durable-store"}
			backfill := append(orders, "--from", "2026-02-01", "2026-02-03", "2026-02-02", "2026-02-03")
			if name == "redis" || name == "valkey" {
				s := run(t, p.url, backfill...)
				require.Equal(t, 2, s.code)
				require.Contains(t, s.err, "it can lose what it has acknowledged")
				return
			}
			seen, ids := map[string]bool{}, map[string]bool{}
			for range 5 {
				for _, u := range ok(backfill...) {
					require.False(t, seen[u], "twice: %s", u)
					seen[u] = true
					ids[ok("parse", "--format", "plain", u)[2]] = true
				}
			}
			require.Len(t, seen, 15)
			require.Len(t, ids, 5)
			later := ok("backfill", "--namespace", "orders", "--durable-store", "--from", "2026-02-04", "2026-02-04")
			require.Len(t, later, 1)
			if name != "etcd" && name != "zookeeper" {
				require.Contains(t, ids, ok("parse", "--format", "plain", later[0])[2])
			}
			future := run(t, p.url, append(orders, "--to", "2199-01-01", "2026-02-04")...)
			require.Equal(t, 2, future.code)
		})
	}
}
