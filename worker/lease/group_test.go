package lease_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// A hall is a store's entrance: calls of Take and TakeBatch pass it one after another, each in its
// own time, and are counted.
type hall struct {
	lease.BatchStore
	takes    time.Duration // what each takes
	turn     chan struct{}
	calls    atomic.Int64
	widest   atomic.Int64 // rows that were asked for at once
	inspects atomic.Int64
	at, most atomic.Int64 // calls of any kind at once
	hold     func(ctx context.Context)
}

func newHall(store lease.BatchStore, takes time.Duration) *hall {
	return &hall{BatchStore: store, takes: takes, turn: make(chan struct{}, 1)}
}

func (h *hall) pass(ctx context.Context, n int) func() {
	h.calls.Add(1)
	h.widest.Store(max(h.widest.Load(), int64(n)))
	h.turn <- struct{}{}
	time.Sleep(h.takes)
	if h.hold != nil {
		h.hold(ctx)
	}
	return func() { <-h.turn }
}

func (h *hall) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	defer h.counted()()
	defer h.pass(ctx, 1)()
	return h.BatchStore.Take(ctx, w, decide)
}

func (h *hall) TakeBatch(ctx context.Context, w lease.Wanted, n int, decide func(*lease.Namespace, []*lease.Row, lease.Clock) error) error {
	defer h.counted()()
	defer h.pass(ctx, n)()
	return h.BatchStore.TakeBatch(ctx, w, n, decide)
}

func (h *hall) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	defer h.counted()()
	time.Sleep(time.Millisecond)
	return h.BatchStore.Change(ctx, id, decide)
}

func (h *hall) Inspect(ctx context.Context) ([]string, error) {
	h.inspects.Add(1)
	defer h.counted()()
	time.Sleep(h.takes)
	return h.BatchStore.Inspect(ctx)
}

// counted notes how many calls there are at once.
func (h *hall) counted() (end func()) {
	if n := h.at.Add(1); n > h.most.Load() {
		h.most.Store(n)
	}
	return func() { h.at.Add(-1) }
}

// group returns a Group on a store.
func group(t testing.TB, store lease.Store, calls int) *lease.Group {
	t.Helper()
	g, err := lease.NewGroup(store, lease.GroupConfig{Calls: calls})
	require.NoError(t, err)
	return g
}

// A thousand leases that start at once have their first ticks in the time of one, and some ten
// transactions.
func TestGroupStartsAsOne(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		const tenants = 1000
		h.found(orders)
		const takes = 20 * time.Millisecond
		began := time.Now()
		h.acquire(h.on(newHall(h.memory.Store(orders), takes), lease.Config{}))
		one := time.Since(began)

		store := newHall(h.memory.Store(orders), takes)
		g := group(t, store, 0)
		began = time.Now()
		var ids sync.Map
		var all sync.WaitGroup
		for range tenants {
			l := h.on(g, lease.Config{})
			all.Go(func() {
				r, err := l.Acquire(t.Context(), millis(1023))
				if err != nil || r.Last < r.First {
					t.Errorf("%v, %v", r, err)
				}
				if _, twice := ids.LoadOrStore(r.WorkerID, true); twice {
					t.Errorf("worker ID %d has two owners", r.WorkerID)
				}
			})
		}
		all.Wait()
		require.LessOrEqual(t, store.calls.Load(), int64(2+tenants/lease.MaxBatch), "transactions")
		require.EqualValues(t, lease.MaxBatch, store.widest.Load())
		require.LessOrEqual(t, store.inspects.Load(), int64(2))
		require.LessOrEqual(t, store.most.Load(), int64(lease.DefaultCalls))
		// The transactions, one inspection more, and the renewals that give the first ticks, 16 at once.
		require.Less(t, time.Since(began), one+(3+tenants/lease.MaxBatch)*takes+(1+tenants/lease.DefaultCalls)*time.Millisecond)
	})
}

