package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/worker/lease"
)

// A desk is an operator's, without processes, and a table of leases that has two rows: of a
// process that lives, and of one that is gone.
type desk struct {
	*operator
	t     *testing.T
	db    *sqlx.DB
	table leaseTable
}

func newDesk(t *testing.T) *desk {
	s, st := planted("", leased, embedded, strict), &stores{path: filepath.Join(t.TempDir(), "workers.db")}
	s.Losses = lease.Never
	m := newTestMemory(t)
	d := &desk{operator: &operator{stores: st, fleet: newFleet(m, st, []slot{s}, 1)}, t: t}
	d.table, _ = s.leases()
	require.NoError(t, st.foundAll([]slot{s}))
	var err error
	d.db, err = st.open(s.Store)
	require.NoError(t, err)
	t.Cleanup(func() { d.db.Close() })
	for i := range 2 {
		p, err := process.Start(process.Config{Path: "/bin/cat"}) // does nothing
		require.NoError(t, err)
		t.Cleanup(p.Kill)
		d.fleet.all = append(d.fleet.all, &incarnation{Process: p, number: uint32(i + 1)})
	}
	d.fleet.all[1].Kill()
	d.lease(0, 1)
	d.lease(1, 2)
	return d
}

// lease adds a row whose ticks are reserved for a second from now on.
func (d *desk) lease(id int64, incarnation uint32) {
	now := time.Now()
	_, err := d.db.Exec("INSERT INTO "+d.table.Name+" (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, HISTORY) VALUES (?, ?, 'x', ?, ?, ?, ?, ?, ?, '')",
		d.table.Namespace, id, soakLayout.TickAt(now.Add(time.Second)), now.Add(time.Minute).UnixMicro(), soakLayout.Terms().Layout, fmt.Sprint("host/", d.fleet.all[incarnation-1].PID()),
		now.UnixMicro(), now.UnixMicro())
	require.NoError(d.t, err)
}

func (d *desk) rows() map[int64]leaseRow {
	rows, err := d.stores.leasesIn(d.db, d.table)
	require.NoError(d.t, err)
	byID := map[int64]leaseRow{}
	for _, r := range rows {
		byID[r.WorkerID] = r
	}
	return byID
}

// ends returns the IDs whose leases were ended by hand.
func (d *desk) ended() (ids []int64) {
	require.NoError(d.t, d.db.Select(&ids, "SELECT WORKER_ID FROM "+d.table.Name+" WHERE WORKER_ID >= 0 AND LEASE_UNTIL = 0"))
	return ids
}

func TestRename(t *testing.T) {
	d := newDesk(t)
	before := d.rows()
	require.NoError(t, d.act(event{Fault: rename, Table: d.table}))
	require.Equal(t, before, d.rows())
	require.Empty(t, d.fleet.wrong)

	// A table whose namespace has to exist may not be made anew.
	require.NoError(t, renameTable(d.db, d.table.Name, "AWAY"))
	require.NoError(t, d.stores.found(d.db, d.table, true))
	require.NoError(t, d.putBack(d.db, d.table, "AWAY"))
	require.Equal(t, before, d.rows())
	require.Len(t, d.fleet.wrong, 1)
	require.Contains(t, d.fleet.wrong[0], "was made anew")

	// Another one may.
	d.table.Losses, d.fleet.wrong = lease.ByHistory, nil
	require.NoError(t, renameTable(d.db, d.table.Name, "AWAY"))
	require.NoError(t, d.stores.found(d.db, d.table, true))
	d.lease(0, 1)
	require.NoError(t, d.putBack(d.db, d.table, "AWAY"))
	require.Equal(t, before, d.rows())
	require.Empty(t, d.fleet.wrong)
}

func TestEdit(t *testing.T) {
	d := newDesk(t)
	before := d.rows()
	for row := range 2 {
		require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: raiseHigh, Row: row}))
	}
	require.Equal(t, before[0].High+10, d.rows()[0].High)
	require.Equal(t, before[1].High+10, d.rows()[1].High)

	// Where commits can be lost only the lease is ended whose holder is gone.
	d.table.Losses = lease.ByHistory
	for row := range 4 {
		require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: endLease, Row: row}))
	}
	require.Equal(t, []int64{1}, d.ended())
	require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: changeHolder, Row: 1}))
	require.False(t, d.fleet.isGone(d.rows()[1].Holder))
	edited := d.edited.Load()
	require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: endLease}), "there is nothing to do")
	require.Equal(t, edited, d.edited.Load())
	d.table.Losses = lease.Never
	require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: releaseLease}))
	require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: endLease}))
	require.Equal(t, []int64{0, 1}, d.ended())

	// A row of the far future is left alone from then on.
	require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: raiseFar}))
	far := d.rows()[0]
	require.Greater(t, far.High, before[0].High+int64(farAhead/tickUnit)-1)
	for row := range 4 {
		require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: raiseHigh, Row: row}))
	}
	require.Equal(t, far, d.rows()[0])
}
