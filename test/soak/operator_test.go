package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
)

// A table whose namespace has to exist may not be made anew while it is away, and another one may.
func TestRename(t *testing.T) {
	slots := []slot{planted("", leased, embedded, strict)}
	w := newTestWorld(t, slots)
	r := must(newRound(0, nil, w, slots, 1))
	t.Cleanup(r.memory.Close)
	o := r.operator
	sp, _ := slots[0].leases()
	db := must(w.places[embedded].sql(sp.Share))
	t.Cleanup(func() { db.Close() })
	before := must(w.rows(sp))
	for losses, wrong := range map[lease.Losses]int{lease.Never: 1, lease.ByHistory: 0} {
		sp.Losses, o.wrong = losses, nil
		require.NoError(t, o.act(event{Fault: rename, Space: sp}))
		require.Empty(t, o.wrong)
		require.NoError(t, renameTable(db, leaseTable, "GONE"))
		require.NoError(t, w.found(sp, true))
		require.NoError(t, o.putBack(db, sp, "GONE"))
		after := must(w.rows(sp))
		require.Equal(t, before.Namespace, after.Namespace)
		require.Len(t, o.wrong, wrong)
	}
}
