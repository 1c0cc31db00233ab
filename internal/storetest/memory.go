package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A Fault is what goes wrong with a call of a store.
type Fault = suite.Fault

// The faults; see package suite.
const (
	OK        = suite.OK
	Refuse    = suite.Refuse
	LoseWrite = suite.LoseWrite
	LoseReply = suite.LoseReply
	Delay     = suite.Delay
)

// A Memory holds namespaces of leases in memory, by package stores: for tests of programs that use leases. All clients
// that its method Store returns share it, as processes share a database. All methods may be called by any number of
// goroutines at once.
//
// It loses everything when the program ends: do not issue real UIDs on it.
type Memory struct {
	cfg MemoryConfig
	*drivers.Memory
	drivers.Late

	mu    sync.Mutex
	locks map[string]chan struct{} // of namespaces: channels, because waiting must end with a context
}

// A MemoryConfig holds the settings of a [Memory]. The zero value works.
type MemoryConfig struct {
	// Now is the clock of the store; the default is time.Now. It is called while the store is
	// locked, and must not use it.
	Now func() time.Time

	// Error is the Error of the store's [storage.Clock]; the default is 0.
	Error time.Duration

	// Versions selects how decisions are made atomic. By default a namespace is locked while
	// decide runs, as in most databases. With Versions there is no lock: what decide changed is
	// stored if no other client has written meanwhile, and else decide runs again.
	Versions bool

	// Durable is what the method of that name returns.
	Durable bool

	// NoHistory makes the store one that cannot tell its history; SameHistory makes it one that does not
	// tell when it has lost writes, against the contract.
	NoHistory, SameHistory bool

	// Lossy is the result of Inspect; by default nothing is seen that could lose a write.
	Lossy []string
}

// NewMemory returns an empty store.
func NewMemory(cfg MemoryConfig) *Memory {
	m := &Memory{cfg: cfg, locks: map[string]chan struct{}{}}
	m.Memory = &drivers.Memory{Now: cfg.Now, Error: cfg.Error, Lasting: cfg.Durable}
	if cfg.NoHistory {
		m.Tells = func(int) string { return "" }
	} else if cfg.SameHistory {
		m.Tells = func(int) string { return "the only one" }
	}
	return m
}

// Store returns a new client of the namespace, as if for another process. It creates nothing.
func (m *Memory) Store(namespace string) *Client { return &Client{m: m, namespace: namespace} }

// client returns a store whose next request has a fault.
func (m *Memory) client(f Fault) *stores.Store {
	_, d := m.Client(m.Memory, f)
	return stores.New(d)
}

// lock waits until nobody else is in a transaction on the namespace.
func (m *Memory) lock(ctx context.Context, namespace string) (unlock func(), err error) {
	m.mu.Lock()
	lock := m.locks[namespace]
	if lock == nil {
		lock = make(chan struct{}, 1)
		m.locks[namespace] = lock
	}
	m.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, worker.Transient(fmt.Errorf("storetest: gave up: %w", ctx.Err()))
	}
}

// A Client is a [lease.Store] in a Memory.
type Client struct {
	m         *Memory
	namespace string
	faults    suite.Queue[Fault]
}

var _ lease.Store = (*Client)(nil)

// Fault sets the faults of the client's next calls of Take, Change and Init, one for each, after
// those that are set already. Later calls succeed again.
func (c *Client) Fault(next ...Fault) { c.faults.Add(next...) }

// call makes a call with the next fault.
func (c *Client) call(ctx context.Context, do func(lease.Store) error) error {
	s, err := c.m.client(c.faults.Next()).Leases(c.namespace)
	if err != nil {
		return err
	}
	if !c.m.cfg.Versions {
		unlock, err := c.m.lock(ctx, c.namespace)
		if err != nil {
			return err
		}
		defer unlock()
	}
	return do(s)
}

