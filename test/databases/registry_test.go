package databases_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/doctor"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
	"github.com/uidgen/uid/worker/sqlstore"
)

// seconds is a layout with ticks of a second, as it stands in rows.
var seconds = bits.Default()

func layoutTerms(text string) (uid.Terms, error) {
	l, err := bits.ParseLayout(text)
	return l.Terms(), err
}

func newRegistry(t testing.TB, db *sqlx.DB) *registry.Registry {
	t.Helper()
	r, err := registry.New(tablesOf(t, db, sqlstore.Config{}), registry.Config{Logger: (&logtest.Records{}).Logger()})
	require.NoError(t, err)
	return r
}

// createTable returns the statement that creates a table of a default name.
func createTable(t testing.TB, db *sqlx.DB, name string) string {
	t.Helper()
	statement, err := database.Schema(name, name, database.Dialect(tablesOf(t, db, sqlstore.Config{}).Dialect()))
	require.NoError(t, err)
	return statement
}

// tryID hands out a disposable ID.
func tryID(t testing.TB, db *sqlx.DB, a asked) error {
	t.Helper()
	_, err := newAsker(t, db, a).acquire(t.Context(), 1<<22-1)
	return err
}

// aLease is a row for a test to put, with times from now on.
type aLease struct {
	namespace string // "": default
	id        int64
	released  bool
	until     time.Duration
	renewed   time.Duration
	high      time.Duration // the time of its last tick
	layout    string        // "": seconds
}

// putLeases makes the table, the control rows of the namespaces, and the rows.
func putLeases(t testing.TB, db *sqlx.DB, rows ...aLease) {
	t.Helper()
	kit.Do(t, db, createTable(t, db, "WORKER_LEASE"))
	now := time.Now()
	insert := func(namespace string, id int64, nonce string, high, until int64, layout string, renewed int64) {
		holder := ""
		if id >= 0 {
			holder = fmt.Sprintf("host/%d", id)
		}
		_, err := db.Exec("INSERT INTO WORKER_LEASE (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, HISTORY)"+
			" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')", namespace, id, nonce, high, until, layout, holder, renewed, renewed)
		require.NoError(t, err)
	}
	namespaces := map[string]bool{}
	for _, row := range rows {
		if row.namespace == "" {
			row.namespace = "default"
		}
		if !namespaces[row.namespace] {
			namespaces[row.namespace] = true
			insert(row.namespace, -1, "", -1, 0, seconds.String(), 0)
		}
		nonce := fmt.Sprintf("nonce%d", row.id)
		if row.released {
			nonce = ""
		}
		if row.layout == "" {
			row.layout = seconds.String()
		}
		insert(row.namespace, row.id, nonce, seconds.TickAt(now.Add(row.high)), now.Add(row.until).UnixMicro(), row.layout, now.Add(row.renewed).UnixMicro())
	}
}

// storedLease is what a row holds that may not be lost.
type storedLease struct {
	Namespace string `db:"NAMESPACE"`
	ID        int64  `db:"WORKER_ID"`
	Nonce     string `db:"NONCE"`
	High      int64  `db:"HIGH"`
	Until     int64  `db:"LEASE_UNTIL"`
	Layout    string `db:"LAYOUT"`
}

func storedLeases(t testing.TB, db *sqlx.DB) (rows []storedLease) {
	t.Helper()
	require.NoError(t, db.Select(&rows, "SELECT NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT FROM WORKER_LEASE ORDER BY NAMESPACE, WORKER_ID"))
	return rows
}

func TestOverviewOfNothing(t *testing.T) {
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		o, err := newRegistry(t, db).Overview(t.Context(), 0)
		require.NoError(t, err)
		require.Nil(t, o.Nodes)
		require.False(t, o.HasLeases)
		require.WithinDuration(t, time.Now(), o.Now, time.Hour, "a clock in another zone is hours off")
		acquire(t, db, asked{})
		o, err = newRegistry(t, db).Overview(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, registry.NodeInfo{Rows: 1, Last: 1, Next: 2}, *o.Nodes)
		require.False(t, o.HasLeases)
	})
}

