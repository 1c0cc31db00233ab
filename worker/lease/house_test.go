package lease_test

import (
	"cmp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// millis are terms with ticks of a millisecond.
func millis(maxID int64) uid.Terms {
	return uid.Terms{
		Layout: "41/10/12 unit=1ms epoch=2026-01-01T00:00:00Z", Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Unit: time.Millisecond, MaxTick: 1<<41 - 1, MaxWorkerID: maxID, Revoke: func() {},
	}
}

// orders is the namespace of most tests.
const orders = "orders"

// A house is a store with leases in a bubble of package synctest, whose time a test can move:
// what waits for a time gets it at once, and nothing else goes by.
type house struct {
	t      testing.TB
	memory *storetest.Memory
	made   bool // the namespace was

	mu            sync.Mutex
	skip, storeBy time.Duration // by how much the clocks of all leases, and the store's, are ahead of the bubble's
}

// kinds are the kinds of stores: by locks, and by versions.
var kinds = map[string]bool{"locks": false, "versions": true}

// eachHouse runs a test on a store of each kind.
func eachHouse(t *testing.T, test func(t *testing.T, h *house)) {
	eachStore(t, storetest.MemoryConfig{}, test)
}

// each runs a test of each case on a store of each kind.
func each[C any](t *testing.T, cases map[string]C, test func(t *testing.T, h *house, c C)) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { eachHouse(t, func(t *testing.T, h *house) { test(t, h, c) }) })
	}
}

// eachTrust does so for owners that believe a store's history, and for those that trust it never to lose a write.
func eachTrust(t *testing.T, test func(t *testing.T, h *house, losses lease.Losses)) {
	each(t, map[string]lease.Losses{"lossy": lease.ByHistory, "durable": lease.Never}, test)
}

// eachTrustOf does so for each case.
func eachTrustOf[C any](t *testing.T, cases map[string]C, test func(t *testing.T, h *house, losses lease.Losses, c C)) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) { test(t, h, losses, c) })
		})
	}
}

// eachStore runs a test in a bubble, on a store of each kind with these settings.
func eachStore(t *testing.T, cfg storetest.MemoryConfig, test func(t *testing.T, h *house)) {
	for kind, versions := range kinds {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := cfg
				cfg.Versions = versions
				test(t, newHouse(t, cfg))
			})
		})
	}
}

// newHouse is for tests that are in a bubble already.
func newHouse(t testing.TB, cfg storetest.MemoryConfig) *house {
	h := &house{t: t}
	h.pass(time.Until(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))) // bubbles begin in 2000
	if cfg.Now == nil {
		cfg.Now = h.storeNow
	}
	h.memory = storetest.NewMemory(cfg)
	return h
}

// pass lets time pass for the store and all processes, all at once, as it is for a process
// that was stopped.
func (h *house) pass(d time.Duration) {
	h.shiftStore(d)
	h.shiftProcesses(d)
}

// shiftStore sets the clock of the store alone.
func (h *house) shiftStore(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.storeBy += d
}

// shiftProcesses lets time pass for all but the store.
func (h *house) shiftProcesses(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.skip += d
}

// now is the processes' clock.
func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.skip)
}

func (h *house) storeNow() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.storeBy)
}

// What the tests' leases have for want of settings.
const (
	window     = time.Minute
	reach      = window + window/2 // of what nobody asked for
	ttl        = 3 * time.Minute
	quarantine = ttl
	skew       = 2 * time.Second
)

func (h *house) config(cfg lease.Config) lease.Config {
	cfg.Window, cfg.TTL = cmp.Or(cfg.Window, window), cmp.Or(cfg.TTL, ttl)
	cfg.MaxClockSkew = cmp.Or(cfg.MaxClockSkew, skew)
	if cfg.Logger == nil {
		cfg.Logger = (&logtest.Records{}).Logger()
	}
	return cfg
}

// named returns a lease of a process that rows call by that name.
func (h *house) named(holder string, cfg lease.Config) *lease.Lease {
	h.t.Helper()
	l := h.lease(cfg)
	l.SetHolder(holder)
	return l
}

// lease returns a lessee in a namespace that exists, and has leased no ID.
func (h *house) lease(cfg lease.Config) *lease.Lease {
	h.t.Helper()
	l, _ := h.client(cfg)
	return l
}

