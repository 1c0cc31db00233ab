package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
)

// A table whose namespace has to exist may not be made anew while it is away, and another one may.
func TestRename(t *testing.T) {
	s, st := planted("", leased, embedded, strict), &stores{path: filepath.Join(t.TempDir(), "workers.db")}
	o := &operator{stores: st, fleet: newFleet(newTestMemory(t), st, []slot{s}, 1)}
	table, _ := s.leases()
	require.NoError(t, st.foundAll([]slot{s}))
	db := must(st.open(s.Store))
	t.Cleanup(func() { db.Close() })
	before := must(st.leasesIn(db, table))
	for losses, wrong := range map[lease.Losses]int{lease.Never: 1, lease.ByHistory: 0} {
		table.Losses, o.fleet.wrong = losses, nil
		require.NoError(t, o.act(event{Fault: rename, Table: table}))
		require.Empty(t, o.fleet.wrong)
		require.NoError(t, renameTable(db, table.Name, "AWAY"))
		require.NoError(t, st.found(db, table, true))
		require.NoError(t, o.putBack(db, table, "AWAY"))
		require.Equal(t, before, must(st.leasesIn(db, table)))
		require.Len(t, o.fleet.wrong, wrong)
	}
}
