package databases_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/proof/kit"
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
		_, err := db.Exec("INSERT INTO WORKER_LEASE (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, REACH)"+
			" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 92000000)", namespace, id, nonce, high, until, layout, holder, renewed, renewed)
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
	Reach     int64  `db:"REACH"`
}

func storedLeases(t testing.TB, db *sqlx.DB) (rows []storedLease) {
	t.Helper()
	require.NoError(t, db.Select(&rows, "SELECT NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, REACH FROM WORKER_LEASE ORDER BY NAMESPACE, WORKER_ID"))
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
			{Namespace: "default", Layout: seconds.String(), Reach: 92 * time.Second, Live: 1, Quarantined: 3, Free: 2},
			{Namespace: "other", Layout: seconds.String(), Reach: 92 * time.Second, Live: 1},
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
		l := s.lease(lease.Config{Holder: "me", DurableStore: true})
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
		require.Equal(t, 3*siteWindow, lease.Until.Sub(lease.Renewed))
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
		l := s.lease(lease.Config{DurableStore: true})
		first := s.acquire(l)
		_, err := newRegistry(t, s.db).Release(t.Context(), "", first.WorkerID, true)
		require.NoError(t, err)
		second := s.extend(l, first.Last+1)
		require.NotEqual(t, first.WorkerID, second.WorkerID, "it is in siteQuarantine")
		// Who gets the first ID again starts above what was reserved of it.
		s.pass(siteQuarantine + time.Millisecond)
		third := s.acquire(s.lease(lease.Config{DurableStore: true}))
		require.Equal(t, first.WorkerID, third.WorkerID)
		require.Greater(t, third.First, first.Last)
	})
}

func TestCollect(t *testing.T) {
	const day = 24 * time.Hour
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		putLeases(t, db,
			aLease{id: 0, until: time.Hour, high: -30 * day},
			aLease{id: 1, until: -6 * day, high: -30 * day},
			aLease{id: 2, until: -8 * day, high: -8 * day},
			aLease{id: 3, until: -8 * day, high: -8 * day, released: true},
			aLease{id: 4, until: -8 * day, high: -6 * day},
			aLease{id: 5, until: -8 * day, high: 300 * day},
			aLease{id: 6, until: -8 * day, high: -8 * day, layout: "nonsense"},
			aLease{namespace: "other", id: 2, until: -8 * day, high: -8 * day},
		)
		before := storedLeases(t, db)
		r := newRegistry(t, db)
		c := registry.Collection{Terms: layoutTerms, DryRun: true}
		check := func() {
			done, err := r.Collect(t.Context(), c)
			require.NoError(t, err)
			var removed, kept []string
			for _, l := range done.Removed {
				removed = append(removed, fmt.Sprint(l.Namespace, l.WorkerID))
			}
			for _, l := range done.Kept {
				kept = append(kept, fmt.Sprint(l.Namespace, l.WorkerID))
				require.NotEmpty(t, l.Why)
			}
			require.Equal(t, []string{"default2", "default3", "other2"}, removed)
			require.Equal(t, []string{"default4", "default5", "default6"}, kept)
			require.Contains(t, done.Kept[0].Why, fmt.Sprintf("its last tick %d is not before tick", done.Kept[0].High))
			require.Contains(t, done.Kept[2].Why, "cannot be read")
		}
		check()
		require.Equal(t, before, storedLeases(t, db), "a dry run changes nothing")
		c.DryRun = false
		check()
		var left []storedLease
		for _, row := range before {
			if row.ID == -1 { // which keeps what the removed rows knew
				row.High = before[slices.IndexFunc(before, func(r storedLease) bool { return r.Namespace == row.Namespace && r.ID == 2 })].High
			}
			if row.ID < 2 || row.Namespace == "default" && row.ID >= 4 && row.ID <= 6 {
				left = append(left, row)
			}
		}
		after := storedLeases(t, db)
		for i, row := range after {
			if row.ID == -1 {
				require.NotEmpty(t, row.Nonce, "who collects writes it, as who acquires does")
				after[i].Nonce = ""
			}
		}
		require.Equal(t, left, after)
	})
}

func TestCollectRefuses(t *testing.T) {
	db := kit.NewSQLite(t).Open(t)
	r := newRegistry(t, db)
	_, err := r.Collect(t.Context(), registry.Collection{OlderThan: time.Hour - 1, Terms: layoutTerms})
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "59m59.999999999s")
	_, err = r.Collect(t.Context(), registry.Collection{})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = r.Collect(t.Context(), registry.Collection{Terms: layoutTerms})
	require.ErrorContains(t, err, "the table does not exist")
	// Terms that say nothing are not believed.
	putLeases(t, db, aLease{id: 1, until: -1000 * time.Hour, high: -1000 * time.Hour})
	done, err := r.Collect(t.Context(), registry.Collection{Terms: func(string) (uid.Terms, error) { return uid.Terms{}, nil }})
	require.NoError(t, err)
	require.Empty(t, done.Removed)
	require.Len(t, done.Kept, 1)
}