// Without TakeBatch the calls run side by side, and no more than Calls at once.
func TestGroupOfOtherStores(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.found(orders)
		store := newHall(h.memory.Store(orders), 0)
		g := group(t, struct{ lease.Store }{store}, 3)
		var all sync.WaitGroup
		for range 50 {
			l := h.on(g, lease.Config{})
			all.Go(func() {
				if _, err := l.Acquire(t.Context(), millis(1023)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Len(t, h.ids(), 50)
		require.EqualValues(t, 50, store.calls.Load())
		require.EqualValues(t, 3, store.most.Load())
		require.Equal(t, store.Name(), g.Name())
		require.Equal(t, store.Durable(), g.Durable())
	})
}

func TestGroupRefusesSettings(t *testing.T) {
	_, err := lease.NewGroup(nil, lease.GroupConfig{})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = lease.NewGroup(storetest.NewMemory(storetest.MemoryConfig{}).Store(""), lease.GroupConfig{Calls: -1})
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "-1")
}

// A meeting is a batch: its members begin while the call before them is held, so that they are in
// the next one, in their order.
type meeting struct {
	*house
	store   *hall
	client  *storetest.Client
	group   *lease.Group
	release chan struct{} // closed when the call before may go on
	all     sync.WaitGroup
}

// meet holds the first call.
func meet(t *testing.T, h *house) *meeting {
	t.Helper()
	h.found(orders)
	m := &meeting{house: h, client: h.memory.Store(orders), release: make(chan struct{})}
	m.store = newHall(m.client, 0)
	m.group = group(t, m.store, 0)
	var once sync.Once
	m.store.hold = func(context.Context) { once.Do(func() { <-m.release }) }
	before := h.on(m.group, lease.Config{DurableStore: true})
	m.all.Go(func() { h.acquire(before) })
	synctest.Wait()
	return m
}

// joins lets a lease of the batch begin, whose Acquire came to *err.
func (m *meeting) joins(ctx context.Context, cfg lease.Config, terms uid.Terms) (l *lease.Lease, r *uid.Reservation, err *error) {
	l, r, err = m.on(m.group, cfg), new(uid.Reservation), new(error)
	m.all.Go(func() { *r, *err = l.Acquire(ctx, terms) })
	synctest.Wait()
	return l, r, err
}

// ends lets the batch be carried out.
func (m *meeting) ends() {
	close(m.release)
	m.all.Wait()
}

// One of a batch that is refused does not keep the others from their IDs, and takes none itself.
func TestGroupRefusesOne(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		m := meet(t, h)
		_, first, err1 := m.joins(t.Context(), lease.Config{}, millis(1023))
		other := millis(1023)
		other.Layout = "of another service"
		_, _, refused := m.joins(t.Context(), lease.Config{}, other)
		_, last, err2 := m.joins(t.Context(), lease.Config{}, millis(1023))
		m.ends()
		require.NoError(t, *err1)
		require.NoError(t, *err2)
		require.ErrorIs(t, *refused, worker.ErrLayout)
		require.EqualValues(t, 1, first.WorkerID)
		require.EqualValues(t, 3, last.WorkerID)
		require.Equal(t, []int64{0, 1, 3}, h.ids(), "the ID that was offered to the refused one has no row")
		require.EqualValues(t, 2, m.store.calls.Load())
	})
}

// If all of a batch are refused nothing is written, and each hears why.
func TestGroupRefusesAll(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		m := meet(t, h)
		var errs []*error
		for i := range 3 {
			terms := millis(1023)
			terms.Layout = fmt.Sprint("of service ", i)
			_, _, err := m.joins(t.Context(), lease.Config{}, terms)
			errs = append(errs, err)
		}
		m.ends()
		for i, err := range errs {
			require.ErrorIs(t, *err, worker.ErrLayout)
			require.ErrorContains(t, *err, fmt.Sprint("of service ", i))
		}
		require.Equal(t, []int64{0}, h.ids())
	})
}

// If fewer IDs are free than are asked for, those who came first get them.
func TestGroupOfFewRows(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		m := meet(t, h)
		var errs []*error
		var got []*uid.Reservation
		for range 5 {
			_, r, err := m.joins(t.Context(), lease.Config{}, millis(3))
			got, errs = append(got, r), append(errs, err)
		}
		m.ends()
		for i := range 3 {
			require.NoError(t, *errs[i])
			require.EqualValues(t, i+1, got[i].WorkerID)
		}
		require.ErrorIs(t, *errs[3], uid.ErrNoWorkerID)
		require.ErrorIs(t, *errs[4], uid.ErrNoWorkerID)
		require.Equal(t, []int64{0, 1, 2, 3}, h.ids())
	})
}

