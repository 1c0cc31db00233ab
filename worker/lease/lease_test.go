package lease_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// millis are terms with ticks of a millisecond, so that a new owner need not wait long.
func millis(maxID int64) uid.Terms {
	return uid.Terms{
		Layout: "41/10/12 unit=1ms epoch=2026-01-01T00:00:00Z", Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Unit: time.Millisecond,
		MaxTick: 1<<41 - 1, MaxWorkerID: maxID, Revoke: func() {},
	}
}

// A house is a store with leases, whose time a test can move.
type house struct {
	t    testing.TB
	db   *sqlx.DB
	mu   sync.Mutex
	skip time.Duration      // by how much the clocks of all leases are ahead
	made map[[2]string]bool // namespaces, by table and name
}

func eachHouse(t *testing.T, test func(t *testing.T, h *house)) {
	eachStore(t, func(t *testing.T, s store) { test(t, newHouse(t, s)) })
}

func newHouse(t testing.TB, s store) *house {
	h := &house{t: t, db: s.open(t), made: map[[2]string]bool{}}
	do(t, h.db, "CREATE TABLE SKIP (MICROS BIGINT NOT NULL)", "INSERT INTO SKIP VALUES (0)")
	return h
}

// pass lets time pass for the database and all processes.
func (h *house) pass(d time.Duration) {
	h.shiftDatabase(d)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.skip += d
}

// shiftDatabase sets the clock of the database alone.
func (h *house) shiftDatabase(d time.Duration) {
	do(h.t, h.db, fmt.Sprintf("UPDATE SKIP SET MICROS = MICROS + (%d)", d.Microseconds()))
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.skip)
}

// The skew is waited for, and therefore short. The others are let pass, and by far longer
// than a test takes: what it holds to be not over yet must not end because a disk is slow.
const (
	window     = time.Minute
	reach      = window + window/2
	ttl        = 3 * time.Minute
	quarantine = time.Minute
	skew       = 20 * time.Millisecond
)

func (h *house) config(cfg worker.LeaseConfig) worker.LeaseConfig {
	for _, d := range []struct {
		to *time.Duration
		d  time.Duration
	}{{&cfg.Window, window}, {&cfg.TTL, ttl}, {&cfg.Quarantine, quarantine}, {&cfg.MaxClockSkew, skew}} {
		if *d.to == 0 {
			*d.to = d.d
		}
	}
	if cfg.Logger == nil {
		cfg.Logger = (&records{}).logger()
	}
	// The server that the tests share does not sync its log, for speed, and is not killed.
	cfg.DurableStoreUnverified = true
	return cfg
}

// lease returns a lease in a namespace that is there, and of which nobody had an ID.
func (h *house) lease(cfg worker.LeaseConfig) *worker.Lease {
	h.t.Helper()
	if key := [2]string{cfg.Table, cfg.Namespace}; !h.made[key] {
		h.init(cfg.Table, worker.Namespace{Name: cfg.Namespace, Terms: millis(1023)})
	}
	return h.leaseOf(cfg)
}

// init makes a namespace, unless it is there.
func (h *house) init(table string, n worker.Namespace) {
	h.t.Helper()
	r, err := worker.NewRegistry(h.db, worker.RegistryConfig{LeaseTable: table})
	require.NoError(h.t, err)
	require.NoError(h.t, r.Init(h.t.Context(), n))
	h.made[[2]string{table, n.Name}] = true
}

// leaseOf returns a lease in a namespace as it is.
func (h *house) leaseOf(cfg worker.LeaseConfig) *worker.Lease {
	h.t.Helper()
	l, err := worker.NewLease(h.db, h.config(cfg))
	require.NoError(h.t, err)
	l.ShiftClocks("SELECT MICROS FROM SKIP", func() time.Duration {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.skip
	})
	return l
}

func (h *house) acquire(l *worker.Lease) uid.Reservation {
	h.t.Helper()
	r, err := l.Acquire(h.t.Context(), millis(1023))
	require.NoError(h.t, err)
	return r
}

func (h *house) extend(l *worker.Lease, through int64) uid.Reservation {
	h.t.Helper()
	r, err := l.Extend(h.t.Context(), through)
	require.NoError(h.t, err)
	return r
}

