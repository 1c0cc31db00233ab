package statefile_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/statefile"
)

// A start within the TTL goes on at once, above what the file has granted, and so it does where the store
// may have lost writes, or has lost some: nothing that this owner reserved by them is beyond what its file
// says.
func TestLeaseGoesOnAtOnce(t *testing.T) {
	for history, change := range map[string]func(h *house){
		"as it was":               func(*house) {},
		"another history":         func(h *house) { h.memory.LoseHistory() },
		"another server's clock":  func(h *house) { h.memory.LoseHistory(); h.off = -2 * time.Second },
		"the newest write undone": func(h *house) { h.memory.Backup()() },
	} {
		for how, end := range ends {
			t.Run(fmt.Sprint(how, ", ", history), func(t *testing.T) {
				inHouse(t, func(t *testing.T, h *house) {
					p, r := h.held()
					require.LessOrEqual(t, r.Last, h.tick()+ms(fileReach), "the file grants no more than this")
					for range 3 {
						time.Sleep(time.Minute / 2)
						r = p.extend(0)
						next := end(p, r)
						require.NotEmpty(t, h.row(0).Nonce, "the lease is kept")
						change(h)
						before := h.namespace()
						time.Sleep(ttl - 3*time.Second)
						p = h.process()
						began := time.Now()
						again := p.acquire()
						require.Zero(t, time.Since(began))
						require.Zero(t, again.WorkerID)
						require.Equal(t, next, again.First)
						require.GreaterOrEqual(t, again.Last, h.tick()+ms(fileWindow))
						if history != "as it was" {
							require.NotEqual(t, before.History, h.namespace().History)
							require.GreaterOrEqual(t, h.namespace().Floor, h.tick()+ms(lease.Burn-2*time.Second))
						}
						r = again
					}

					// Over means over.
					end(p, r)
					time.Sleep(ttl + 3*time.Second)
					require.EqualValues(t, 1, h.process().acquire().WorkerID)
				})
			})
		}
	}
}

// While the store is down a start goes on with what was reserved, and not beyond.
func TestLeaseWithoutStore(t *testing.T) {
	each(t, ends, func(t *testing.T, h *house, end ending) {
		long := lease.Config{Window: 80 * time.Second}
		p := h.with(long, statefile.Config{})
		r := p.acquire()
		row := h.row(0)
		h.memory.Outage(true)
		for range 3 {
			next := end(p, r)
			p = h.with(long, statefile.Config{})
			r = p.acquire()
			require.Equal(t, 1, p.logged.Count("the store cannot be reached, starting on what was reserved"))
			require.Zero(t, r.WorkerID)
			require.Equal(t, next, r.First)
			require.Greater(t, r.Last, h.tick())
			time.Sleep(fileWindow)
			r = p.extend(0)
			require.GreaterOrEqual(t, r.Last, h.tick()+ms(fileWindow))
			require.Equal(t, r.Last+1000+ms(fileReach), p.extend(r.Last+1000).Last)
			r = p.extend(0)
			require.Zero(t, p.WorkerHealth().Ends, "the process does not know when the last one renewed")
		}
		time.Sleep(time.Duration(row.High-h.tick()-100) * time.Millisecond)
		last := p.extend(0)
		require.Equal(t, row.High, last.Last)
		require.Greater(t, last.Renew, h.tick()+ms(time.Second), "the store is left alone")
		time.Sleep(time.Second)
		require.Error(t, extendError(t, p, 0))
		require.NoError(t, p.Release(t.Context(), last.Last))
		logtest.Error(t, acquireError(t, h.process(), millis()), uid.ErrNoReservation, "reserved up to")
		require.Equal(t, row, h.row(0))

		// The start that failed has left the file as it was.
		h.memory.Outage(false)
		again := h.process().acquire()
		require.Zero(t, again.WorkerID)
		require.Equal(t, last.Last+1, again.First)
	})
}

// Whoever can reach the store again says so, once.
func TestLeaseAfterAnOutage(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p, _ := h.held()
		for range 2 {
			time.Sleep(time.Minute)
			h.memory.Outage(true)
			p.extend(0)
			p.extend(0)
			h.memory.Outage(false)
			p.extend(0)
			p.extend(0)
		}
		require.Equal(t, 2, p.logged.Count("the lease cannot be renewed, going on with what was reserved"))
		require.Equal(t, 2, p.logged.Count("the lease is renewed again"))
		require.NotZero(t, p.WorkerHealth().Ends)
	})
}

// A renewal takes back nothing of what was granted to a burst before it.
func TestLeaseAfterABurst(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p, _ := h.held()
		burst := p.extend(h.tick() + ms(time.Minute))
		time.Sleep(time.Minute / 2)
		require.GreaterOrEqual(t, p.extend(0).Last, burst.Last)
		p.crash()
		require.Greater(t, h.process().acquire().First, burst.Last)
	})
}