func TestOverviewCountsNodes(t *testing.T) {
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		for range 3 {
			acquire(t, db, asked{Table: "OTHER"})
		}
		kit.Do(t, db, "DELETE FROM OTHER WHERE ID > 1")
		r, err := registry.New(tablesOf(t, db, sqlstore.Config{NodeTable: "OTHER"}), registry.Config{})
		require.NoError(t, err)
		o, err := r.Overview(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, registry.NodeInfo{Rows: 1, Last: 1, Next: 4}, *o.Nodes)
		require.EqualValues(t, 3, o.Nodes.Used(), "IDs of deleted rows are used, too")
	})
}

func TestOverviewTellsStates(t *testing.T) {
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		putLeases(t, db,
			aLease{id: 0, until: time.Hour, renewed: -time.Minute, high: time.Hour},
			aLease{id: 1, until: -time.Minute, renewed: -time.Hour},
			aLease{id: 2, until: -time.Minute, renewed: -time.Hour, released: true},
			aLease{id: 3, until: -time.Hour, renewed: -2 * time.Hour},
			aLease{id: 4, until: -time.Hour, renewed: -2 * time.Hour, released: true},
			aLease{id: 5, until: time.Hour, released: true}, // given back by somebody with another clock
			aLease{namespace: "other", id: 7, until: time.Hour},
		)
		o, err := newRegistry(t, db).Overview(t.Context(), 0)
		require.NoError(t, err)
		require.True(t, o.HasLeases)
		require.Nil(t, o.Nodes)
		type state struct {
			namespace string
			id        int64
			state     registry.State
			released  bool
		}
		var states []state
		for _, l := range o.Leases {
			states = append(states, state{l.Namespace, l.WorkerID, l.State, l.Released})
		}
		require.Equal(t, []state{
			{"default", 0, registry.Live, false},
			{"default", 1, registry.Quarantined, false},
			{"default", 2, registry.Quarantined, true},
			{"default", 3, registry.Free, false},
			{"default", 4, registry.Free, true},
			{"default", 5, registry.Quarantined, true},
			{"other", 7, registry.Live, false},
		}, states)
		require.Equal(t, []registry.NamespaceInfo{
			{Namespace: "default", Layout: seconds.String(), Live: 1, Quarantined: 3, Free: 2},
			{Namespace: "other", Layout: seconds.String(), Live: 1},
		}, o.Namespaces)
		first := o.Leases[0]
		require.Equal(t, "host/0", first.Holder)
		require.Equal(t, time.UTC, first.Until.Location())
		require.WithinDuration(t, time.Now().Add(time.Hour), first.Until, time.Minute)
		require.WithinDuration(t, time.Now().Add(-time.Minute), first.Renewed, time.Minute)
		require.Equal(t, first.Until.Sub(first.Renewed), 61*time.Minute)

		o, err = newRegistry(t, db).Overview(t.Context(), 2*time.Hour)
		require.NoError(t, err)
		require.Equal(t, registry.Quarantined, o.Leases[3].State)
	})
}

// What a real lease writes is what the registry reads.
func TestOverviewOfARealLease(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		l := s.lease(lease.Config{Losses: lease.NeverUnchecked})
		kit.SetHolder(l, "me")
		reservation := s.acquire(l)
		r := newRegistry(t, s.db)
		o, err := r.Overview(t.Context(), 0)
		require.NoError(t, err)
		require.Len(t, o.Leases, 1)
		lease := o.Leases[0]
		require.Equal(t, registry.Live, lease.State)
		require.Equal(t, "default", lease.Namespace)
		require.Equal(t, "me", lease.Holder)
		require.Equal(t, reservation.WorkerID, lease.WorkerID)
		require.Equal(t, reservation.Last, lease.High)
		require.Equal(t, siteTTL, lease.Until.Sub(lease.Renewed))
		require.NoError(t, l.Release(t.Context(), -1))
		o, err = r.Overview(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, registry.Quarantined, o.Leases[0].State)
		require.True(t, o.Leases[0].Released)
	})
}