// tick is the clock's, of a lease in milliseconds.
func (h *house) tick() int64 { return millis(0).TickAt(h.now()) }

type leaseRow struct {
	WorkerID int64  `db:"WORKER_ID"`
	Nonce    string `db:"NONCE"`
	High     int64  `db:"HIGH"`
	Until    int64  `db:"LEASE_UNTIL"`
	Layout   string `db:"LAYOUT"`
	Holder   string `db:"HOLDER"`
	Acquired int64  `db:"ACQUIRED"`
	Renewed  int64  `db:"RENEWED"`
	Reach    int64  `db:"REACH"`
}

func (h *house) row(id int64) (r leaseRow) {
	h.t.Helper()
	require.NoError(h.t, h.db.Get(&r, "SELECT WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, REACH FROM WORKER_LEASE"+
		" WHERE NAMESPACE = 'default' AND WORKER_ID = ?", id))
	return r
}

// ticks of milliseconds
func ms(d time.Duration) int64 { return d.Milliseconds() }

// events collects what happens to leases.
type events struct {
	mu  sync.Mutex
	all []worker.LeaseEvent
}

func (e *events) add(ev worker.LeaseEvent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

func (e *events) kinds() (kinds []worker.LeaseEventKind) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.all {
		kinds = append(kinds, ev.Kind)
	}
	return kinds
}

func (e *events) last() worker.LeaseEvent {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[len(e.all)-1]
}

// A new owner reserves above all that another one may have reserved in commits that were
// lost, and waits until it can.
func TestLeaseAcquire(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var logged records
		var told events
		for id := range int64(3) {
			before := h.tick()
			r := h.acquire(h.lease(worker.LeaseConfig{Holder: "me", Logger: logged.logger(), OnEvent: told.add}))
			after := h.tick()
			require.Equal(t, id, r.WorkerID)
			require.GreaterOrEqual(t, r.First, before+ms(reach+skew)+1)
			require.LessOrEqual(t, r.First, after+ms(reach)+1)
			require.GreaterOrEqual(t, r.Last, r.First)
			require.LessOrEqual(t, r.Last, after+ms(reach))
			require.GreaterOrEqual(t, r.Renew, before+ms(window/2))
			require.LessOrEqual(t, r.Renew, after+ms(window/2))
			require.Equal(t, worker.LeaseEvent{Kind: worker.LeaseAcquired, Namespace: "default", WorkerID: id}, told.last())

			row := h.row(id)
			require.Len(t, row.Nonce, 32)
			require.Equal(t, r.Last, row.High)
			require.Equal(t, "me", row.Holder)
			require.Equal(t, millis(0).Layout, row.Layout)
			require.Equal(t, (reach + skew).Microseconds(), row.Reach)
			require.Equal(t, ttl.Microseconds(), row.Until-row.Renewed)
			require.GreaterOrEqual(t, row.Renewed-row.Acquired, skew.Microseconds())
			require.WithinRange(t, time.UnixMicro(row.Renewed), h.now().Add(-time.Minute), h.now().Add(time.Minute))
		}
		require.Equal(t, 3, logged.count("worker ID leased"))
		require.Equal(t, (reach + skew).Microseconds(), h.row(-1).Reach)
	})
}

// In a database that loses nothing a new owner starts where the last one was.
func TestLeaseAcquireDurable(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		before := h.tick()
		l := h.lease(worker.LeaseConfig{DurableStore: true})
		r := h.acquire(l)
		require.GreaterOrEqual(t, r.First, before-ms(skew), "an ID without a row begins near the database's clock")
		require.LessOrEqual(t, r.First, h.tick()-ms(skew))
		require.GreaterOrEqual(t, r.Last, before+ms(reach))
		require.LessOrEqual(t, r.Last, h.tick()+ms(reach))
		require.Equal(t, r.Last, h.row(0).High)
		require.Zero(t, h.row(-1).Reach)
		require.NoError(t, l.Release(t.Context(), r.Last-100))
		require.Equal(t, r.Last-100, h.row(0).High)
		h.pass(quarantine + 100*time.Millisecond)
		require.Equal(t, r.Last-99, h.acquire(h.lease(worker.LeaseConfig{DurableStore: true})).First)
	})
}

