package worker_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// rest is for how long a namespace rests that a start has made.
const rest = 5 * time.Minute

// short is for starts that do not wait for a namespace that rests.
var short = worker.LeaseConfig{Timeout: 5 * time.Second}

func (h *house) registry() *worker.Registry {
	r, err := worker.NewRegistry(h.db, worker.RegistryConfig{Now: h.now})
	require.NoError(h.t, err)
	r.ShiftClock("SELECT MICROS FROM SKIP")
	return r
}

// Where nothing is lost nothing is made: what is missing is for a person to look at.
func TestNamespaceDurable(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := worker.LeaseConfig{DurableStore: true}
		l := h.leaseOf(cfg)
		_, err := l.Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, worker.ErrNoNamespace)
		require.ErrorContains(t, err, "the table does not exist")
		require.Empty(t, h.tables())

		r := h.registry()
		require.NoError(t, r.Init(t.Context(), worker.Namespace{Name: "other", Terms: millis(1023)}))
		_, err = l.Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, worker.ErrNoNamespace)
		require.ErrorContains(t, err, `no row of namespace "default"`)

		require.NoError(t, r.Init(t.Context(), worker.Namespace{Terms: millis(1023)}))
		require.Zero(t, h.acquire(l).WorkerID)
		row := h.row(-1)
		require.NoError(t, r.Init(t.Context(), worker.Namespace{Terms: millis(1023)}), "it is there")
		require.Equal(t, row, h.row(-1))
	})
}

// tables returns which of the tables of leases there are.
func (h *house) tables() (names []string) {
	h.t.Helper()
	query := "SELECT name FROM sqlite_master WHERE name LIKE 'WORKER%'"
	if h.db.DriverName() == "mysql" {
		query = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'WORKER%'"
	}
	require.NoError(h.t, h.db.Select(&names, query))
	return names
}

// A table that is away for a while, as in a change of its schema in two steps: nobody makes
// another one, and its owner goes on when it is back.
func TestNamespaceRenamedAway(t *testing.T) {
	for name, durable := range map[string]bool{"": false, "durable": true} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				cfg := worker.LeaseConfig{DurableStore: durable}
				l := h.lease(cfg)
				was := h.acquire(l)
				h.pass(window / 2)
				do(t, h.db, "ALTER TABLE WORKER_LEASE RENAME TO AWAY")
				_, err := l.Extend(t.Context(), was.Last+10)
				require.ErrorIs(t, err, worker.ErrNoNamespace)
				require.Empty(t, h.tables())
				if durable {
					_, err = h.leaseOf(cfg).Acquire(t.Context(), millis(1023))
					require.ErrorIs(t, err, worker.ErrNoNamespace)
					require.Empty(t, h.tables())
				}
				do(t, h.db, "ALTER TABLE AWAY RENAME TO WORKER_LEASE")
				r := h.extend(l, was.Last+10)
				require.Equal(t, was.WorkerID, r.WorkerID)
				require.Equal(t, was.First, r.First)
				require.Greater(t, r.Last, was.Last)
				require.EqualValues(t, 1, h.acquire(h.lease(cfg)).WorkerID)
			})
		})
	}
}

// A table that is dropped, or emptied, under its owner. Whoever comes then does not know of
// it, and the owner asks in vain for another ID.
func TestNamespaceGone(t *testing.T) {
	for _, statement := range []string{"DROP TABLE WORKER_LEASE", "DELETE FROM WORKER_LEASE"} {
		t.Run(statement, func(t *testing.T) {
			for name, durable := range map[string]bool{"": false, "durable": true} {
				t.Run(name, func(t *testing.T) {
					eachHouse(t, func(t *testing.T, h *house) {
						l := h.lease(worker.LeaseConfig{DurableStore: durable})
						was := h.acquire(l)
						do(t, h.db, statement)
						tables := h.tables()
						for range 3 {
							h.pass(window / 2)
							_, err := l.Extend(t.Context(), was.Last+10)
							require.ErrorIs(t, err, worker.ErrNoNamespace)
						}
						require.Equal(t, tables, h.tables())
						other := short
						other.DurableStore = durable
						_, err := h.leaseOf(other).Acquire(t.Context(), millis(1023))
						if durable {
							require.ErrorIs(t, err, worker.ErrNoNamespace)
							return
						}
						require.ErrorIs(t, err, uid.ErrNoReservation)
						h.pass(rest + time.Second)
						next := h.acquire(h.leaseOf(other))
						require.Zero(t, next.WorkerID)
						require.Greater(t, next.First, was.Last)
					})
				})
			}
		})
	}
}