// The process ends when the store has a renewal, and the file has not: of the running owner, and of one that was
// just about to start. The next start takes the lease up, and nothing of what only the store has counts.
func TestLeaseCrashBetweenTheWrites(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p, _ := h.held()
		time.Sleep(time.Minute / 2)
		r := p.extend(0)
		time.Sleep(time.Minute / 2)
		p.Fill()
		before := h.row(0)
		require.ErrorIs(t, extendError(t, p, 0), worker.ErrState)
		require.NotEqual(t, before, h.row(0))
		p.crash()
		for range 3 {
			p = h.process()
			p.store.answered = func() { p.Fill() }
			before = h.row(0)
			require.ErrorIs(t, acquireError(t, p, millis()), worker.ErrState)
			require.NotEqual(t, before, h.row(0))
		}
		time.Sleep(70 * time.Second)
		h.memory.Outage(true)
		require.ErrorIs(t, acquireError(t, h.process(), millis()), uid.ErrNoReservation,
			"the file knows nothing of the renewals")
		h.memory.Outage(false)
		p = h.process()
		p.store.Fault(slices.Repeat([]storetest.Fault{storetest.LoseWrite}, 100)...)
		require.ErrorIs(t, acquireError(t, p, millis()), uid.ErrNoReservation, "it has seen them, and no more")
		p, again := h.held()
		require.Zero(t, again.WorkerID)
		require.Equal(t, r.Last+1, again.First)
		require.Empty(t, p.events)
	})
}

// A file is refused that is not this lease's, and so is one that another generator uses.
func TestLeaseFileRefused(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.with(lease.Config{}, alpha)
		r := p.acquire()
		require.ErrorIs(t, acquireError(t, h.process(), millis()), uid.ErrWorkerInUse)
		require.ErrorIs(t, acquireError(t, p, millis()), uid.ErrWorkerInUse)
		r = p.extend(r.Last)
		require.NoError(t, p.Release(t.Context(), r.Last-1))
		row := h.row(0)

		refused := func(p *process, terms uid.Terms, is error, text string) {
			t.Helper()
			logtest.Error(t, acquireError(t, p, terms), is, text)
			require.Equal(t, row, h.row(0))
		}
		refused(h.with(lease.Config{}, beta), millis(), worker.ErrState, `was written on host "alpha", this is "beta"`)
		terms := millis()
		terms.Layout = "another"
		refused(h.with(lease.Config{}, alpha), terms, worker.ErrLayout, "are of 41/10/12")
		for _, ids := range []lease.Range{{First: 1, Last: 9}, {First: 5, Last: 5}} {
			refused(h.with(lease.Config{IDs: ids}, alpha), millis(), uid.ErrRange,
				fmt.Sprintf("is not one of the IDs %v that are asked for", ids))
		}
		behind := statefile.Config{Host: "alpha", Now: func() time.Time { return time.Now().Add(-time.Hour) }}
		refused(h.with(lease.Config{}, behind), millis(), worker.ErrClock, "more than MaxAhead 15m0s before that")
		terms = millis()
		terms.MaxLead = time.Hour
		refused(h.with(lease.Config{}, alpha), terms, uid.ErrConfig, "MaxLead 1h0m0s is more than MaxAhead 15m0s")

		other := &house{t: t, memory: h.memory, path: h.path}
		o := must(lease.New(h.memory.Store("invoices"), lease.Config{}))
		file, err := statefile.OnLease(o, h.path, alpha)
		require.NoError(t, err)
		logtest.Error(t, acquireError(t, file, millis()), worker.ErrState,
			`for "namespace \"orders\" in memory", not "lease" for "namespace \"invoices\" in memory"`)
		other.path = tempPath(t)
		require.NoError(t, saveState(other.path, state.KindFixed, millis().Layout, 5))
		err = acquireError(t, other.with(lease.Config{}, alpha), millis())
		logtest.Error(t, err, worker.ErrState, `is of kind "fixed"`)

		// With AnyHost it belongs to the new host from then on.
		p = h.with(lease.Config{IDs: lease.Range{Last: 7}}, statefile.Config{Host: "beta", AnyHost: true})
		require.Equal(t, r.Last, p.acquire().First)
		p.crash()
		row = h.row(0)
		refused(h.with(lease.Config{}, alpha), millis(), worker.ErrState, `was written on host "beta"`)
	})
}