func TestLeaseRelease(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l := h.lease(worker.LeaseConfig{})
		first := h.acquire(l)
		base := first.First - 1
		require.NoError(t, l.Release(t.Context(), -1))
		row := h.row(0)
		require.Empty(t, row.Nonce)
		require.Equal(t, base, row.High, "not lowered below what it was at the start")
		require.Equal(t, row.Renewed, row.Until)
		require.ErrorIs(t, l.Release(t.Context(), -1), uid.ErrNoReservation)
		_, err := l.Extend(t.Context(), 0)
		require.ErrorIs(t, err, uid.ErrNoReservation)

		// It is in quarantine, whoever asks.
		second := h.acquire(l)
		require.EqualValues(t, 1, second.WorkerID)
		require.NoError(t, l.Release(t.Context(), second.First))
		require.Equal(t, second.First, h.row(1).High)
		h.pass(quarantine)
		var told events
		l = h.lease(worker.LeaseConfig{OnEvent: told.add})
		require.EqualValues(t, 0, h.acquire(l).WorkerID, "the one that has been free the longest")
		require.Equal(t, []worker.LeaseEventKind{worker.LeaseAcquired}, told.kinds())
		require.NoError(t, l.Release(t.Context(), math.MaxInt64))
		require.Less(t, h.row(0).High, h.tick()+ms(reach)+1, "no more than what was reserved")
	})
}

// IDs whose holders do not come back are used again, the one that has been free the longest
// first, before any that was never used.
func TestLeaseTakeover(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		gone := []uid.Reservation{h.acquire(h.lease(worker.LeaseConfig{Holder: "first"}))}
		h.pass(time.Second)
		gone = append(gone, h.acquire(h.lease(worker.LeaseConfig{Holder: "second"})))
		h.pass(ttl)
		alive := h.acquire(h.lease(worker.LeaseConfig{}))
		require.EqualValues(t, 2, alive.WorkerID)
		h.pass(quarantine)
		for i, holder := range []string{"first", "second"} {
			var told events
			r := h.acquire(h.lease(worker.LeaseConfig{OnEvent: told.add}))
			require.EqualValues(t, i, r.WorkerID)
			require.Greater(t, r.First, gone[i].Last)
			require.Equal(t, worker.LeaseEvent{Kind: worker.LeaseTakenOver, Namespace: "default", WorkerID: int64(i), Holder: holder}, told.last())
		}
		require.EqualValues(t, 3, h.acquire(h.lease(worker.LeaseConfig{})).WorkerID)
	})
}

func TestLeaseNoIDLeft(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		for _, most := range []int64{0, 2} {
			cfg := worker.LeaseConfig{Namespace: fmt.Sprint("up to ", most), MaxClockSkew: time.Millisecond}
			var logged records
			cfg.Logger = logged.logger()
			for id := range most + 1 {
				r, err := h.lease(cfg).Acquire(t.Context(), millis(most))
				require.NoError(t, err)
				require.Equal(t, id, r.WorkerID)
			}
			require.Equal(t, int(min(most, 1)), logged.count("running out"))
			l := h.lease(cfg)
			_, err := l.Acquire(t.Context(), millis(most))
			require.ErrorIs(t, err, uid.ErrNoWorkerID)
			require.ErrorContains(t, err, fmt.Sprintf("all of 0 to %d are leased or in quarantine, the first one until 20", most))
			// Another maximum, in the same layout.
			r, err := l.Acquire(t.Context(), millis(most+1))
			require.NoError(t, err)
			require.Equal(t, most+1, r.WorkerID)
		}
		// A row that somebody put at the maximum does not use up the IDs below it.
		cfg := worker.LeaseConfig{Namespace: "gap"}
		_, err := h.lease(cfg).Acquire(t.Context(), millis(3))
		require.NoError(t, err)
		do(t, h.db, "INSERT INTO WORKER_LEASE VALUES ('gap', 3, 'x', 0, 9000000000000000000, '', '', 0, 0, 0)",
			"INSERT INTO WORKER_LEASE VALUES ('gap', 4611686018427387904, 'x', 0, 9000000000000000000, '', '', 0, 0, 0)")
		for _, id := range []int64{1, 2} {
			r, err := h.lease(cfg).Acquire(t.Context(), millis(3))
			require.NoError(t, err)
			require.Equal(t, id, r.WorkerID)
		}
		_, err = h.lease(cfg).Acquire(t.Context(), millis(3))
		require.ErrorIs(t, err, uid.ErrNoWorkerID)
	})
}

