package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

// A desk is an operator's, without processes, and a table of leases that has two rows: of a
// process that lives, and of one that is gone.
type desk struct {
	*operator
	t     *testing.T
	db    *sqlx.DB
	table leaseTable
}

func newDesk(t *testing.T, s slot, st *stores) *desk {
	m := newTestMemory(t)
	d := &desk{operator: &operator{stores: st, fleet: newFleet(m, st, []slot{s}, 1)}, t: t}
	d.table, _ = s.leases()
	require.NoError(t, st.foundAll([]slot{s}))
	var err error
	d.db, err = st.open(s.Store)
	require.NoError(t, err)
	t.Cleanup(func() { d.db.Close() })
	d.fleet.all = []*incarnation{{Process: idle(t), number: 1}, {Process: idle(t), number: 2}}
	d.fleet.all[1].Kill()
	d.lease(0, 1)
	d.lease(1, 2)
	return d
}

func newFileDesk(t *testing.T) *desk {
	s := planted("", leased, embedded, strict)
	s.Durable = true
	return newDesk(t, s, &stores{path: filepath.Join(t.TempDir(), "workers.db")})
}

// lease adds a row whose ticks are reserved for a second from now on.
func (d *desk) lease(id int64, incarnation uint32) {
	now := time.Now()
	_, err := d.db.Exec("INSERT INTO "+d.table.name+" (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, REACH) VALUES (?, ?, 'x', ?, ?, ?, ?, ?, ?, 0)",
		d.table.namespace, id, soakLayout.TickAt(now.Add(time.Second)), now.Add(time.Minute).UnixMicro(), soakLayout.Terms().Layout, holder(incarnation),
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
	require.NoError(d.t, d.db.Select(&ids, "SELECT WORKER_ID FROM "+d.table.name+" WHERE WORKER_ID >= 0 AND LEASE_UNTIL = 0"))
	return ids
}

func TestRename(t *testing.T) {
	d := newFileDesk(t)
	before := d.rows()
	require.NoError(t, d.act(event{Fault: rename, Table: d.table}))
	require.Equal(t, before, d.rows())
	require.Empty(t, d.fleet.wrong)

	// With a durable store nobody may make the table anew.
	require.NoError(t, renameTable(d.db, d.table.name, "AWAY"))
	require.NoError(t, d.stores.found(d.db, d.table, time.Hour))
	require.NoError(t, d.putBack(d.db, d.table, "AWAY"))
	require.Equal(t, before, d.rows())
	require.Len(t, d.fleet.wrong, 1)
	require.Contains(t, d.fleet.wrong[0], "was made anew")

	// Without one anybody may, but no ID is to be had in it.
	d.table.durable, d.fleet.wrong = false, nil
	require.NoError(t, renameTable(d.db, d.table.name, "AWAY"))
	require.NoError(t, d.stores.found(d.db, d.table, time.Hour))
	require.NoError(t, d.putBack(d.db, d.table, "AWAY"))
	require.Empty(t, d.fleet.wrong)
	require.NoError(t, renameTable(d.db, d.table.name, "AWAY"))
	require.NoError(t, d.stores.found(d.db, d.table, time.Hour))
	d.lease(0, 1)
	require.NoError(t, d.putBack(d.db, d.table, "AWAY"))
	require.Equal(t, before, d.rows())
	require.Len(t, d.fleet.wrong, 1)
	require.Contains(t, d.fleet.wrong[0], "is to rest")
}

func TestVanish(t *testing.T) {
	d := newFileDesk(t)
	before := d.rows()
	require.NoError(t, d.act(event{Fault: vanish, Table: d.table}))
	require.EqualValues(t, 4, d.vanished.Load(), "two rows, and back")
	require.Equal(t, before, d.rows())

	// A row that was made of an ID whose own had vanished keeps that from coming back.
	_, err := d.db.Exec("UPDATE "+d.table.name+" SET NAMESPACE = ? WHERE WORKER_ID = 0", d.table.namespace+" (gone)")
	require.NoError(t, err)
	d.lease(0, 1)
	_, err = d.db.Exec("UPDATE "+d.table.name+" SET NAMESPACE = ? WHERE NAMESPACE = ?",
		d.table.namespace, d.table.namespace+" (gone)")
	require.Error(t, err)
}

func TestEdit(t *testing.T) {
	d := newFileDesk(t)
	before := d.rows()
	for row := range 2 {
		require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: raiseHigh, Row: row}))
	}
	require.Equal(t, before[0].High+10, d.rows()[0].High)
	require.Equal(t, before[1].High+10, d.rows()[1].High)

	// Where commits can be lost only the lease is ended whose holder is gone.
	d.table.durable = false
	for row := range 4 {
		require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: endLease, Row: row}))
	}
	require.Equal(t, []int64{1}, d.ended())
	require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: changeHolder, Row: 1}))
	require.False(t, d.fleet.isGone(d.rows()[1].Holder))
	edited := d.edited.Load()
	require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: endLease}), "there is nothing to do")
	require.Equal(t, edited, d.edited.Load())
	d.table.durable = true
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

