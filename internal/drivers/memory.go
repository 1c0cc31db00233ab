// Package drivers has drivers of package stores for tests: one of a database in memory, and one that fails as it is
// told.
package drivers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
)

// A Memory is a database, and a [stores.Driver]. All clients share it. The zero value is an empty one.
type Memory struct {
	// Now is its clock; the default is time.Now. It is called under a lock. Error is that of its Clock.
	Now   func() time.Time
	Error time.Duration
	// Lasting is what Durable returns.
	Lasting bool
	// Tells returns the History after so many losses; the default is another one after each.
	Tells func(losses int) string

	mu     sync.Mutex
	texts  map[string]string
	sorted []string // their keys; nil when they have changed
	losses int
	down   bool
}

var _ stores.Driver = (*Memory)(nil)

// Name implements [stores.Driver].
func (m *Memory) Name() string { return "memory" }

// Durable implements [stores.Driver].
func (m *Memory) Durable() bool { return m.Lasting }

// Read implements [stores.Driver].
func (m *Memory) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read(ctx, q)
}

func (m *Memory) read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	switch {
	case ctx.Err() != nil:
		return nil, worker.Transient(fmt.Errorf("memory: gave up: %w", ctx.Err()))
	case m.down:
		return nil, worker.Transient(errors.New("memory: the database cannot be reached"))
	}
	a := &stores.Answer{State: m.losses}
	for _, key := range q.Keys {
		a.Records = append(a.Records, stores.Record{Key: key, Text: m.texts[key]})
	}
	for _, r := range q.Ranges {
		if m.sorted == nil {
			m.sorted = slices.Sorted(maps.Keys(m.texts))
		}
		var page []stores.Record
		from, _ := slices.BinarySearch(m.sorted, r.First)
		for _, key := range m.sorted[from:] {
			if key > r.Last || len(page) == r.Limit {
				break
			}
			page = append(page, stores.Record{Key: key, Text: m.texts[key]})
		}
		a.Pages = append(a.Pages, page)
	}
	a.Clock = stores.Clock{Now: m.Time(), Error: m.Error, History: fmt.Sprintf("writes were lost %d times", m.losses)}
	if m.Tells != nil {
		a.Clock.History = m.Tells(m.losses)
	}
	return a, nil
}

// Time returns what the clock says.
func (m *Memory) Time() time.Time {
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	return now().UTC().Truncate(time.Microsecond)
}

// Write implements [stores.Driver].
func (m *Memory) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, err = m.read(ctx, w.Otherwise)
	if err != nil || w.Read.State != m.losses {
		return false, now, err
	}
	for _, was := range w.Were {
		if m.texts[was.Key] != was.Text {
			return false, now, nil
		}
	}
	for _, put := range w.Puts {
		m.set(put.Key, put.Text)
	}
	return true, nil, nil
}

// set is called under m.mu.
func (m *Memory) set(key, text string) {
	if m.texts == nil {
		m.texts = map[string]string{}
	}
	if _, there := m.texts[key]; !there {
		m.sorted = nil
	}
	m.texts[key] = text
}

// Set writes a text by hand, or removes it if it is "".
func (m *Memory) Set(key, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set(key, text); text == "" {
		delete(m.texts, key)
		m.sorted = nil
	}
}

// Text returns what is under a key.
func (m *Memory) Text(key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.texts[key]
}

// Outage begins or ends an outage: all requests fail, and nothing is stored.
func (m *Memory) Outage(begins bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = begins
}

// LoseHistory has the database tell another history, as after a crash in which nothing was lost.
func (m *Memory) LoseHistory() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.losses++
}

// Backup returns a function that puts everything back as it is now: what was written since is lost, as in a failover to
// a server that lagged behind. What was decided before that is refused, even if the same texts were put back.
func (m *Memory) Backup() (restore func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	texts := maps.Clone(m.texts)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.texts, m.sorted = maps.Clone(texts), nil
		m.losses++
	}
}
