package storetest

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// subject is a Memory, which can do all that a Subject may.
func subject(m *Memory, turn func(time.Duration)) Subject {
	return Subject{
		Open:            func(namespace string) (lease.Store, error) { return m.Store(namespace), nil },
		Fault:           fault,
		Deliver:         func() { m.Deliver() },
		Advance:         turn,
		RemoveNamespace: func(namespace string) error { m.RemoveNamespace(namespace); return nil },
		Backup:          m.Backup,
		Secret:          "tiger",
	}
}

func fault(store lease.Store, f Fault) bool {
	c := store.(*Client)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = []Fault{f}
	return true
}

// A handClock goes when it is turned.
type handClock struct{ now atomic.Int64 }

func newHandClock() *handClock {
	var c handClock
	c.now.Store(time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC).UnixMicro())
	return &c
}

func (c *handClock) Now() time.Time          { return time.UnixMicro(c.now.Load()) }
func (c *handClock) Advance(d time.Duration) { c.now.Add(d.Microseconds()) }

func TestMemory(t *testing.T) {
	t.Parallel()
	cfg := Config{Histories: 100, Patience: time.Millisecond}
	for name, versions := range map[string]bool{"locks": false, "versions": true} {
		t.Run(name, func(t *testing.T) {
			Run(t, cfg, func(t *testing.T) Subject {
				return subject(NewMemory(MemoryConfig{Versions: versions}), nil)
			})
		})
		for _, e := range []time.Duration{0, 250 * time.Millisecond} {
			t.Run(fmt.Sprintf("%s, a clock that stands, off by %v", name, e), func(t *testing.T) {
				Run(t, cfg, func(t *testing.T) Subject {
					clock := newHandClock()
					return subject(NewMemory(MemoryConfig{Versions: versions, Now: clock.Now, Error: e}), clock.Advance)
				})
			})
		}
	}
}
