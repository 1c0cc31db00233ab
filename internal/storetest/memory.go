package storetest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A Memory holds namespaces of leases in memory: for tests of programs that use leases, and as an
// example of a store. All clients that its method Store returns share it, as processes share a
// database. All methods may be called by any number of goroutines at once.
//
// It loses everything when the program ends: do not issue real UIDs on it.
type Memory struct {
	cfg MemoryConfig

	mu      sync.Mutex
	spaces  map[string]*space
	version int64     // the newest of any record
	history int       // how often writes were lost
	late    []*change // writes that are on their way
	down    bool
}

// A MemoryConfig holds the settings of a [Memory]. The zero value works.
type MemoryConfig struct {
	// Now is the clock of the store; the default is time.Now. It is called while the store is
	// locked, and must not use it.
	Now func() time.Time

	// Error is the Error of the store's [leasestore.Clock]; the default is 0.
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
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Memory{cfg: cfg, spaces: map[string]*space{}}
}

// Store returns a new client of the namespace, as if for another process. It creates nothing.
func (m *Memory) Store(namespace string) *Client { return &Client{m: m, namespace: namespace} }

// A space holds what is stored under one namespace's name. Its lock is a channel, because waiting
// for it must end with a context.
type space struct {
	lock      chan struct{}
	namespace *record[leasestore.Namespace] // nil while there is none
	rows      map[int64]record[leasestore.Row]
}

// A record is a value and the version of its last write; no two writes share a version.
type record[T any] struct {
	value   T
	version int64
}

// A change is what decide gets and, when it agrees, what is stored: all of it, if nobody has
// written any of it since it was read.
type change struct {
	space     *space
	namespace *record[leasestore.Namespace]
	row       *record[leasestore.Row]
	id        int64       // of the row
	given     int64       // of the namespace, when it is stored
	fresh     lease.Range // of rows that are made with it, when it is new
	history   string
}

// space returns the space of a name, which may be empty. The caller holds m.mu.
func (m *Memory) space(name string) *space {
	s := m.spaces[name]
	if s == nil {
		s = &space{lock: make(chan struct{}, 1), rows: map[int64]record[leasestore.Row]{}}
		m.spaces[name] = s
	}
	return s
}

// now is called under m.mu, after decide's other arguments were read. Databases keep
// microseconds.
func (m *Memory) now() leasestore.Clock {
	return leasestore.Clock{Now: whole(m.cfg.Now()), Error: m.cfg.Error, History: m.told()}
}

// told is the history that the store tells.
func (m *Memory) told() string {
	switch {
	case m.cfg.NoHistory:
		return ""
	case m.cfg.SameHistory:
		return "the only one"
	}
	return fmt.Sprintf("writes were lost %d times", m.history)
}

// whole returns a time as it is stored.
func whole(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// A Client is a [lease.Store] in a Memory.
type Client struct {
	m         *Memory
	namespace string
	faults    suite.Queue[Fault]
}

var _ lease.Store = (*Client)(nil)

// Take implements [lease.Store].
func (c *Client) Take(ctx context.Context, w leasestore.Wanted, decide decision) error {
	return c.transact(ctx, func(s *space) (change, error) {
		if s.namespace == nil {
			return change{}, c.missing()
		}
		return s.free(w, c.m.now())
	}, func(ch *change, now leasestore.Clock) error { return decide(&ch.namespace.value, &ch.row.value, now) })
}

// Change implements [lease.Store].
func (c *Client) Change(ctx context.Context, id int64, decide decision) error {
	return c.transact(ctx, func(s *space) (change, error) {
		if s.namespace == nil {
			return change{}, c.missing()
		}
		namespace := *s.namespace
		ch := change{space: s, namespace: &namespace, id: id, given: namespace.value.Given}
		if row, found := s.rows[id]; found {
			ch.row = &row
		}
		return ch, nil
	}, func(ch *change, now leasestore.Clock) error {
		if ch.row == nil {
			if err := decide(&ch.namespace.value, nil, now); err != nil {
				return err
			}
			return fmt.Errorf("storetest: worker ID %d has no row that could be changed", id)
		}
		was := ch.namespace.value
		if err := decide(&ch.namespace.value, &ch.row.value, now); err != nil {
			return err
		}
		if ch.namespace.value == was {
			ch.namespace = nil // others may write it
		}
		return nil
	})
}

// Init implements [lease.Store].
func (c *Client) Init(ctx context.Context, decide func(*leasestore.Namespace, leasestore.Clock) error) error {
	return c.transact(ctx, func(s *space) (change, error) {
		namespace := record[leasestore.Namespace]{value: leasestore.Namespace{Given: -1, Floor: -1, Fresh: true}}
		if s.namespace != nil {
			namespace = *s.namespace
		}
		for id := range s.rows {
			namespace.value.Given = max(namespace.value.Given, id)
		}
		return change{space: s, namespace: &namespace, given: namespace.value.Given}, nil
	}, func(ch *change, now leasestore.Clock) error { return decide(&ch.namespace.value, now) })
}

// Inspect implements [lease.Store].
func (c *Client) Inspect(ctx context.Context) (lossy []string, err error) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.m.down {
		return nil, errRefused
	}
	return slices.Clone(c.m.cfg.Lossy), ctx.Err()
}