func TestLeaseNamespaces(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		for _, namespace := range []string{"a", "A", "a b", "_", strings.Repeat("n", 64)} {
			require.Zero(t, h.acquire(h.lease(worker.LeaseConfig{Namespace: namespace})).WorkerID, namespace)
		}
		require.EqualValues(t, 1, h.acquire(h.lease(worker.LeaseConfig{Namespace: "a"})).WorkerID)
		// Another table.
		require.Zero(t, h.acquire(h.lease(worker.LeaseConfig{Namespace: "a", Table: "other"})).WorkerID)
	})
}

func TestLeaseLayout(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.acquire(h.lease(worker.LeaseConfig{}))
		other := millis(1023)
		other.Layout = "41/12/10 unit=1ms epoch=2026-01-01T00:00:00Z"
		_, err := h.lease(worker.LeaseConfig{}).Acquire(t.Context(), other)
		require.ErrorIs(t, err, worker.ErrLayout)
		require.ErrorContains(t, err, other.Layout)
		require.ErrorContains(t, err, millis(0).Layout)
		h.init("", worker.Namespace{Name: "other", Terms: other})
		_, err = h.lease(worker.LeaseConfig{Namespace: "other"}).Acquire(t.Context(), other)
		require.NoError(t, err)
	})
}

func TestLeaseInUse(t *testing.T) {
	h := newHouse(t, newSQLite(t))
	l := h.lease(worker.LeaseConfig{})
	h.acquire(l)
	_, err := l.Acquire(t.Context(), millis(1023))
	require.ErrorIs(t, err, uid.ErrWorkerInUse)
	require.NoError(t, l.Release(t.Context(), -1))
	h.acquire(l)
}

// A renewal reaches 3/2 Window beyond the clock, at least every half Window.
func TestLeaseExtend(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		for _, durable := range []bool{false, true} {
			l := h.lease(worker.LeaseConfig{DurableStore: durable})
			r := h.acquire(l)
			row := h.row(r.WorkerID)
			h.pass(window / 4)
			require.Equal(t, r, h.extend(l, r.Last), "it is not due")
			require.Equal(t, row, h.row(r.WorkerID))
			for range 5 {
				h.pass(window / 2)
				before := h.tick()
				next := h.extend(l, 0)
				require.Equal(t, r.WorkerID, next.WorkerID)
				require.Equal(t, r.First, next.First)
				require.GreaterOrEqual(t, next.Last, before+ms(reach))
				require.LessOrEqual(t, next.Last, h.tick()+ms(reach))
				require.GreaterOrEqual(t, next.Renew, before+ms(window/2))
				got := h.row(r.WorkerID)
				require.NotEqual(t, row.Nonce, got.Nonce)
				require.Equal(t, next.Last, got.High)
				require.Equal(t, row.Acquired, got.Acquired)
				require.Equal(t, ttl.Microseconds(), got.Until-got.Renewed)
				require.Equal(t, row.Holder, got.Holder)
				row = got
			}
		}
	})
}

