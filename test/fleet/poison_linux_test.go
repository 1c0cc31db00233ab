package fleet

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/crew"
)

// A row that somebody else has written, with a number that is none, is passed over, and
// harms no other ID.
func TestPoison(t *testing.T) {
	const now = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))"
	for _, c := range []struct {
		name  string
		id    int64
		high  int64
		until string
		nonce string
	}{
		{"an ID beyond the layout, free", 1 << 40, 5, "0", "x"},
		{"an ID beyond the layout, leased", math.MaxInt64, math.MaxInt64, now + " + 3600000000", "x"},
		{"the layout's last ID, leased for ever", crew.Layout.MaxWorkerID(), 5, "9223372036854775807", "x"},
		{"the layout's last ID, free", crew.Layout.MaxWorkerID(), 5, "0", ""},
		{"a tick of the far future", 3, 1 << 37, "0", ""},
		{"the last tick there is", 3, math.MaxInt64, "0", "x"},
		{"a lease that began before all time", 3, 5, "-9223372036854775808", ""},
	} {
		for name, lease := range map[string]crew.Timing{"": crew.Brisk, ", durable": crew.Brisk.Durable()} {
			t.Run(c.name+name, func(t *testing.T) {
				s, admin := openShared(t)
				db, err := s.open(t.Context())
				require.NoError(t, err)
				defer db.Close()
				var logged texts
				cfg := lease.Config()
				cfg.Logger = logged.Logger()
				acquire := func() (uid.Generator, error) {
					l, err := newLease(db, cfg)
					require.NoError(t, err)
					g, err := crew.NewGenerator(l, false, logged.Logger())
					logged.error(err)
					return g, err
				}
				first, err := acquire() // makes the table
				require.NoError(t, err)
				defer first.Close()
				_, err = admin.Exec("INSERT INTO WORKER_LEASE (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, REACH) "+
					"VALUES ('default', ?, ?, ?, "+c.until+", '', 'somebody', 0, 0, 0)", c.id, c.nonce, c.high)
				require.NoError(t, err)
				seen := map[int64]bool{}
				draw := func(g uid.Generator) uid.Parts {
					u, err := g.GetUID()
					require.NoError(t, err)
					parts, err := g.(uid.Parser).ParseUID(u)
					require.NoError(t, err)
					return parts
				}
				seen[draw(first).WorkerID] = true
				for range 4 {
					g, err := acquire()
					require.NoError(t, err)
					defer g.Close()
					parts := draw(g)
					require.False(t, seen[parts.WorkerID], "ID %d again", parts.WorkerID)
					require.Less(t, parts.WorkerID, crew.Layout.MaxWorkerID()+1)
					seen[parts.WorkerID] = true
				}
				require.False(t, logged.leaks(), logged.String())
			})
		}
	}
}