func TestOnLeaseRefuses(t *testing.T) {
	_, err := statefile.OnLease(nil, "path", statefile.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	l := must(lease.New(storetest.NewMemory(storetest.MemoryConfig{}).Store(orders), lease.Config{}))
	_, err = statefile.OnLease(l, "", statefile.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = statefile.OnLease(l, "path", statefile.Config{Window: -1})
	require.ErrorIs(t, err, uid.ErrConfig)
	w := must(statefile.OnLease(l, "path", statefile.Config{}))
	require.ErrorIs(t, extendError(t, w, 0), uid.ErrNoReservation)
	require.ErrorIs(t, w.Release(t.Context(), 0), uid.ErrNoReservation)
	require.Equal(t, "lease", w.(health.WorkerReporter).WorkerHealth().Kind)
}

type loss = func(h *house, p *process)

// losses are the ways in which an owner loses its lease while it runs.
var losses = map[string]loss{
	"another has it": func(h *house, _ *process) {
		row := h.row(0)
		row.Nonce = "another"
		h.memory.SetRow(orders, row)
	},
	"its row is gone": func(h *house, _ *process) { h.memory.RemoveRow(orders, 0) },
	"it is over":      func(*house, *process) { time.Sleep(ttl + time.Second) },
	"invalidated":     func(_ *house, p *process) { p.Invalidate() },
}

// A lease that was lost goes on under another ID, and neither a start from the file nor one without the store
// brings it back: however the process ends, and whenever.
func TestLeaseLost(t *testing.T) {
	each(t, losses, func(t *testing.T, h *house, lose loss) {
		p, was := h.held()
		time.Sleep(time.Minute / 2)
		lose(h, p)
		r := p.extend(was.Last + 1)
		require.EqualValues(t, 1, r.WorkerID)
		require.GreaterOrEqual(t, r.Last, r.First)
		p.crash()
		h.memory.Outage(true)
		again := h.process().acquire()
		require.EqualValues(t, 1, again.WorkerID)
		require.Equal(t, r.Last+1, again.First)
	})
}

// Nor does one that was lost before the process was closed.
func TestLeaseLostAndClosed(t *testing.T) {
	each(t, losses, func(t *testing.T, h *house, lose loss) {
		p, r := h.held()
		lose(h, p)
		require.NoError(t, p.Release(t.Context(), r.First))
		require.EqualValues(t, 1, h.process().acquire().WorkerID)
	})
}

// The end of the process, before the file has the lease that came after one that was invalidated, does not bring that
// back.
func TestLeaseInvalidated(t *testing.T) {
	type meanwhile = func(h *house, p *process) (undo func())
	each(t, map[string]meanwhile{
		"no store": func(h *house, _ *process) func() {
			h.memory.Outage(true)
			return func() { h.memory.Outage(false) }
		},
		"nothing saved after the acquisition": func(_ *house, p *process) func() {
			p.store.Fault(storetest.LoseReply)
			return func() {}
		},
	}, func(t *testing.T, h *house, begin meanwhile) {
		p, _ := h.held()
		undo := begin(h, p)
		p.Invalidate()
		require.Error(t, extendError(t, p, 0))
		p.crash()
		undo()
		require.NotZero(t, h.process().acquire().WorkerID)
	})

	// Of what the file cannot forget nothing is acquired.
	inHouse(t, func(t *testing.T, h *house) {
		p, _ := h.held()
		undo := p.Fill()
		p.Invalidate()
		require.ErrorIs(t, extendError(t, p, 0), worker.ErrState)
		_, found := h.memory.Row(orders, 1)
		require.False(t, found)
		undo()
		undo = p.FillAfter(1)
		for range 2 {
			require.ErrorIs(t, extendError(t, p, 0), worker.ErrState, "the other record still has it")
		}
		_, found = h.memory.Row(orders, 1)
		require.False(t, found)
		undo()
		require.EqualValues(t, 1, p.extend(0).WorkerID)
	})

	// It is noticed in the middle of a renewal, too.
	inHouse(t, func(t *testing.T, h *house) {
		p, _ := h.held()
		time.Sleep(time.Minute / 2)
		p.store.answered = func() { p.Invalidate() }
		require.ErrorIs(t, extendError(t, p, 0), uid.ErrNoReservation)
		p.crash()
		require.EqualValues(t, 1, h.process().acquire().WorkerID)
	})
}

// An acquisition of which nobody heard is given back at the end.
func TestLeaseGivesADoubtBack(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p, _ := h.held()
		time.Sleep(time.Minute / 2)
		h.memory.RemoveRow(orders, 0)
		p.store.Fault(storetest.OK, storetest.LoseReply)
		require.Error(t, extendError(t, p, 0))
		require.NotEmpty(t, h.row(1).Nonce)
		require.NoError(t, p.Release(t.Context(), -1))
		require.Empty(t, h.row(1).Nonce)
	})
}