// Whoever gives up returns at once, gets no ID, and does not hold up the others; when nobody is left
// the call of the store ends as well.
func TestGroupGivesUp(t *testing.T) {
	for name, late := range map[string]bool{"in the queue": false, "in the batch": true} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				m := meet(t, h)
				ctx, cancel := context.WithCancel(t.Context())
				_, _, gone := m.joins(ctx, lease.Config{}, millis(1023))
				_, last, err := m.joins(t.Context(), lease.Config{}, millis(1023))
				if !late {
					cancel()
					synctest.Wait()
					require.ErrorIs(t, *gone, context.Canceled)
					m.ends()
				} else {
					begun, goOn := make(chan struct{}), make(chan struct{})
					m.store.hold = func(context.Context) { close(begun); m.store.hold = nil; <-goOn }
					close(m.release)
					<-begun
					cancel()
					synctest.Wait()
					require.ErrorIs(t, *gone, context.Canceled)
					close(goOn)
					m.all.Wait()
				}
				require.NoError(t, *err)
				held := 0
				for _, id := range h.ids() {
					if h.row(id).Nonce != "" {
						held++
					}
				}
				require.EqualValues(t, 2, m.store.calls.Load())
				require.Equal(t, 2, held, "that of who came first, and this")
				require.NotEmpty(t, h.row(last.WorkerID).Nonce)
			})
		})
	}
	eachHouse(t, func(t *testing.T, h *house) {
		m := meet(t, h)
		ended := false
		m.store.hold = func(ctx context.Context) { <-ctx.Done(); ended = true }
		ctx, cancel := context.WithCancel(t.Context())
		_, _, err1 := m.joins(ctx, lease.Config{}, millis(1023))
		_, _, err2 := m.joins(ctx, lease.Config{}, millis(1023))
		close(m.release)
		synctest.Wait()
		require.False(t, ended)
		cancel()
		m.all.Wait()
		synctest.Wait()
		require.True(t, ended)
		require.ErrorIs(t, *err1, context.Canceled)
		require.ErrorIs(t, *err2, context.Canceled)
	})
}

// A batch whose reply is lost leaves each of its leases in doubt of its own row: the next attempt
// takes up just that one, whether it was stored or not. No ID goes to two, and none is left over
// that was stored.
func TestGroupLostReply(t *testing.T) {
	for name, lose := range map[string]storetest.Fault{
		"stored":       storetest.LoseReply,
		"not heard of": storetest.LoseWrite,
		"on its way":   storetest.Delay,
	} {
		for _, durable := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", durable ", durable), func(t *testing.T) {
				eachHouse(t, func(t *testing.T, h *house) { lostReply(t, h, lose, durable) })
			})
		}
	}
}

func lostReply(t *testing.T, h *house, lose storetest.Fault, durable bool) {
	const tenants = 20
	m := meet(t, h)
	m.client.Fault(storetest.OK, lose)
	var got []*uid.Reservation
	var leases []*lease.Lease
	for range tenants {
		l, r, err := m.joins(t.Context(), lease.Config{DurableStore: durable}, millis(1023))
		defer func() { require.NoError(t, *err) }()
		got, leases = append(got, r), append(leases, l)
	}
	m.ends()
	owners := map[int64]bool{0: true}
	for i, r := range got {
		require.False(t, owners[r.WorkerID], "worker ID %d has two owners", r.WorkerID)
		owners[r.WorkerID] = true
		if lose == storetest.LoseReply {
			require.EqualValues(t, i+1, r.WorkerID, "the ID that it has in the lost batch")
		}
		require.Equal(t, r.Last, h.row(r.WorkerID).High, "its reservation is stored")
		_, doubted := lease.Doubted(leases[i])
		require.False(t, doubted)
	}
	require.Len(t, h.ids(), tenants+1)
	require.Zero(t, h.memory.Deliver(), "what was on its way comes too late")
	// Each draws from its own row alone.
	for i, l := range leases {
		h.pass(time.Millisecond)
		r := h.extend(l, 0)
		require.Equal(t, got[i].WorkerID, r.WorkerID)
	}
}