// A namespace that a start has made rests: nobody can tell it from one whose rows were lost.
func TestNamespaceRests(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var logged records
		cfg := short
		cfg.Logger = logged.logger()
		before := h.tick()
		for range 2 {
			_, err := h.leaseOf(cfg).Acquire(t.Context(), millis(1023))
			require.ErrorIs(t, err, uid.ErrNoReservation)
			require.ErrorContains(t, err, "Registry.Init or uid worker init ends that")
		}
		require.Equal(t, 1, logged.count("has been made"))
		row := h.row(-1)
		require.Equal(t, rest.Microseconds(), row.Until-row.Acquired)
		require.GreaterOrEqual(t, row.High, before+ms(rest))
		require.LessOrEqual(t, row.High, h.tick()+ms(rest))
		h.pass(rest - 10*time.Second)
		_, err := h.leaseOf(cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(11 * time.Second)
		r := h.acquire(h.leaseOf(cfg))
		require.Zero(t, r.WorkerID)
		require.Greater(t, r.First, row.High)
	})
}

// A start waits for the end of a rest that is not further away than its Timeout.
func TestNamespaceRestIsWaitedFor(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		_, err := h.leaseOf(short).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(rest - 20*time.Second)
		var logged records
		logged.on = map[string]func(){"trying again": func() { h.pass(20 * time.Second) }}
		require.Zero(t, h.acquire(h.leaseOf(worker.LeaseConfig{Timeout: time.Minute, Logger: logged.logger()})).WorkerID)
		require.Equal(t, 1, logged.count("trying again"))
	})
}

// The longest of what a start's own settings say counts.
func TestNamespaceRestsForLonger(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		for name, cfg := range map[string]worker.LeaseConfig{
			"TTL":        {Namespace: "TTL", TTL: 2 * rest},
			"Quarantine": {Namespace: "Quarantine", Quarantine: 2 * rest},
		} {
			_, err := h.leaseOf(cfg).Acquire(t.Context(), millis(1023))
			require.ErrorIs(t, err, uid.ErrNoReservation)
			var until, acquired int64
			require.NoError(t, h.db.QueryRow("SELECT LEASE_UNTIL, ACQUIRED FROM WORKER_LEASE WHERE NAMESPACE = ?", name).Scan(&until, &acquired))
			require.Equal(t, 2*rest.Microseconds(), until-acquired)
		}
	})
}

// Who knows that nobody ever had an ID ends the rest; as soon as somebody had one it is too
// late for that.
func TestInitEndsTheRest(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		_, err := h.leaseOf(short).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		row := h.row(-1)
		r := h.registry()
		require.NoError(t, r.Init(t.Context(), worker.Namespace{Terms: millis(1023), Rest: time.Second}))
		require.Equal(t, row, h.row(-1), "one that rests already")
		require.NoError(t, r.Init(t.Context(), worker.Namespace{Terms: millis(1023)}))
		require.Zero(t, h.row(-1).Until)
		require.EqualValues(t, -1, h.row(-1).High)
		require.Zero(t, h.acquire(h.leaseOf(short)).WorkerID)

		do(t, h.db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 9000000000000000 WHERE WORKER_ID = -1")
		row = h.row(-1)
		require.NoError(t, r.Init(t.Context(), worker.Namespace{Terms: millis(1023)}))
		require.Equal(t, row, h.row(-1))
	})
}

