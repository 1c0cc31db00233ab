package explore

import (
	"sync"
	"unsafe"
)

// A Mutex stands for a sync.Mutex.
type Mutex struct{ held bool }

func (m *Mutex) Lock() {
	acquire(m)
	if m.held {
		panic("explore: a scenario locks a mutex that is held, outside of its tasks")
	}
	m.held = true
}

func (m *Mutex) TryLock() (locked bool) {
	point("TryLock", unsafe.Pointer(m))
	locked = !m.held
	m.held = true
	return saw(locked)
}

func (m *Mutex) Unlock() {
	point("Unlock", unsafe.Pointer(m))
	if !m.held {
		panic("sync: unlock of unlocked mutex")
	}
	m.held = false
}

// A Once stands for a sync.Once.
type Once struct {
	mu   Mutex
	done bool
}

func (o *Once) Do(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done {
		defer func() { o.done = true }()
		f()
	}
}

// These have no points.
type (
	Map       = sync.Map
	WaitGroup = sync.WaitGroup
)