// More rows than one transaction takes, some of which stay.
func TestCollectMany(t *testing.T) {
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		putLeases(t, db, aLease{id: 0, until: time.Hour})
		const rows = 1234
		var values []string
		past := time.Now().Add(-100 * time.Hour)
		for id := 1; id <= rows; id++ {
			high := seconds.TickAt(past)
			if id%97 == 0 { // 12 of them
				high += 1000 * 3600
			}
			values = append(values, fmt.Sprintf("('default', %d, '', %d, %d, '%s', 'h', 1, 1, 0)", id, high, past.UnixMicro(), seconds))
		}
		kit.Do(t, db, "INSERT INTO WORKER_LEASE (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, REACH) VALUES "+strings.Join(values, ","))
		c := registry.Collection{OlderThan: 2 * time.Hour, Terms: layoutTerms, DryRun: true}
		for range 2 {
			done, err := newRegistry(t, db).Collect(t.Context(), c)
			require.NoError(t, err)
			require.Len(t, done.Removed, rows-12)
			require.Len(t, done.Kept, 12)
			c.DryRun = false
		}
		require.Len(t, storedLeases(t, db), 2+12)
	})
}

// Collected IDs are had again, and nobody gets a tick that was used before.
func TestCollectedIDIsSafe(t *testing.T) {
	for _, durable := range []bool{false, true} {
		eachSite(t, func(t *testing.T, s *site) {
			cfg := lease.Config{DurableStore: durable}
			l := s.lease(cfg)
			before := s.acquire(l)
			require.NoError(t, l.Release(t.Context(), before.Last))
			kit.Do(t, s.db, fmt.Sprintf("UPDATE WORKER_LEASE SET LEASE_UNTIL = LEASE_UNTIL - %d", (3*time.Hour).Microseconds()))
			done, err := newRegistry(t, s.db).Collect(t.Context(), registry.Collection{OlderThan: time.Hour, Terms: layoutTerms})
			require.NoError(t, err)
			require.Empty(t, done.Removed, "its ticks are of now")
			require.Len(t, done.Kept, 1)
			kit.Do(t, s.db, fmt.Sprintf("UPDATE WORKER_LEASE SET HIGH = HIGH - %d", (3*time.Hour).Milliseconds()))
			done, err = newRegistry(t, s.db).Collect(t.Context(), registry.Collection{OlderThan: time.Hour, Terms: layoutTerms})
			require.NoError(t, err)
			require.Len(t, done.Removed, 1)
			again := s.acquire(s.lease(cfg))
			require.Equal(t, before.WorkerID, again.WorkerID)
			// A generator starts at its clock, which is within MaxClockOffset of the database's.
			require.Greater(t, max(again.First, s.tick()-2000), before.Last-(3*time.Hour).Milliseconds())
		})
	}
}

// Workers acquire, renew and release while rows are collected.
func TestCollectBesideWorkers(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.founded = true // by putLeases
		terms := millisecondTerms()
		terms.MaxWorkerID = 999 // none of the old ones
		var old []aLease
		for id := range 300 {
			old = append(old, aLease{id: int64(1000 + id), until: -100 * time.Hour, high: -100 * time.Hour, layout: milliseconds.String()})
		}
		putLeases(t, s.db, old...)
		kit.Do(t, s.db, "UPDATE WORKER_LEASE SET LAYOUT = '"+milliseconds.String()+"', HIGH = 1000")
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				for range 5 {
					l := s.lease(lease.Config{DurableStore: true})
					r, err := l.Acquire(t.Context(), terms)
					if assert.NoError(t, err) {
						_, err = l.Extend(t.Context(), r.Last+1)
						assert.NoError(t, err)
						assert.NoError(t, l.Release(t.Context(), r.Last))
					}
				}
			})
		}
		removed := 0
		for range 3 {
			done, err := newRegistry(t, s.db).Collect(t.Context(), registry.Collection{OlderThan: 2 * time.Hour, Terms: layoutTerms})
			require.NoError(t, err)
			removed += len(done.Removed)
		}
		work.Wait()
		require.Equal(t, len(old), removed)
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
			_, err := r.Collect(t.Context(), registry.Collection{Terms: layoutTerms})
			return err
		},
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