// A namespace whose own row was deleted keeps the widest reach of the owners that are left.
func TestNamespaceKeepsItsReach(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.acquire(h.lease(worker.LeaseConfig{Window: 2 * window, TTL: 3 * window}))
		was := h.row(-1)
		do(t, h.db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID = -1")
		_, err := h.leaseOf(short).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		require.Equal(t, was.Reach, h.row(-1).Reach)
		require.Equal(t, (3*window + skew).Microseconds(), was.Reach)
	})
}

func TestInitWithRest(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		require.NoError(t, h.registry().Init(t.Context(), worker.Namespace{Name: "a", Terms: millis(1023), Rest: time.Minute}))
		cfg := worker.LeaseConfig{Namespace: "a", Timeout: 5 * time.Second, DurableStore: true}
		before := h.tick()
		_, err := h.leaseOf(cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(time.Minute + time.Second)
		r := h.acquire(h.leaseOf(cfg))
		require.GreaterOrEqual(t, r.First, before+ms(time.Minute-time.Second))
	})
}

func TestInitRefuses(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		r := h.registry()
		late := millis(1023)
		late.Layout = ""
		for text, n := range map[string]worker.Namespace{
			"has the byte 0xc3 at 1":                 {Name: "bücher", Terms: millis(1023)},
			"are not those of a layout":              {Terms: late},
			`namespace "x" are not those of a`:       {Name: "x"},
			"Rest -1s is not within 0 and":           {Terms: millis(1023), Rest: -time.Second},
			"Rest 2562047h47m16.854775807s is not w": {Terms: millis(1023), Rest: math.MaxInt64},
		} {
			err := r.Init(t.Context(), n)
			require.ErrorIs(t, err, uid.ErrConfig)
			require.ErrorContains(t, err, text)
		}
		require.Empty(t, h.tables())
		require.NoError(t, r.Init(t.Context(), worker.Namespace{Terms: millis(1023)}))
		other := millis(1023)
		other.Layout = "another"
		err := r.Init(t.Context(), worker.Namespace{Terms: other})
		require.ErrorIs(t, err, worker.ErrLayout)
		require.ErrorContains(t, err, "another")
	})
}

// Owners with different Windows, whose table is emptied: the widest reach is forgotten with
// it, and nobody is given what the owner with the wide one still has. When the former rows
// come back after that, it does not go on under its ID.
func TestNamespaceEmptiedAndRestored(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		wide := h.lease(worker.LeaseConfig{Window: 4 * window / 5, TTL: ttl})
		was := h.acquire(wide)
		do(t, h.db, "CREATE TABLE DUMP AS SELECT * FROM WORKER_LEASE", "DELETE FROM WORKER_LEASE")
		narrow := worker.LeaseConfig{Window: time.Second, TTL: 2 * time.Second, Quarantine: time.Second, Timeout: 5 * time.Second}
		_, err := h.leaseOf(narrow).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)

		// Back within half a Window: nobody else has had anything.
		h.pass(window / 5)
		do(t, h.db, "DELETE FROM WORKER_LEASE", "INSERT INTO WORKER_LEASE SELECT * FROM DUMP")
		h.pass(window / 5)
		again := h.extend(wide, was.Last+1)
		require.Equal(t, was.WorkerID, again.WorkerID)

		// Not back: the next owner begins above all that this one had.
		do(t, h.db, "DELETE FROM WORKER_LEASE")
		_, err = h.leaseOf(narrow).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(rest + time.Second)
		l := h.leaseOf(narrow)
		next := h.acquire(l)
		require.Equal(t, was.WorkerID, next.WorkerID)
		require.Greater(t, next.First, again.Last)

		// Back too late: the lease has ended by then.
		do(t, h.db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID = 0", "INSERT INTO WORKER_LEASE SELECT * FROM DUMP WHERE WORKER_ID = 0")
		more := h.extend(wide, again.Last+1)
		require.True(t, more.WorkerID != was.WorkerID || more.First > next.Last, "%+v, %+v", more, next)
	})
}