// What a burst asks for is reserved in a database that loses nothing. In others only what
// a new owner would burn.
func TestLeaseExtendThrough(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l := h.lease(worker.LeaseConfig{DurableStore: true})
		r := h.acquire(l)
		got := h.extend(l, r.Last+ms(window))
		require.Equal(t, r.Last+ms(window+window/8), got.Last)
		require.Equal(t, got.Last, h.row(r.WorkerID).High)
		// The far reservation is kept, and the lease renewed all the same.
		h.pass(window / 2)
		until := h.row(r.WorkerID).Until
		require.Equal(t, got.Last, h.extend(l, 0).Last)
		require.Greater(t, h.row(r.WorkerID).Until, until)
		// But not so far that no later owner would have the ID.
		const ahead = reach + skew + 15*time.Minute
		before := h.tick()
		got = h.extend(l, math.MaxInt64-1000)
		require.GreaterOrEqual(t, got.Last, before+ms(ahead))
		require.LessOrEqual(t, got.Last, h.tick()+ms(ahead))
		require.NoError(t, l.Release(t.Context(), got.Last))
		h.pass(quarantine + time.Second)
		require.Equal(t, r.WorkerID, h.acquire(h.lease(worker.LeaseConfig{DurableStore: true})).WorkerID)
		l = h.lease(worker.LeaseConfig{DurableStore: true, MaxAhead: math.MaxInt64})
		h.acquire(l)
		require.Equal(t, millis(0).MaxTick, h.extend(l, math.MaxInt64-1000).Last)

		l = h.lease(worker.LeaseConfig{})
		r = h.acquire(l)
		h.pass(window / 16)
		got = h.extend(l, r.Last+ms(window))
		require.Greater(t, got.Last, r.Last)
		require.LessOrEqual(t, got.Last, h.tick()+ms(reach))
		row := h.row(r.WorkerID)
		require.Equal(t, got, h.extend(l, got.Last), "what is asked for is reserved")
		require.Equal(t, row, h.row(r.WorkerID))
	})
}

// However a lease is lost, the owner reserves nothing more under its ID, says so, and
// goes on under another one.
func TestLeaseLost(t *testing.T) {
	for name, c := range map[string]struct {
		how func(h *house)
		why string
	}{
		"taken over": {func(h *house) {
			h.pass(ttl + quarantine + 100*time.Millisecond)
			h.acquire(h.lease(worker.LeaseConfig{Holder: "another"}))
		}, `another nonce or other ticks than this owner wrote; it is held by "another"`},
		"ended":         {func(h *house) { h.pass(ttl + 100*time.Millisecond) }, "it ended at 20"},
		"row is gone":   {func(h *house) { do(h.t, h.db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID = 0") }, "its row is gone"},
		"released":      {func(h *house) { do(h.t, h.db, "UPDATE WORKER_LEASE SET NONCE = ''") }, "released by somebody else"},
		"another nonce": {func(h *house) { do(h.t, h.db, "UPDATE WORKER_LEASE SET NONCE = 'x'") }, "another nonce"},
		"more ticks":    {func(h *house) { do(h.t, h.db, "UPDATE WORKER_LEASE SET HIGH = HIGH + 1 WHERE WORKER_ID = 0") }, "other ticks"},
		"fewer ticks":   {func(h *house) { do(h.t, h.db, "UPDATE WORKER_LEASE SET HIGH = HIGH - 1 WHERE WORKER_ID = 0") }, "other ticks"},
	} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				for _, durable := range []bool{false, true} {
					if durable {
						do(t, h.db, "DELETE FROM WORKER_LEASE")
						h.init("", worker.Namespace{Terms: millis(1023)})
					}
					var told events
					l := h.lease(worker.LeaseConfig{Holder: "one", OnEvent: told.add, DurableStore: durable})
					was := h.acquire(l)
					c.how(h)
					h.pass(window / 2)
					before := h.tick()
					r := h.extend(l, was.Last+10)
					require.Equal(t, []worker.LeaseEventKind{worker.LeaseAcquired, worker.LeaseLost, worker.LeaseAcquired}[:2], told.kinds()[:2])
					lost := told.all[1]
					require.EqualValues(t, 0, lost.WorkerID)
					require.ErrorContains(t, lost.Err, c.why)
					if durable {
						require.GreaterOrEqual(t, r.Last, r.First)
						continue
					}
					// Nothing is reserved yet, and it asks again when that can be had.
					require.Equal(t, r.First-1, r.Last)
					require.GreaterOrEqual(t, r.First, before+ms(reach+skew)+1)
					require.Greater(t, r.First, was.Last)
					require.GreaterOrEqual(t, r.Renew, before+ms(skew)+1)
					require.LessOrEqual(t, r.Renew, h.tick()+ms(skew)+1)
					row := h.row(r.WorkerID)
					require.Equal(t, row.Acquired, row.Renewed)
					h.pass(skew + 2*time.Millisecond)
					next := h.extend(l, 0)
					require.Equal(t, r.WorkerID, next.WorkerID)
					require.GreaterOrEqual(t, next.Last, next.First)
				}
			})
		})
	}
}

