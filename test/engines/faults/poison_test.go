package faults

import (
	"log/slog"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A row that somebody else has written, with a number that is none, is passed over, and
// harms no other ID.
func TestPoison(t *testing.T) {
	server := cluster.Shared(t)
	const now = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))"
	for name, row := range map[string]struct {
		id, high int64
		until    string
		nonce    string
	}{
		"an ID beyond the layout, free":         {1 << 40, 5, "0", "x"},
		"an ID beyond the layout, leased":       {math.MaxInt64, math.MaxInt64, now + " + 3600000000", "x"},
		"the layout's last ID, leased for ever": {layout.MaxWorkerID(), 5, "9223372036854775807", "x"},
		"the layout's last ID, free":            {layout.MaxWorkerID(), 5, "0", ""},
		"a tick of the far future":              {3, 1 << 37, "0", ""},
		"the last tick there is":                {3, math.MaxInt64, "0", "x"},
		"a lease that began before all time":    {3, 5, "-9223372036854775808", ""},
	} {
		for _, losses := range []lease.Losses{lease.ByHistory, lease.NeverUnchecked} {
			t.Run(name, func(t *testing.T) {
				t.Parallel() // they wait
				db := server.Open(t, server.NewDatabase(t))
				tables, err := sqlstore.New(db, sqlstore.Config{})
				require.NoError(t, err)
				leases, err := tables.Leases("")
				require.NoError(t, err)
				require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Layout: layout}))
				seen := map[int64]bool{}
				acquire := func() {
					log := slog.New(slog.DiscardHandler)
					l, err := lease.New(leases, lease.Config{Losses: losses, Logger: log})
					require.NoError(t, err)
					g, err := cached.New(l, cached.Config{Layout: layout, Logger: log})
					require.NoError(t, err)
					t.Cleanup(func() { _ = g.Close() })
					var u uid.UID
					u, err = g.GetUID()
					require.NoError(t, err)
					parts, err := g.ParseUID(u)
					require.NoError(t, err)
					require.False(t, seen[parts.WorkerID], "ID %d again", parts.WorkerID)
					seen[parts.WorkerID] = true
				}
				acquire()
				id := row.id
				if seen[id] { // it is the owner's
					id++
				}
				_, err = db.Exec("REPLACE INTO WORKER_LEASE (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, HISTORY) "+
					"VALUES ('default', ?, ?, ?, "+row.until+", '', 'somebody', 0, 0, '')", id, row.nonce, row.high)
				require.NoError(t, err)
				for range 4 {
					acquire()
				}
			})
		}
	}
}