// A row that was used too far ahead for one of a batch is offered only when there is nothing else.
func TestGroupPassesOverTicksOfTheFuture(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		m := meet(t, h)
		now := h.storeNow()
		h.memory.SetRow(orders, lease.Row{WorkerID: 7, Until: now.Add(-time.Hour), High: millis(0).TickAt(now.Add(time.Hour)), Layout: millis(0).Layout})
		_, any, err1 := m.joins(t.Context(), lease.Config{MaxAhead: 2 * time.Hour}, millis(1023))
		_, near, err2 := m.joins(t.Context(), lease.Config{MaxAhead: 10 * time.Minute}, millis(1023))
		m.ends()
		require.NoError(t, *err1)
		require.NoError(t, *err2)
		require.EqualValues(t, 9, any.WorkerID)
		require.EqualValues(t, 10, near.WorkerID)
	})
}

// Those that want other IDs, or rest for longer, are in batches of their own.
func TestGroupOfSeveralKinds(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		m := meet(t, h)
		now := h.storeNow()
		for i, ago := range []time.Duration{20 * time.Minute, 10 * time.Minute} { // the first is for who is held
			h.memory.SetRow(orders, lease.Row{WorkerID: int64(4 + i), Until: now.Add(-ago), High: 1})
		}
		_, low, err1 := m.joins(t.Context(), lease.Config{IDs: lease.Range{First: 100, Last: 101}}, millis(1023))
		_, long, err2 := m.joins(t.Context(), lease.Config{Quarantine: time.Hour}, millis(1023))
		_, short, err3 := m.joins(t.Context(), lease.Config{}, millis(1023))
		m.ends()
		require.NoError(t, errors.Join(*err1, *err2, *err3))
		require.EqualValues(t, 100, low.WorkerID)
		require.NotEqualValues(t, 5, long.WorkerID, "it is over for less than an hour")
		require.EqualValues(t, 5, short.WorkerID)
	})
}

// A Group is a Store as any other, also when all clients share one.
func TestGroupIsAStore(t *testing.T) {
	for name, hide := range map[string]bool{"batches": false, "singles": true} {
		for shared, all := range map[string]bool{"one for each client": false, "one for all": true} {
			t.Run(name+", "+shared, func(t *testing.T) {
				t.Parallel()
				storetest.Run(t, storetest.Config{Histories: 10, Patience: time.Millisecond}, func(t *testing.T) storetest.Subject {
					memory := storetest.NewMemory(storetest.MemoryConfig{Versions: rand.N(2) == 0})
					groups, clients := map[string]*lease.Group{}, map[lease.Store]*storetest.Client{}
					var mu sync.Mutex
					return storetest.Subject{
						Open: func(namespace string) (lease.Store, error) {
							mu.Lock()
							defer mu.Unlock()
							if g := groups[namespace]; g != nil && all {
								return g, nil
							}
							client := memory.Store(namespace)
							var store lease.Store = client
							if hide {
								store = struct{ lease.Store }{client}
							}
							g, err := lease.NewGroup(store, lease.GroupConfig{})
							groups[namespace], clients[g] = g, client
							return g, err
						},
						Fault: func(store lease.Store, f storetest.Fault) bool {
							mu.Lock()
							defer mu.Unlock()
							clients[store].Fault(f)
							return !all
						},
						Deliver: func() { memory.Deliver() },
						Backup:  memory.Backup,
					}
				})
			})
		}
	}
}

// What a member that is refused has done to the namespace does not remain.
func TestGroupKeepsTheNamespace(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		m := meet(t, h)
		refused := errors.New("refused")
		take := func(reach time.Duration, err error) {
			m.all.Go(func() {
				w := lease.Wanted{IDs: lease.Range{First: 0, Last: 1023}, Rest: quarantine, Highest: func(time.Time) int64 { return 1 << 60 }}
				got := m.group.Take(t.Context(), w, func(ns *lease.Namespace, r *lease.Row, now lease.Clock) error {
					ns.Reach, r.Until = ns.Reach+reach, now.Now.Add(time.Hour)
					return err
				})
				if !errors.Is(got, err) {
					t.Error(got)
				}
			})
			synctest.Wait()
		}
		take(time.Hour, nil)
		take(10*time.Hour, refused)
		take(100*time.Hour, nil)
		m.ends()
		require.Equal(t, 101*time.Hour, h.namespace().Reach)
		require.Equal(t, []int64{0, 1, 3}, h.ids())
		require.EqualValues(t, 2, m.store.calls.Load())
	})
}