// An owner that renews its lease while somebody reaches for its ID keeps it.
func TestLeaseRenewedAtTheLastMoment(t *testing.T) {
	h := newHouse(t, newMySQL(t)) // SQLite has one transaction at a time
	h.acquire(h.lease(worker.LeaseConfig{}))
	h.pass(ttl + quarantine + time.Second)
	renewal, err := h.db.Beginx()
	require.NoError(t, err)
	defer renewal.Rollback()
	_, err = renewal.Exec("UPDATE WORKER_LEASE SET LEASE_UNTIL = LEASE_UNTIL + 3600000000 WHERE NAMESPACE = 'default' AND WORKER_ID = 0")
	require.NoError(t, err)
	var logged records
	var wg sync.WaitGroup
	wg.Go(func() {
		r, err := h.lease(worker.LeaseConfig{Logger: logged.logger()}).Acquire(t.Context(), millis(1023))
		if err != nil || r.WorkerID != 1 {
			t.Errorf("worker ID %d, error %v", r.WorkerID, err)
		}
	})
	require.Eventually(t, func() bool {
		var waiting int
		require.NoError(t, h.db.Get(&waiting, "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'"))
		return waiting > 0
	}, time.Minute, 150*time.Millisecond) // the server answers with what it knew before if asked more often
	require.NoError(t, renewal.Commit())
	wg.Wait()
	require.Equal(t, 1, logged.count("its owner has just renewed its lease"))
}

// An owner that is late, but nobody's victim, and whose lease still holds, goes on.
func TestLeaseLate(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l := h.lease(worker.LeaseConfig{})
		was := h.acquire(l)
		h.pass(ttl - window/2)
		r := h.extend(l, 0)
		require.Equal(t, was.WorkerID, r.WorkerID)
		require.Greater(t, r.Last, was.Last)
	})
}

// The lease of a process whose clock is far off is refused, and so is a row that makes no
// sense; each limit can be moved.
func TestLeaseClocks(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		apart := func(d time.Duration) func() time.Time {
			return func() time.Time { return time.Now().Add(d) }
		}
		for _, c := range []struct {
			cfg  worker.LeaseConfig
			good bool
		}{
			{worker.LeaseConfig{Now: apart(3 * time.Second)}, false},
			{worker.LeaseConfig{Now: apart(-3 * time.Second)}, false},
			{worker.LeaseConfig{Now: apart(1500 * time.Millisecond)}, true},
			{worker.LeaseConfig{Now: apart(-1500 * time.Millisecond)}, true},
			{worker.LeaseConfig{Now: apart(time.Hour), MaxClockOffset: 61 * time.Minute, MaxAhead: math.MaxInt64}, true},
			{worker.LeaseConfig{Now: apart(-time.Hour), MaxClockOffset: math.MaxInt64, MaxAhead: math.MaxInt64}, true},
			{worker.LeaseConfig{Now: apart(time.Hour), MaxClockOffset: time.Minute}, false},
		} {
			l := h.lease(c.cfg)
			_, err := l.Acquire(t.Context(), millis(1023))
			if c.good {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, worker.ErrClock)
			require.Regexp(t, `this process's shows 20.*Z, the database's 20.*Z, .* apart; at most .* are allowed`, err.Error())
			h.acquire(h.lease(worker.LeaseConfig{})) // and it is bound to nothing
		}

		l := h.lease(worker.LeaseConfig{})
		r := h.acquire(l)
		h.shiftDatabase(time.Hour)
		h.mu.Lock()
		h.skip += window / 2
		h.mu.Unlock()
		row := h.row(r.WorkerID)
		_, err := l.Extend(t.Context(), 0)
		require.ErrorIs(t, err, worker.ErrClock)
		require.Equal(t, row, h.row(r.WorkerID))
		h.shiftDatabase(window/2 - time.Hour)
		require.Equal(t, r.WorkerID, h.extend(l, 0).WorkerID)

		late := millis(1023)
		late.Layout, late.Epoch = "late", time.Now().Add(time.Hour)
		cfg := worker.LeaseConfig{Namespace: "late", DurableStore: true}
		h.init("", worker.Namespace{Name: "late", Terms: late})
		_, err = h.lease(cfg).Acquire(t.Context(), late)
		require.ErrorIs(t, err, worker.ErrClock)
		require.ErrorContains(t, err, "before the layout's epoch")
		cfg.AllowBeforeEpoch = true
		_, err = h.lease(cfg).Acquire(t.Context(), late)
		require.NoError(t, err)
	})
}

