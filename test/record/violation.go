package record

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
)

// A Kind of violation. A record finds the first three by itself; tests that know more about
// a UID report the others.
type Kind int

// The kinds of violations.
const (
	Duplicate  Kind = iota // a UID that was drawn before
	SharedTick             // a tick of a worker ID from which another process has drawn
	Outside                // a tick outside of the record
	ForeignID              // a worker ID that was not granted
	Unreserved             // a tick that was not reserved
	Disorder               // not larger than the one before
	Late                   // behind MaxLag
	Early                  // ahead of MaxLead
	Kinds                  // how many there are
)

func (k Kind) String() string {
	return [...]string{
		"duplicate", "shared tick", "time outside of the record", "foreign worker ID", "unreserved tick",
		"disorder", "behind MaxLag", "ahead of MaxLead",
	}[k]
}

// A Violation is recorded in shared memory by the process that sees it.
type Violation struct {
	ready atomic.Uint32 // set when the rest is written
	kind  uint32
	drawn uint32 // the drawer who has seen it
	owner uint32 // the drawer who was first to draw of the tick and worker ID, if any
	uid   int64
	bound int64 // the bound that the UID or its tick breaks; its meaning depends on the kind
	at    int64 // when, in nanoseconds since 1970
}

// Kind returns the violation's kind.
func (v *Violation) Kind() Kind { return Kind(v.kind) }

// Drawn returns who has seen it.
func (v *Violation) Drawn() Drawer { return Drawer(v.drawn) }

// Owner returns who was the first to draw of the UID's tick and worker ID, or 0.
func (v *Violation) Owner() Drawer { return Drawer(v.owner) }

// Bound returns the bound that the UID or its tick breaks. Its meaning depends on the
// violation's kind.
func (v *Violation) Bound() int64 { return v.bound }

// A Drawer is a goroutine of a process. It is never 0.
type Drawer uint32

const goroutineBits = 8

// NewDrawer returns a goroutine of the process with a number from 1 to 1<<24 - 1.
func NewDrawer(process uint32, goroutine int) Drawer {
	return Drawer(process<<goroutineBits | uint32(goroutine))
}

// Process returns the number of the drawer's process.
func (d Drawer) Process() uint32 { return uint32(d) >> goroutineBits }

// Goroutine returns the number of the drawer within its process.
func (d Drawer) Goroutine() int { return int(d) & (1<<goroutineBits - 1) }

// Report counts a violation, and records it if there is room.
func (r *Record) Report(k Kind, by Drawer, u uid.UID, bound int64) {
	r.head.kinds[k].Add(1)
	i := r.head.recorded.Add(1) - 1
	if i >= maxViolations {
		return
	}
	v := &r.head.violations[i]
	v.kind, v.drawn, v.uid, v.bound, v.at = uint32(k), uint32(by), int64(u), bound, time.Now().UnixNano()
	if bit, ok := r.Bit(u); ok {
		v.owner = r.owners[bit>>r.Layout.SequenceBits()].Load()
	}
	v.ready.Store(1)
}

// Violations returns what was recorded.
func (r *Record) Violations() []*Violation {
	var all []*Violation
	for i := range min(r.head.recorded.Load(), maxViolations) {
		if v := &r.head.violations[i]; v.ready.Load() == 1 {
			all = append(all, v)
		}
	}
	return all
}

// Found returns how many violations of a kind there are.
func (r *Record) Found(k Kind) uint64 { return r.head.kinds[k].Load() }

// AnyFound reports whether there is any violation.
func (r *Record) AnyFound() bool {
	for k := range Kinds {
		if r.Found(k) > 0 {
			return true
		}
	}
	return false
}

// Describe describes a violation in a line, with the drawers' names.
func (r *Record) Describe(v *Violation, name func(Drawer) string) string {
	u := uid.UID(v.uid)
	tick, _ := r.Layout.Tick(u)
	parts, err := r.Layout.Parse(u)
	text := fmt.Sprintf("UID %v (tick %d, worker ID %d, sequence %d)", u, tick, parts.WorkerID, parts.Sequence)
	if err != nil {
		text = fmt.Sprintf("UID %v (%v)", u, err)
	}
	drawn, owner := name(Drawer(v.drawn)), name(Drawer(v.owner))
	switch v.Kind() {
	case Duplicate:
		return fmt.Sprintf("%s was drawn again by %s; the first to draw of this tick and worker ID was %s", text, drawn, owner)
	case SharedTick:
		return fmt.Sprintf("%s was drawn by %s, but its tick and worker ID belong to %s", text, drawn, name(Drawer(v.bound)))
	case Outside:
		return fmt.Sprintf("%s was drawn by %s, outside of the record's ticks from %d on", text, drawn, v.bound)
	case ForeignID:
		return fmt.Sprintf("%s was drawn by %s, which was not granted that worker ID", text, drawn)
	case Unreserved:
		return fmt.Sprintf("%s was drawn by %s, whose reservation ended at tick %d", text, drawn, v.bound)
	case Disorder:
		return fmt.Sprintf("%s was drawn by %s after UID %d", text, drawn, v.bound)
	case Late:
		return fmt.Sprintf("%s was drawn by %s, for longer than is tolerated behind tick %d, the oldest that MaxLag allows", text, drawn, v.bound)
	}
	return fmt.Sprintf("%s was drawn by %s, beyond tick %d, the newest that MaxLead allows", text, drawn, v.bound)
}