// Durable implements [lease.Store].
func (c *Client) Durable() bool { return c.m.cfg.Durable }

// Name implements [lease.Store].
func (c *Client) Name() string { return fmt.Sprintf("namespace %q in memory", c.namespace) }

func (c *Client) missing() error { return fmt.Errorf("%w: %s", worker.ErrNoNamespace, c.Name()) }

// transact runs read, decide and the write, again if somebody has written meanwhile.
func (c *Client) transact(
	ctx context.Context, read func(*space) (change, error), decide func(*change, clock) error,
) error {
	fault := c.faults.Next()
	if !c.m.cfg.Versions {
		unlock, err := c.m.lock(ctx, c.namespace)
		if err != nil {
			return err
		}
		defer unlock()
	}
	for {
		ch, now, err := c.read(ctx, fault, read)
		if err != nil {
			return err
		}
		if err := decide(&ch, now); err != nil {
			return err
		}
		if stored, err := c.m.write(&ch, fault); stored || err != nil {
			return err
		}
	}
}

func (c *Client) read(
	ctx context.Context, fault Fault, read func(*space) (change, error),
) (ch change, now clock, err error) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if err := c.m.refused(ctx, fault); err != nil {
		return ch, now, err
	}
	ch, err = read(c.m.space(c.namespace))
	ch.history = c.m.told()
	return ch, c.m.now(), err
}

// lock waits until nobody else is in a transaction on the namespace.
func (m *Memory) lock(ctx context.Context, namespace string) (unlock func(), err error) {
	m.mu.Lock()
	lock := m.space(namespace).lock
	m.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

// ended returns the error of a call whose context has ended. It may pass: it says nothing against
// the store.
func ended(ctx context.Context) error {
	return worker.Transient(fmt.Errorf("storetest: gave up: %w", ctx.Err()))
}

// write stores the change, or as much of it as the fault allows, unless it is outdated.
func (m *Memory) write(ch *change, fault Fault) (stored bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.down || fault == LoseWrite:
		return false, errLost
	case fault == Delay:
		m.late = append(m.late, ch)
		return false, errLost
	case !m.newest(ch):
		return false, nil
	}
	m.store(ch)
	if fault == LoseReply {
		return true, errLost
	}
	return true, nil
}

// newest reports whether nobody has written what the change replaces, and no writes were lost since.
func (m *Memory) newest(ch *change) bool { return ch.history == m.told() && ch.newest() }

// newest reports whether nobody has written what the change replaces.
func (ch *change) newest() bool {
	var version int64
	if ch.space.namespace != nil {
		version = ch.space.namespace.version
	}
	for id := range ch.others() {
		if _, there := ch.space.rows[id]; there {
			return false
		}
	}
	return (ch.namespace == nil || ch.namespace.version == version) &&
		(ch.row == nil || ch.row.version == ch.space.rows[ch.id].version)
}

// others returns the IDs of the rows that are made with the row that is taken.
func (ch *change) others() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for id := ch.id + 1; id <= ch.fresh.Last && yield(id); id++ {
		}
	}
}

func (m *Memory) store(ch *change) {
	m.version++
	if ch.namespace != nil {
		n := ch.namespace.value
		n.Fresh, n.Given = false, ch.given
		n.Made, n.Renewed = whole(n.Made), whole(n.Renewed)
		ch.space.namespace = &record[leasestore.Namespace]{value: n, version: m.version}
	}
	if ch.row != nil {
		m.storeRow(ch.space, ch.id, ch.row.value)
	}
	for id := range ch.others() {
		m.storeRow(ch.space, id, leasestore.NewRow(id))
	}
}

func (m *Memory) storeRow(s *space, id int64, r leasestore.Row) {
	r.WorkerID = id
	r.Until, r.Acquired, r.Renewed = whole(r.Until), whole(r.Acquired), whole(r.Renewed)
	s.rows[id] = record[leasestore.Row]{value: r, version: m.version}
}