// An ID whose ticks are used far ahead of the clock is passed over as long as there is
// another one.
func TestLeaseFarFuture(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l := h.lease(worker.LeaseConfig{})
		h.acquire(l)
		require.NoError(t, l.Release(t.Context(), -1))
		h.pass(quarantine + time.Second)
		high := h.tick() + ms(20*time.Minute)
		do(t, h.db, fmt.Sprintf("UPDATE WORKER_LEASE SET HIGH = %d WHERE WORKER_ID = 0", high))
		_, err := l.Acquire(t.Context(), millis(0))
		require.ErrorIs(t, err, worker.ErrClock)
		require.ErrorContains(t, err, fmt.Sprintf("the ticks of worker ID 0 are used up to %d", high))
		require.Equal(t, high, h.row(0).High)
		require.EqualValues(t, 1, h.acquire(l).WorkerID, "one that was never used")
		require.NoError(t, l.Release(t.Context(), -1))
		h.pass(quarantine + time.Second)
		require.EqualValues(t, 1, h.acquire(l).WorkerID, "one that has been free for less long")
		r := h.acquire(h.lease(worker.LeaseConfig{MaxAhead: time.Hour, DurableStore: true}))
		require.Equal(t, high+1, r.First)
		require.GreaterOrEqual(t, r.Last, r.First)

		// The end of the time field.
		h.pass(ttl + quarantine + time.Second)
		do(t, h.db, fmt.Sprintf("UPDATE WORKER_LEASE SET HIGH = %d WHERE WORKER_ID = 0", millis(0).MaxTick))
		_, err = h.lease(worker.LeaseConfig{MaxAhead: math.MaxInt64}).Acquire(t.Context(), millis(0))
		require.ErrorIs(t, err, uid.ErrExhausted)
		require.ErrorContains(t, err, fmt.Sprint(millis(0).MaxTick))

		// A namespace whose floor lies there.
		do(t, h.db, fmt.Sprintf("UPDATE WORKER_LEASE SET HIGH = %d WHERE WORKER_ID = -1", h.tick()+ms(time.Hour)))
		_, err = l.Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrWorkerInUse)
		_, err = h.lease(worker.LeaseConfig{}).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, worker.ErrClock)
		require.ErrorContains(t, err, "the ticks of the namespace are used up to")
	})
}

// An owner with a short Window burns what one with a long Window may have reserved.
func TestLeaseReach(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		const more = 6 * time.Second
		long := worker.LeaseConfig{Window: window + more*2/3}
		h.acquire(h.lease(long))
		before := h.tick()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l := h.lease(worker.LeaseConfig{Timeout: time.Minute, OnEvent: func(worker.LeaseEvent) { cancel() }})
		_, err := l.Acquire(ctx, millis(1023))
		require.ErrorIs(t, err, context.Canceled, "it waits until its own reach is beyond the other's")

		// It does not wait for long.
		_, err = h.lease(worker.LeaseConfig{Timeout: 4 * time.Second}).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		require.ErrorContains(t, err, "and more can be reserved only in 6s; a start waits for up to 4.022s")
		require.Empty(t, h.row(2).Nonce)
		require.GreaterOrEqual(t, h.row(1).High, before+ms(reach+more+skew))
		require.Empty(t, h.row(1).Nonce, "it is released")
		require.Equal(t, (reach + more + skew).Microseconds(), h.row(-1).Reach)
	})
}

// All at once, each gets an ID of its own.
func TestLeaseConcurrently(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		const n = 16
		ids := make(chan int64, n)
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				r, err := h.lease(worker.LeaseConfig{}).Acquire(t.Context(), millis(1023))
				if err != nil {
					t.Error(err)
				}
				ids <- r.WorkerID
			})
		}
		wg.Wait()
		close(ids)
		seen := map[int64]bool{}
		for id := range ids {
			require.Less(t, id, int64(n))
			seen[id] = true
		}
		require.Len(t, seen, n)
	})
}