// Take implements [lease.Store].
func (c *Client) Take(ctx context.Context, w storage.Wanted, decide decision) error {
	return c.call(ctx, func(s lease.Store) error { return s.Take(ctx, w, decide) })
}

// Change implements [lease.Store].
func (c *Client) Change(ctx context.Context, id int64, decide decision) error {
	return c.call(ctx, func(s lease.Store) error { return s.Change(ctx, id, decide) })
}

// Init implements [lease.Store].
func (c *Client) Init(ctx context.Context, decide func(*storage.Namespace, storage.Clock) error) error {
	return c.call(ctx, func(s lease.Store) error { return s.Init(ctx, decide) })
}

// Inspect implements [lease.Store].
func (c *Client) Inspect(ctx context.Context) (lossy []string, err error) {
	_, err = c.m.Read(ctx, stores.Query{})
	return slices.Clone(c.m.cfg.Lossy), err
}

// Durable implements [lease.Store].
func (c *Client) Durable() bool { return c.m.cfg.Durable }

// Name implements [lease.Store].
func (c *Client) Name() string { return fmt.Sprintf("namespace %q in memory", c.namespace) }

// A Registry is a [registry.Store]: all namespaces of a Memory. Make it with [Memory.Registry].
type Registry struct {
	m      *Memory
	faults suite.Queue[Fault]
}

var _ registry.Store = (*Registry)(nil)

// Registry returns a new client of all namespaces, as if for another process. It creates nothing.
func (m *Memory) Registry() *Registry { return &Registry{m: m} }

// Fault sets the faults of the client's next calls of Namespaces and Rows, one for each, after those
// that are set already. They only read: all but Refuse leaves them alone. Later calls succeed again.
func (r *Registry) Fault(next ...Fault) { r.faults.Add(next...) }

// Namespaces implements [registry.Store].
func (r *Registry) Namespaces(ctx context.Context) (names []string, now storage.Clock, err error) {
	return r.m.client(r.faults.Next()).Registry().Namespaces(ctx)
}

// Namespace implements [registry.Store]. It takes the names that a database takes.
func (r *Registry) Namespace(name string) (lease.Store, error) {
	name, err := settings.Namespace(name)
	return r.m.Store(name), err
}

// Rows implements [registry.Store].
func (r *Registry) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	return r.m.client(r.faults.Next()).Registry().Rows(ctx, namespace, above, most)
}

// What people do to a store by hand, bypassing the protocol.

func key(namespace string, id int64) string { return stores.Key{Namespace: namespace, ID: id}.String() }

// must is for what a test has got wrong.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// Row returns the row of a worker ID as it is now.
func (m *Memory) Row(namespace string, id int64) (row storage.Lease, found bool) {
	text := m.Text(key(namespace, id))
	if text == "" {
		return row, false
	}
	return must(storage.ParseLease(id, text)), true
}

// SetRow writes a row of a worker ID, which a process may have.
func (m *Memory) SetRow(namespace string, row storage.Lease) {
	m.Set(key(namespace, row.WorkerID), must(storage.LeaseText(row, rand.Text())))
}

// RemoveRow deletes the row of a worker ID.
func (m *Memory) RemoveRow(namespace string, id int64) { m.Set(key(namespace, id), "") }

// Namespace returns a namespace as it is now.
func (m *Memory) Namespace(name string) (namespace storage.Namespace, found bool) {
	text := m.Text(key(name, -1))
	if text == "" {
		return namespace, false
	}
	return must(storage.ParseNamespace(text)), true
}

// SetNamespace writes a namespace, which processes may be using.
func (m *Memory) SetNamespace(name string, namespace storage.Namespace) {
	m.Set(key(name, -1), must(storage.NamespaceText(namespace, rand.Text())))
}

// RemoveNamespace deletes a namespace, and leaves the rows of its IDs.
func (m *Memory) RemoveNamespace(name string) { m.Set(key(name, -1), "") }
