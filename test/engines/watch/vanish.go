package watch

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
)

// Vanish has four owners draw UIDs while rows are deleted by hand and put back as they were, and
// some more owners start thereafter: once those of the owners, and once all rows. No UID may come
// twice. remove removes the rows of some worker IDs, and returns what puts them back.
func Vanish(t *testing.T, cfg lease.Config, open func() lease.Store, remove func(ids []int64) (putBack func())) {
	const owners = 4
	w := New(t)
	require.NoError(t, lease.Found(t.Context(), open(), lease.Founding{Layout: w.Layout}))
	cfg.Window, cfg.TTL = time.Second, 1500*time.Millisecond
	cfg.MaxClockSkew = 1200 * time.Millisecond // etcd tells whole seconds
	w.Start(t, owners, cfg, open)
	w.AwaitEach(t, 300)
	for round := range 2 {
		ids := w.IDs(t)
		for id := int64(0); round == 1 && id < 16; id++ { // those that nobody has, too
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		lost := w.Lost.Load()
		putBack := remove(ids)
		all := int64((round + 1) * owners)
		require.Eventually(t, func() bool { return w.Lost.Load() >= lost+all }, time.Minute, 5*time.Millisecond)
		w.AwaitEach(t, 300) // under IDs that have rows
		putBack()
		w.AwaitEach(t, 1000)
		w.Start(t, owners, cfg, open)
		w.AwaitEach(t, 300)
	}
	w.End()
	issued, twice, first := w.Seen()
	t.Logf("%d UIDs, %d of them twice; %d acquisitions, %d takeovers, %d losses of a lease", issued, twice,
		w.Acquired.Load(), w.TakenOver.Load(), w.Lost.Load())
	require.Zero(t, twice, "of %d UIDs; the first of owners %v", issued, first)
}