func TestReleaseRefusesALiveLease(t *testing.T) {
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		// A database whose clock counts milliseconds may show one that has not quite passed.
		putLeases(t, db, aLease{id: 3, until: time.Hour - time.Second, renewed: -time.Minute, high: time.Hour})
		r, before := newRegistry(t, db), storedLeases(t, db)
		_, err := r.Release(t.Context(), "", 3, false)
		require.ErrorIs(t, err, registry.ErrLive)
		require.ErrorContains(t, err, `worker ID 3 is held by "host/3" for another 59m`)
		for _, none := range []struct {
			namespace string
			id        int64
		}{{"", 4}, {"", -1}, {"other", 3}, {"DEFAULT", 3}} {
			_, err = r.Release(t.Context(), none.namespace, none.id, true)
			require.ErrorIs(t, err, registry.ErrNoLease)
		}
		require.Equal(t, before, storedLeases(t, db), "nothing has changed")
	})
}

func TestReleaseForced(t *testing.T) {
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		putLeases(t, db,
			aLease{id: 3, until: time.Hour, renewed: -time.Minute, high: time.Hour},
			aLease{id: 4, until: time.Hour, high: time.Hour},
			aLease{namespace: "other", id: 3, until: time.Hour, high: time.Hour})
		before := storedLeases(t, db)
		was, err := newRegistry(t, db).Release(t.Context(), "default", 3, true)
		require.NoError(t, err)
		require.Equal(t, registry.Live, was.State)
		require.Equal(t, "host/3", was.Holder)
		after := storedLeases(t, db)
		require.WithinDuration(t, time.Now(), time.UnixMicro(after[1].Until), time.Minute)
		before[1].Nonce, before[1].Until = "", after[1].Until
		require.Equal(t, before, after, "the ticks stay used, and other rows as they were")
	})
}

// A lease that is over is released without force, and its quarantine does not begin
// anew.
func TestReleaseOfAnExpiredLease(t *testing.T) {
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		putLeases(t, db, aLease{id: 3, until: -time.Minute, renewed: -time.Hour, high: time.Hour})
		before := storedLeases(t, db)
		r := newRegistry(t, db)
		for _, released := range []bool{false, true} {
			was, err := r.Release(t.Context(), "", 3, false)
			require.NoError(t, err)
			require.NotEqual(t, registry.Live, was.State)
			require.Equal(t, released, was.Released)
		}
		before[1].Nonce = ""
		require.Equal(t, before, storedLeases(t, db))
	})
}

// An owner that was released by mistake goes on under another ID.
func TestReleasedOwnerAcquiresAnew(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		l := s.lease(lease.Config{Losses: lease.NeverUnchecked})
		first := s.acquire(l)
		_, err := newRegistry(t, s.db).Release(t.Context(), "", first.WorkerID, true)
		require.NoError(t, err)
		second := s.extend(l, first.Last+1)
		require.NotEqual(t, first.WorkerID, second.WorkerID, "it is in siteTTL")
		// Who gets the first ID again starts above what was reserved of it.
		kit.Do(t, s.db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0 AND HOLDER = ''") // nobody has had those
		s.pass(siteTTL + time.Millisecond)
		third := s.acquire(s.lease(lease.Config{Losses: lease.NeverUnchecked}))
		require.Equal(t, first.WorkerID, third.WorkerID)
		require.Greater(t, third.First, first.Last)
	})
}

func TestRegistryOutOfReach(t *testing.T) {
	db := kit.Store{Driver: "mysql", Source: "user:" + canary + "@tcp(127.0.0.1:1)/" + canary}.Open(t)
	var logged logtest.Records
	r, err := registry.New(tablesOf(t, db, sqlstore.Config{}), registry.Config{Timeout: 100 * time.Millisecond, Logger: logged.Logger()})
	require.NoError(t, err)
	for _, call := range []func() error{
		func() error { _, err := r.Overview(t.Context(), 0); return err },
		func() error { _, err := r.Release(t.Context(), "", 1, true); return err },
		func() error {
			_, err := doctor.Check(t.Context(), examined(t, db), doctor.Config{Timeout: 100 * time.Millisecond, Logger: logged.Logger()})
			return err
		},
	} {
		err := call()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "dial 127.0.0.1:1: ")
		require.NotContains(t, logtest.Texts(err)+logged.String(), canary)
	}
}
