// Package memory is a database in memory, for tests.
package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
)

// A Driver is a database, and a [stores.Driver]. All clients share it. The zero value is an empty one.
type Driver struct {
	mu      sync.Mutex
	texts   map[string]string
	sorted  []string // their keys; nil when they have changed
	history int
}

var _ stores.Driver = (*Driver)(nil)

// Name implements [stores.Driver].
func (m *Driver) Name() string { return "memory" }

// Durable implements [stores.Driver].
func (m *Driver) Durable() bool { return false }

// Read implements [stores.Driver].
func (m *Driver) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read(ctx, q)
}

func (m *Driver) read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if ctx.Err() != nil {
		return nil, worker.Transient(fmt.Errorf("memory: gave up: %w", ctx.Err()))
	}
	a := &stores.Answer{}
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
	a.Clock = stores.Clock{Now: time.Now().UTC().Truncate(time.Microsecond), History: fmt.Sprint("history ", m.history)}
	return a, nil
}

// Write implements [stores.Driver].
func (m *Driver) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, err = m.read(ctx, w.Otherwise)
	if err != nil || now.Clock.History != w.Read.Clock.History {
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
func (m *Driver) set(key, text string) {
	if m.texts == nil {
		m.texts = map[string]string{}
	}
	if _, there := m.texts[key]; !there {
		m.sorted = nil
	}
	m.texts[key] = text
}

// Set writes a text by hand, or removes it if it is "".
func (m *Driver) Set(key, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set(key, text); text == "" {
		delete(m.texts, key)
		m.sorted = nil
	}
}

// Text returns what is under a key.
func (m *Driver) Text(key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.texts[key]
}

// Backup is that of a drivertest.Subject.
func (m *Driver) Backup() (restore func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	texts := maps.Clone(m.texts)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.texts, m.sorted = maps.Clone(texts), nil
		m.history++
	}
}
