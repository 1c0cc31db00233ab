package statefile_test

import (
	"cmp"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/statefile"
)

const (
	orders = "orders"
	ttl    = 3 * time.Minute
	over   = 2*ttl + time.Second // after which the ID of a lease is free
	// The window of a file, and what it grants of a lease beyond the clock.
	fileWindow = 10 * time.Second
	fileReach  = 15 * time.Second
)

// milliseconds is a layout whose epoch is before the time at which bubbles begin.
var milliseconds = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond,
	Epoch: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)})

func millis() uid.Terms {
	t := milliseconds.Terms()
	t.Revoke = func() {}
	return t
}

func ms(d time.Duration) int64 { return d.Milliseconds() }

// A house is a store of leases and a place for state files, in a bubble of package synctest.
type house struct {
	t      *testing.T
	memory *storetest.Memory
	off    time.Duration // by how much the store's clock is ahead
	path   string        // of the state file that is used if no other is said
}

// inHouse runs a test on stores of both kinds.
func inHouse(t *testing.T, test func(t *testing.T, h *house)) {
	for kind, versions := range map[string]bool{"locks": false, "versions": true} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newHouse(t, versions, lease.Range{Last: 7})) })
		})
	}
}

// each runs a test of each case on stores of both kinds.
func each[C any](t *testing.T, cases map[string]C, test func(t *testing.T, h *house, c C)) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { inHouse(t, func(t *testing.T, h *house) { test(t, h, c) }) })
	}
}

func newHouse(t *testing.T, versions bool, ids lease.Range) *house {
	h := &house{t: t, path: tempPath(t)}
	h.memory = storetest.NewMemory(storetest.MemoryConfig{Versions: versions,
		Now: func() time.Time { return time.Now().Add(h.off) }})
	require.NoError(t, lease.Found(t.Context(), h.memory.Store(orders),
		lease.Founding{Layout: milliseconds, IDs: ids}))
	return h
}

// A process has a worker on a state file.
type process struct {
	*statefile.Lease
	h      *house
	store  *watched
	events []string
	logged logtest.Records
}

type decision = func(*storage.Namespace, *storage.Lease, storage.Clock) error

// A watched store calls answered after each Take and Change that went well.
type watched struct {
	*storetest.Client
	answered func()
	lossy    []string // what Inspect returns
}

func (w *watched) Inspect(context.Context) ([]string, error) { return w.lossy, nil }

func (w *watched) Take(ctx context.Context, wanted storage.Wanted, decide decision) error {
	return w.note(w.Client.Take(ctx, wanted, decide))
}

func (w *watched) Change(ctx context.Context, id int64, decide decision) error {
	return w.note(w.Client.Change(ctx, id, decide))
}

func (w *watched) note(err error) error {
	if err == nil && w.answered != nil {
		w.answered()
	}
	return err
}

// process returns a new one, on h.path.
func (h *house) process() *process {
	h.t.Helper()
	return h.with(lease.Config{}, statefile.Config{})
}

// held returns such a process once it has acquired, and what it has reserved.
func (h *house) held() (*process, uid.Reservation) {
	h.t.Helper()
	p := h.process()
	return p, p.acquire()
}

func (h *house) with(cfg lease.Config, file statefile.Config) *process {
	h.t.Helper()
	p := &process{h: h, store: &watched{Client: h.memory.Store(orders)}}
	cfg.TTL = cmp.Or(cfg.TTL, ttl)
	cfg.Logger, file.Logger = p.logged.Logger(), p.logged.Logger()
	cfg.OnEvent = func(e lease.Event) { p.events = append(p.events, e.Kind) }
	l := must(lease.New(p.store, cfg))
	w := must(statefile.OnLease(l, h.path, file))
	p.Lease = w.(*statefile.Lease)
	return p
}

func (p *process) acquire() uid.Reservation {
	p.h.t.Helper()
	return acquired(p.h.t, p, millis())
}

func (p *process) extend(through int64) uid.Reservation {
	p.h.t.Helper()
	return extended(p.h.t, p, through)
}

// crash ends the process.
func (p *process) crash() {
	p.h.t.Helper()
	require.NoError(p.h.t, p.Crash())
}

type ending = func(p *process, r uid.Reservation) (next int64)

// ends are the ways in which a process ends: each returns the first tick that it has not issued.
var ends = map[string]ending{
	"closed": func(p *process, r uid.Reservation) int64 {
		require.NoError(p.h.t, p.Release(p.h.t.Context(), r.First+100))
		return r.First + 101
	},
	"crashed": func(p *process, r uid.Reservation) int64 {
		p.crash()
		return r.Last + 1
	},
}

func (h *house) tick() int64 { return millis().TickAt(time.Now()) }

func (h *house) row(id int64) storage.Lease {
	h.t.Helper()
	row, found := h.memory.Row(orders, id)
	require.True(h.t, found)
	return row
}

func (h *house) namespace() storage.Namespace {
	ns, _ := h.memory.Namespace(orders)
	return ns
}
