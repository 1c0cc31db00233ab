package segmenttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// A Memory keeps rows in memory: for tests of programs that draw numbers, and as an example of a
// store. All clients that Client and Open return share it, as processes share a database. All
// methods may be called by any number of goroutines at once. Set its fields before.
//
// It loses everything when the program ends: do not issue real numbers from it.
type Memory struct {
	// Now is the clock of Updated; the default is time.Now. It must not use the store.
	Now func() time.Time

	// Locks selects how a decision is made atomic. By default there is no lock: the row is stored
	// if nobody has written it since it was read, and else decide runs again. With Locks the row is
	// locked while decide runs.
	Locks bool

	// Lossy is the result of Inspect; by default nothing is seen that could lose a write.
	Lossy []string

	mu      sync.Mutex
	rows    map[string]record
	locks   map[string]chan struct{} // channels, because waiting must end with a context
	version int64                    // the newest of any record
	late    []record                 // writes that are on their way
	down    bool
}

// A record is a row, and the version that its last write has made, or that a write replaces. No
// two writes make the same.
type record struct {
	segmentstore.Row
	version int64
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{Now: time.Now, rows: map[string]record{}, locks: map[string]chan struct{}{}}
}

// Client returns a new client, as if for another process.
func (m *Memory) Client() *Client { return &Client{m: m} }

// Open does so too. It is the Open of a [Subject].
func (m *Memory) Open() (segment.Store, error) { return m.Client(), nil }

// A Client is a [segment.Store] in a Memory.
type Client struct {
	m      *Memory
	faults suite.Queue[Fault]
}

var _ segment.Store = (*Client)(nil)

// Change implements [segment.Store].
func (c *Client) Change(ctx context.Context, tag string, decide func(*segmentstore.Row) error) error {
	fault := c.faults.Next()
	if c.m.Locks {
		unlock, err := c.m.lock(ctx, tag)
		if err != nil {
			return err
		}
		defer unlock()
	}
	for {
		r, err := c.m.read(ctx, tag, fault)
		if err != nil {
			return err
		}
		if err := r.Check(); err != nil {
			return err
		}
		if err := decide(&r.Row); err != nil {
			return err
		}
		r.Fresh = false
		if err := r.Check(); err != nil {
			return err
		}
		if stored, err := c.m.write(r, fault); stored || err != nil {
			return err
		}
	}
}

// Rows implements [segment.Store].
func (c *Client) Rows(ctx context.Context, after string, most int) ([]segmentstore.Row, error) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if err := c.m.refused(ctx, OK); err != nil {
		return nil, err
	}
	var rows []segmentstore.Row
	for _, tag := range slices.Sorted(maps.Keys(c.m.rows)) {
		if len(rows) == most {
			break
		}
		if r := c.m.record(tag); tag > after && !r.Fresh {
			if err := r.Check(); err != nil {
				return nil, err
			}
			rows = append(rows, r.Row)
		}
	}
	return rows, nil
}

// Inspect implements [segment.Store].
func (c *Client) Inspect(ctx context.Context) (lossy []string, err error) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return slices.Clone(c.m.Lossy), c.m.refused(ctx, OK)
}

// Name implements [segment.Store].
func (c *Client) Name() string { return "memory" }

// lock waits until nobody else is changing the row.
func (m *Memory) lock(ctx context.Context, tag string) (unlock func(), err error) {
	m.mu.Lock()
	lock, found := m.locks[tag]
	if !found {
		lock = make(chan struct{}, 1)
		m.locks[tag] = lock
	}
	m.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

func (m *Memory) read(ctx context.Context, tag string, fault Fault) (record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.refused(ctx, fault); err != nil {
		return record{}, err
	}
	return m.record(tag), nil
}

// record returns a copy of what is stored. The caller holds m.mu.
func (m *Memory) record(tag string) record {
	r, found := m.rows[tag]
	if !found {
		return record{Row: segmentstore.Row{Tag: tag, Fresh: true}}
	}
	r.Row = copied(&r.Row)
	return r
}

// write stores a row, as far as the fault allows, unless it was written since it was read.
func (m *Memory) write(r record, fault Fault) (stored bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Row = copied(&r.Row)
	switch {
	case m.down || fault == LoseWrite:
		return false, errLost
	case fault == Delay:
		m.late = append(m.late, r)
		return false, errLost
	case m.rows[r.Tag].version != r.version:
		return false, nil
	}
	m.store(r)
	if fault == LoseReply {
		return true, errLost
	}
	return true, nil
}

// store is called under m.mu.
func (m *Memory) store(r record) {
	r.Fresh, r.Updated = false, m.Now()
	m.put(r)
}

// put is called under m.mu.
func (m *Memory) put(r record) {
	m.version++
	r.version = m.version
	m.rows[r.Tag] = r
}

// refused returns the error of a call that does not reach the store. The caller holds m.mu.
func (m *Memory) refused(ctx context.Context, fault Fault) error {
	switch {
	case ctx.Err() != nil:
		return ended(ctx)
	case m.down || fault == Refuse:
		return errRefused
	}
	return nil
}

// ended returns the error of a call whose context has ended. It may pass: it says nothing against
// the store.
func ended(ctx context.Context) error {
	return worker.Transient(fmt.Errorf("segmenttest: gave up: %w", ctx.Err()))
}

var (
	errRefused = worker.Transient(errors.New("segmenttest: the store cannot be reached"))
	errLost    = worker.Transient(errors.New("segmenttest: the connection was lost, the outcome is not known"))
)