// A file that cannot be written costs no worker ID, and what it does not have is not granted.
func TestLeaseFileCannotBeWritten(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		full := &house{t: t, memory: h.memory, path: "/dev/full"}
		require.ErrorIs(t, acquireError(t, full.process(), millis()), worker.ErrState)
		_, found := h.memory.Row(orders, 0)
		require.False(t, found)

		// Once the ID is leased the file may have it, whatever the disk says: it is left to the next start.
		p := h.process()
		p.store.answered = func() { require.NoError(t, os.Remove(h.path)) }
		require.ErrorIs(t, acquireError(t, p, millis()), worker.ErrState)
		require.NotEmpty(t, h.row(0).Nonce)

		// A running one goes on up to what it was granted.
		p, r := h.held()
		require.EqualValues(t, 1, r.WorkerID)
		undo := p.Fill()
		time.Sleep(fileWindow)
		require.ErrorIs(t, extendError(t, p, r.Last+1), worker.ErrState)
		undo()
		more := p.extend(r.Last + 1)
		require.Greater(t, more.Last, r.Last)
		p.Fill()
		require.ErrorIs(t, p.Release(t.Context(), r.First), worker.ErrState)
		require.Equal(t, more.Last+1, h.process().acquire().First, "nobody knows what was given back")
	})
}

// A lease that comes after a lost one, of the same ID, begins above what others had in between; also where the file
// could not be written when it came.
func TestLeaseOfTheSameIDAgain(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, false, lease.Range{First: 5, Last: 5})
				p, was := h.held()
				for range 2 {
					time.Sleep(over)
					(&house{t: t, memory: h.memory, path: tempPath(t)}).held() // another owner
				}
				time.Sleep(over)
				h.memory.LoseHistory()
				undo := p.Fill()
				require.ErrorIs(t, extendError(t, p, 0), worker.ErrState)
				undo()
				if name == "crashed" {
					p.extend(0)
				}
				end(p, was)
				require.Greater(t, h.process().acquire().First, h.namespace().Floor)
			})
		})
	}
}

// A floor holds for a lease that is taken up, and for all later starts. What a lease cannot reach is refused at once.
func TestLeaseFloor(t *testing.T) {
	each(t, map[string]lease.Losses{"lossy": lease.ByHistory, "durable": lease.Never},
		func(t *testing.T, h *house, losses lease.Losses) {
			cfg := lease.Config{Losses: losses}
			p := h.with(cfg, statefile.Config{})
			p.acquire()
			require.NoError(t, p.Release(t.Context(), -1))
			terms := millis()
			terms.MinTick = h.tick() + ms(lease.Burn)
			p = h.with(cfg, statefile.Config{})
			r := acquired(t, p, terms)
			require.Zero(t, r.WorkerID)
			require.Equal(t, terms.MinTick, r.First)
			require.GreaterOrEqual(t, r.Last, r.First)
			require.NoError(t, p.Release(t.Context(), -1))
			p = h.with(cfg, statefile.Config{})
			require.Equal(t, terms.MinTick, p.acquire().First)
			require.NoError(t, p.Release(t.Context(), -1))

			terms.MinTick = h.tick() + ms(time.Hour)
			err := acquireError(t, h.with(cfg, statefile.Config{}), terms)
			logtest.Error(t, err, uid.ErrRange, "the generator's floor rules out ticks up to")
		})
}

// Ticks that were used further ahead than can be reserved for now are not waited for.
func TestLeaseFarAhead(t *testing.T) {
	for _, losses := range []lease.Losses{lease.ByHistory, lease.Never} {
		inHouse(t, func(t *testing.T, h *house) {
			cfg := lease.Config{Losses: losses}
			p := h.with(cfg, statefile.Config{})
			p.acquire()
			require.NoError(t, p.Release(t.Context(), -1))
			file, err := state.Open(h.path)
			require.NoError(t, err)
			record, _ := file.Load()
			record.Granted = h.tick() + ms(time.Hour)
			record.NextGranted = record.Granted
			require.NoError(t, file.Save(record))
			require.NoError(t, file.Close())
			err = acquireError(t, h.with(cfg, statefile.Config{MaxAhead: 2 * time.Hour}), millis())
			logtest.Error(t, err, uid.ErrNoReservation, "more can be reserved only in")
			require.NotEmpty(t, h.row(0).Nonce, "the lease is left to the next start")
		})
	}
}

// A start that fails leaves the lease of its file to the next one.
func TestLeaseOfAFailedStart(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p, r := h.held()
		require.NoError(t, p.Release(t.Context(), r.First))
		row := h.row(0)
		p = h.with(lease.Config{Losses: lease.Never}, statefile.Config{})
		p.store.lossy = []string{"fsync is off"}
		logtest.Error(t, acquireError(t, p, millis()), uid.ErrConfig, "fsync is off")
		require.Equal(t, row, h.row(0), "nothing is written to such a store")
		h.off = time.Minute
		h.process().acquire() // a clock that is a minute off is still believed of a lease that is held
		require.NotEqual(t, row, h.row(0))
	})
}
