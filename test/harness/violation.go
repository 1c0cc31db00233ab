package harness

import (
	"fmt"
	"sync/atomic"

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
	ready  atomic.Uint32 // set when the rest is written
	kind   uint32
	drawn  uint32 // the drawer who has seen it
	owner  uint32 // the drawer who was first to draw of the tick and worker ID, if any
	number int64  // or UID
	bound  int64  // the bound that the UID or its tick breaks; its meaning depends on the kind
}

// Kind returns the violation's kind, Number the number or UID, and Drawn who has seen it.
func (v *Violation) Kind() Kind    { return Kind(v.kind) }
func (v *Violation) Number() int64 { return v.number }
func (v *Violation) Drawn() Drawer { return Drawer(v.drawn) }

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

// Describe describes a violation in a line, with the drawers' names.
func (r *Record) Describe(v *Violation, name func(Drawer) string) string {
	if v.number < r.Numbers {
		return fmt.Sprintf("%v: number %d was drawn by %s", v.Kind(), v.number, name(v.Drawn()))
	}
	u := uid.UID(v.number)
	tick, _ := r.Layout.Tick(u)
	parts, err := r.Layout.Parse(u)
	text := fmt.Sprintf("UID %v (tick %d, worker ID %d, sequence %d)", u, tick, parts.WorkerID, parts.Sequence)
	if err != nil {
		text = fmt.Sprintf("UID %v (%v)", u, err)
	}
	text += " was drawn by " + name(v.Drawn())
	switch v.Kind() {
	case Duplicate:
		return fmt.Sprintf("%s again; the first to draw of this tick and worker ID was %s", text, name(Drawer(v.owner)))
	case SharedTick:
		return fmt.Sprintf("%s, but its tick and worker ID belong to %s", text, name(Drawer(v.bound)))
	}
	return text + fmt.Sprintf([...]string{
		Outside:    ", outside of the record's ticks from %d on",
		ForeignID:  ", which was not granted that worker ID (%d)",
		Unreserved: ", whose reservation ended at tick %d",
		Disorder:   " after UID %d",
		Late:       ", for longer than is tolerated behind tick %d, the oldest that MaxLag allows",
		Early:      ", beyond tick %d, the newest that MaxLead allows",
	}[v.Kind()], v.bound)
}