// TestUnreserved takes ticks for reserved that lie below an ID's row or below the floor,
// and asks no row of before a loss.
func TestUnreserved(t *testing.T) {
	d := newFileDesk(t)
	s, m := d.fleet.slots[0], d.fleet.memory
	number, _ := s.shareOf()
	drawn := func(tick int64) { m.SetNewest(number<<idBits, tick) }
	unreserved := func(asks int) int {
		found, asked, err := d.stores.unreserved(m, s)
		require.NoError(t, err)
		require.Equal(t, asks, asked)
		return len(found)
	}
	require.Zero(t, unreserved(0))
	high := d.rows()[0].High
	drawn(high)
	require.Zero(t, unreserved(1))
	drawn(high + 1)
	require.Equal(t, 1, unreserved(1))
	require.NoError(t, execAll(d.db, "DELETE FROM "+d.table.name+" WHERE WORKER_ID = 0"))
	drawn(0)
	require.Equal(t, 1, unreserved(1), "there is neither a row nor a floor")
	_, err := d.db.Exec("UPDATE "+d.table.name+" SET HIGH = ? WHERE WORKER_ID = ?", high, controlID)
	require.NoError(t, err)
	drawn(high)
	require.Zero(t, unreserved(1))
	drawn(high + 1)
	require.Equal(t, 1, unreserved(1))
	d.stores.rewind(d.table.name)
	require.Zero(t, unreserved(0))
}

// TestServerByHand is what SQLite cannot do: a truncate, and a dump that comes back.
func TestServerByHand(t *testing.T) {
	t.Parallel()
	server := cluster.Shared(t)
	st := &stores{server: server, database: map[string]string{mariadb: server.NewDatabase(t)}}
	s := planted("", leased, mariadb, strict)
	d := newDesk(t, s, st)

	for range 2 {
		require.NoError(t, d.act(event{Fault: edit, Table: d.table, Edit: endLease}), "also if it was done before")
	}
	require.NoError(t, d.act(event{Fault: truncate, Table: d.table}))
	require.Len(t, d.rows(), 1)
	require.Greater(t, d.rows()[controlID].High, soakLayout.TickAt(time.Now()), "the namespace rests")

	// One that a start has made rests for longer than the operator wants it to.
	require.NoError(t, execAll(d.db, "DELETE FROM "+d.table.name))
	require.NoError(t, d.stores.found(d.db, d.table, time.Hour))
	require.NoError(t, d.act(event{Fault: truncate, Table: d.table}))
	require.Less(t, d.rows()[controlID].High, soakLayout.TickAt(time.Now().Add(time.Minute)))

	d.lease(0, 1)
	d.lease(1, 2)
	before := d.rows()
	require.NoError(t, d.restore(d.db, d.table, 0))
	require.Equal(t, before, d.rows())
	require.NotZero(t, st.rewound[d.table.name])
	require.Empty(t, d.fleet.wrong)
}
