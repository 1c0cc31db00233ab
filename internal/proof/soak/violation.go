package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
)

// A kind of violation.
type kind int

const (
	duplicate kind = iota
	sharedTick
	outside
	foreignID
	unreserved
	disorder
	late
	early
	kinds
)

func (k kind) String() string {
	return [...]string{
		"duplicate", "shared tick", "time outside of the round", "foreign worker ID", "unreserved tick",
		"disorder", "behind MaxLag", "ahead of MaxLead",
	}[k]
}

// A violation is recorded by the process that sees it, in shared memory.
type violation struct {
	ready atomic.Uint32 // set when the rest is written
	kind  uint32
	drawn uint32 // the drawer who has seen it
	owner uint32 // the drawer who was first to draw of the tick and worker ID, if any
	uid   int64
	bound int64 // what the UID or its tick is held against, by kind
	at    int64 // when, in nanoseconds since 1970
}

// A drawer is a goroutine of an incarnation. Its number is never 0.
type drawer uint32

const goroutineBits = 8

func newDrawer(incarnation uint32, goroutine int) drawer {
	return drawer(incarnation<<goroutineBits | uint32(goroutine))
}

func (d drawer) incarnation() uint32 { return uint32(d) >> goroutineBits }
func (d drawer) goroutine() int      { return int(d) & (1<<goroutineBits - 1) }

// report counts a violation, and records it if there is room.
func (m *memory) report(k kind, by drawer, u uid.UID, bound int64) {
	m.head.kinds[k].Add(1)
	i := m.head.recorded.Add(1) - 1
	if i >= maxViolations {
		return
	}
	v := &m.head.violations[i]
	v.kind, v.drawn, v.uid, v.bound, v.at = uint32(k), uint32(by), int64(u), bound, time.Now().UnixNano()
	if bit, ok := m.bit(u); ok {
		v.owner = m.owners[bit>>m.layout.SequenceBits()].Load()
	}
	v.ready.Store(1)
}

// violations returns what was recorded, and found how many of each kind there are.
func (m *memory) violations() []*violation {
	var all []*violation
	for i := range min(m.head.recorded.Load(), maxViolations) {
		if v := &m.head.violations[i]; v.ready.Load() == 1 {
			all = append(all, v)
		}
	}
	return all
}

func (m *memory) found(k kind) uint64 { return m.head.kinds[k].Load() }

func (m *memory) anyFound() bool {
	for k := range kinds {
		if m.found(k) > 0 {
			return true
		}
	}
	return false
}

// describe says in a line what a violation is, with the owners by name.
func (m *memory) describe(v *violation, name func(drawer) string) string {
	u := uid.UID(v.uid)
	tick, _ := m.layout.Tick(u)
	parts, err := m.layout.Parse(u)
	text := fmt.Sprintf("UID %v (tick %d, worker ID %d, sequence %d)", u, tick, parts.WorkerID, parts.Sequence)
	if err != nil {
		text = fmt.Sprintf("UID %v (%v)", u, err)
	}
	drawn, owner := name(drawer(v.drawn)), name(drawer(v.owner))
	switch kind(v.kind) {
	case duplicate:
		return fmt.Sprintf("%s was drawn again by %s; the first to draw of this tick and worker ID was %s", text, drawn, owner)
	case sharedTick:
		return fmt.Sprintf("%s was drawn by %s, but its tick and worker ID belong to %s", text, drawn, name(drawer(v.bound)))
	case outside:
		return fmt.Sprintf("%s was drawn by %s, outside of the round's ticks from %d on", text, drawn, v.bound)
	case foreignID:
		return fmt.Sprintf("%s was drawn by %s, which was not granted that worker ID", text, drawn)
	case unreserved:
		return fmt.Sprintf("%s was drawn by %s, whose reservation ended at tick %d", text, drawn, v.bound)
	case disorder:
		return fmt.Sprintf("%s was drawn by %s after UID %d", text, drawn, v.bound)
	case late:
		return fmt.Sprintf("%s was drawn by %s, for longer than is tolerated behind tick %d, the oldest that MaxLag allows", text, drawn, v.bound)
	}
	return fmt.Sprintf("%s was drawn by %s, beyond tick %d, the newest that MaxLead allows", text, drawn, v.bound)
}