// held returns such a lessee that has acquired a lease, and its reservation.
func (h *house) held(cfg lease.Config) (*lease.Lease, uid.Reservation) {
	h.t.Helper()
	l := h.lease(cfg)
	return l, h.acquire(l)
}

// client returns such a lease, and its client of the store.
func (h *house) client(cfg lease.Config) (*lease.Lease, *storetest.Client) {
	h.t.Helper()
	h.found()
	store := h.memory.Store(orders)
	return h.on(store, cfg), store
}

// bare returns a lease in the namespace as it is.
func (h *house) bare(cfg lease.Config) *lease.Lease {
	h.t.Helper()
	return h.on(h.memory.Store(orders), cfg)
}

// on returns a lease on a store.
func (h *house) on(store lease.Store, cfg lease.Config) *lease.Lease {
	h.t.Helper()
	w := must(lease.New(store, h.config(cfg)))
	l := w.(*lease.Lease)
	if cfg.Now == nil {
		l.SetNow(h.now)
	}
	l.SetClock(h.now)
	l.SetChance(func(int64) int64 { return 0 }) // renewals are due after half a Window
	return l
}

// found makes the namespace, once. It has so few IDs that each new row is made alone.
func (h *house) found() {
	h.t.Helper()
	if _, there := h.memory.Namespace(orders); !there && !h.made {
		require.NoError(h.t, h.foundWith(0, 7))
	}
	h.made = true
}

func (h *house) acquire(l *lease.Lease) uid.Reservation {
	h.t.Helper()
	return h.acquireFor(l, millis(1023))
}

// acquireFor is acquire for a generator with other terms.
func (h *house) acquireFor(l *lease.Lease, terms uid.Terms) uid.Reservation {
	h.t.Helper()
	r := must(l.Acquire(h.t.Context(), terms))
	return r
}

// acquireError returns why a lease cannot be acquired.
func (h *house) acquireError(l *lease.Lease, terms uid.Terms) error {
	_, err := l.Acquire(h.t.Context(), terms)
	return err
}

func (h *house) extend(l *lease.Lease, through int64) uid.Reservation {
	h.t.Helper()
	r := must(l.Extend(h.t.Context(), through))
	return r
}

// extendError returns why a lease cannot be extended.
func (h *house) extendError(l *lease.Lease, through int64) error {
	_, err := l.Extend(h.t.Context(), through)
	return err
}

// tick is the clock's, of a lease in milliseconds.
func (h *house) tick() int64 { return millis(0).TickAt(h.now()) }

func (h *house) row(id int64) storage.Lease {
	h.t.Helper()
	row, found := h.memory.Row(orders, id)
	require.True(h.t, found, "worker ID %d has no row", id)
	return row
}

func (h *house) namespace() storage.Namespace {
	h.t.Helper()
	namespace, found := h.memory.Namespace(orders)
	require.True(h.t, found)
	return namespace
}

// edit changes a row by hand.
func (h *house) edit(id int64, change func(row *storage.Lease)) {
	h.t.Helper()
	row := h.row(id)
	change(&row)
	h.memory.SetRow(orders, row)
}

// editNamespace changes what is common to the rows by hand.
func (h *house) editNamespace(change func(namespace *storage.Namespace)) {
	h.t.Helper()
	namespace := h.namespace()
	change(&namespace)
	h.memory.SetNamespace(orders, namespace)
}

// ids returns the IDs that have a row.
func (h *house) ids() (ids []int64) {
	for id := range int64(1024) {
		if _, found := h.memory.Row(orders, id); found {
			ids = append(ids, id)
		}
	}
	return ids
}

// empty removes the namespace and all rows.
func (h *house) empty() {
	for _, id := range h.ids() {
		h.memory.RemoveRow(orders, id)
	}
	h.memory.RemoveNamespace(orders)
	h.made = false
}

// ms is a duration in ticks of milliseconds.
func ms(d time.Duration) int64 { return d.Milliseconds() }

// events collects what happens to leases.
type events struct {
	mu  sync.Mutex
	all []lease.Event
}

func (e *events) add(ev lease.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

func (e *events) kinds() (kinds []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.all {
		kinds = append(kinds, ev.Kind)
	}
	return kinds
}

func (e *events) last() lease.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[len(e.all)-1]
}