func TestLeaseEventPanics(t *testing.T) {
	h := newHouse(t, newSQLite(t))
	var logged records
	h.acquire(h.lease(worker.LeaseConfig{Logger: logged.logger(), OnEvent: func(worker.LeaseEvent) { panic("oops") }}))
	require.Equal(t, 1, logged.count("OnEvent panicked"))
}

// An outage is told once, when it becomes serious.
func TestLeaseLow(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var told events
		var logged records
		l := h.lease(worker.LeaseConfig{DurableStore: true, OnEvent: told.add, Logger: logged.logger()})
		h.acquire(l)
		down, cancel := context.WithCancel(t.Context())
		cancel()
		fail := func() {
			_, err := l.Extend(down, 0)
			require.ErrorIs(t, err, context.Canceled)
		}
		h.pass(window / 2)
		fail()
		require.Len(t, told.kinds(), 1)
		h.pass(window/2 + 50*time.Millisecond)
		fail()
		fail()
		require.Equal(t, []worker.LeaseEventKind{worker.LeaseAcquired, worker.LeaseLow}, told.kinds())
		low := told.last()
		require.ErrorIs(t, low.Err, context.Canceled)
		require.Greater(t, low.Left, time.Duration(0))
		require.Less(t, low.Left, window/2)
		require.Equal(t, 1, logged.count("nearly out"))
		h.extend(l, 0)
		h.pass(window + 50*time.Millisecond)
		fail()
		require.Len(t, told.kinds(), 3)
	})
}

func TestNewLeaseRefuses(t *testing.T) {
	s := newSQLite(t)
	db := s.open(t)
	for text, cfg := range map[string]worker.LeaseConfig{
		"Window -1s is not within 0 and":                        {Window: -time.Second},
		"TTL 1m0s is less than 3/2 of Window 1m0s":              {TTL: time.Minute},
		"Quarantine 1s is less than MaxClockSkew 2s":            {Quarantine: time.Second},
		"MaxAhead 1m0s is less than the 1m30s that a lease may": {MaxAhead: time.Minute},
		`Offline 24h0m0s and StateFile "" go together`:          {Offline: 24 * time.Hour, DurableStore: true},
		`Offline 0s and StateFile "x" go together`:              {StateFile: "x", DurableStore: true},
		"Offline 24h0m0s needs DurableStore":                    {Offline: 24 * time.Hour, StateFile: "x"},
		"Offline 1m0s is less than 3/2 of Window 1m0s":          {Offline: time.Minute, StateFile: "x", DurableStore: true},
		"Quarantine 2562047h47m16.854775807s is not within 0":   {Quarantine: math.MaxInt64},
		"Timeout -1ns":                                        {Timeout: -1},
		"MaxClockOffset -1ns":                                 {MaxClockOffset: -1},
		"has 65 bytes, the table holds 64":                    {Namespace: strings.Repeat("n", 65)},
		"has 129 characters, the table holds 128":             {Holder: strings.Repeat("n", 129)},
		`the Holder "\xff" is not valid UTF-8`:                {Holder: "\xff"},
		`the Namespace "\xff" has the byte 0xff at 0`:         {Namespace: "\xff"},
		`the Namespace "bücher" has the byte 0xc3 at 1`:       {Namespace: "bücher"},
		`the Namespace "订单" has the byte 0xe8 at 0`:           {Namespace: "订单"},
		`the Namespace "a\n" has the byte 0x0a at 1`:          {Namespace: "a\n"},
		`the Namespace " a" is empty or has spaces around it`: {Namespace: " a"},
		`the Namespace "a " is empty or has spaces around it`: {Namespace: "a "},
		`table name "a b"`:                                    {Table: "a b"},
		`unknown dialect "oracle"`:                            {Dialect: "oracle"},
	} {
		l, err := worker.NewLease(db, cfg)
		require.Nil(t, l)
		require.ErrorContains(t, err, text)
		require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange), text)
	}
	_, err := worker.NewLease(nil, worker.LeaseConfig{})
	require.ErrorIs(t, err, uid.ErrConfig)
	l, err := worker.NewLease(db, worker.LeaseConfig{Window: 500 * time.Microsecond})
	require.NoError(t, err)
	_, err = l.Acquire(t.Context(), millis(1023))
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "Window 500µs is shorter than the layout's tick, 1ms")
}
