package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
	planning "github.com/uidgen/uid/plan"
	"github.com/uidgen/uid/worker/lease"
)

// move is the half of plan that says what it costs to leave a layout for another.
type move struct {
	*program
	from                   formFlag
	to                     layoutFlag
	fromWorkers, toWorkers *lease.Range // nil: all
	plan                   planning.Move
	format                 *format
}

func (m *move) register(flags *pflag.FlagSet) {
	flags.Var(&m.from, "from", "the layout to leave, as --layout of parse")
	flags.Var(&m.to, "layout", "the layout to go to, as --layout of gen (default \"default\")")
	flags.Var(value[*lease.Range]{&m.fromWorkers, "FIRST-LAST", readIDs}, "from-workers", "the worker IDs that --from has used (default all)")
	flags.Var(value[*lease.Range]{&m.toWorkers, "FIRST-LAST", readIDs}, "to-workers", "the worker IDs that --layout will use (default all)")
	flags.Var(timeVar(&m.plan.At), "at", "when the old generators stop and the new ones begin (default now)")
	flags.Var(spanVar(&m.plan.Lead), "from-lead", "how long the old generators run on, or are ahead of the clock")
}

// moveFlags are those that are for --from, needFlags those that are not.
var (
	moveFlags = []string{"layout", "from-workers", "to-workers", "at", "from-lead"}
	needFlags = []string{"rate", "burst", "workers", "restarts-per-day", "years", "js-safe", "epoch", "max-lead", "hold"}
)

func (m *move) run() error {
	if m.plan.At.IsZero() {
		m.plan.At = m.now().UTC()
	}
	from := m.from.Layout
	if from.IsZero() {
		if m.fromWorkers != nil {
			return badInput("--from-workers: %s has the machine ID below the sequence; leave the range out", m.from.format.Name())
		}
		from = m.from.format.Layout()
	}
	m.plan.From, m.plan.To = issuer(from, m.fromWorkers), issuer(m.to.Layout, m.toWorkers)
	c, err := m.plan.Cost()
	switch {
	case err != nil:
		return inputError{err}
	case *m.format == table:
		m.tell(m.plan, c)
	default:
		m.list(m.plan, c)
	}
	return nil
}

// issuer returns the workers of a layout.
func issuer(l bits.Layout, ids *lease.Range) bits.Issuer {
	i := l.Issuer()
	if ids != nil {
		i.FirstWorker, i.LastWorker = ids.First, ids.Last
	}
	return i
}

// old describes the layout that is left.
func (m *move) old() string {
	if m.from.format != nil {
		return m.from.format.String()
	}
	return m.from.Layout.String()
}

// list writes the cost for programs.
func (m *move) list(plan planning.Move, c planning.Cost) {
	var highest, passes any // nil: there is none
	if c.Begun {
		highest = c.Highest
	}
	if c.Passable {
		passes = c.Passes
	}
	m.record(*m.format, "from", m.old(), "to", plan.To.Layout.String(), "at", plan.At, "overlap", sharing(c.Ever), "repeats", sharing(c.Repeats),
		"highest", highest, "full", c.Full, "lowest", c.Lowest, "safe_now", c.Above, "safe", append(windows{}, c.Safe...),
		"floor_passed_at", passes, "cursors", cursors(c))
}

// shared is a bits.Overlap for programs.
type shared struct {
	First    uid.UID   `json:"first"`
	Last     uid.UID   `json:"last"`
	OldFirst time.Time `json:"old_first"`
	OldLast  time.Time `json:"old_last"`
	NewFirst time.Time `json:"new_first"`
	NewLast  time.Time `json:"new_last"`
}

func sharing(o *bits.Overlap) any {
	if o == nil {
		return nil
	}
	return shared{o.First, o.Last, o.FirstA, o.LastA, o.FirstB, o.LastB}
}

func (s shared) String() string { return fmt.Sprintf("%d-%d", s.First, s.Last) }

// windows are times to switch at.
type windows []planning.Window

func (w windows) String() string {
	var all []string
	for _, window := range w {
		all = append(all, window.From.Format(time.RFC3339Nano)+"/"+window.To.Format(time.RFC3339Nano))
	}
	return strings.Join(all, " ")
}

// cursors says in a word what becomes of id > last.
func cursors(c planning.Cost) string {
	switch {
	case c.Above:
		return "go on"
	case c.Passable:
		return "need the floor"
	}
	return "break"
}

// tell writes the cost for a person.
func (m *move) tell(plan planning.Move, c planning.Cost) {
	line := func(format string, args ...any) { fmt.Fprintf(m.out, format+"\n", args...) }
	span := func(o *bits.Overlap) {
		line("    old UIDs of %s to %s", second(o.FirstA), second(o.LastA))
		line("    new UIDs of %s to %s", second(o.FirstB), second(o.LastB))
	}
	line("From  %s", m.old())
	line("To    %s", plan.To.Layout)
	line("At    %s", second(plan.At))

	line("\nThe same numbers")
	switch {
	case c.Ever == nil:
		line("  None: neither can ever make a number of the other's.")
	case c.Ever.First == c.Ever.Last:
		line("  Both can make %d:", c.Ever.First)
		span(c.Ever)
	default:
		line("  Both can make numbers from %d to %d:", c.Ever.First, c.Ever.Last)
		span(c.Ever)
	}
	switch {
	case c.Repeats != nil && c.Repeats.FirstA.Equal(c.Repeats.LastA) && c.Repeats.FirstB.Equal(c.Repeats.LastB):
		line("  In the tick of the switch new UIDs repeat old ones of %s.", second(c.Repeats.FirstA))
	case c.Repeats != nil:
		line("  After the switch new UIDs repeat old ones:")
		span(c.Repeats)
	case c.Ever != nil:
		line("  After the switch no new UID repeats an old one.")
	}

	line("\nWithout a floor")
	switch {
	case c.Above:
		line("  Safe: new UIDs are all above the old ones.")
	case c.Repeats == nil:
		line("  Nothing is made twice, but new UIDs are not all above the old ones.")
	default:
		line("  Not safe: what is made after the switch is not all above what was made before.")
	}
	end := plan.To.Layout.Expires().Add(plan.To.Layout.Unit())
	for _, w := range c.Safe {
		since, until := "", ""
		if w.From.After(plan.At) {
			since = " from " + second(w.From.Add(time.Second-1)) + " on"
		}
		if w.To.Before(end) {
			until = " until " + second(w.To)
		}
		line("  A switch is safe%s.", cmp.Or(since+until, " at any later time"))
	}

	line("\nFloor")
	if c.Begun && c.Repeats == nil {
		line("  None is needed to make nothing twice. To be above all others it is")
	}
	switch ahead := c.Passes.Sub(plan.At); {
	case !c.Begun:
		line("  None: the old layout has made no UID by then.")
	case !c.Passable:
		line("  %d, the highest that the old layout can have issued by then,", c.Highest)
		line("  which the new layout cannot pass. Take the highest UID that there is, if that is")
		line("  lower; or else give the new workers IDs that no old one had, and see what that")
		line("  makes of it (--from-workers, --to-workers).")
	default:
		line("  %d, the highest that the old layout can have issued by then.", c.Highest)
		switch {
		case ahead <= 0:
			line("  The new layout has passed it.")
		case ahead <= plan.To.Layout.Unit():
			line("  The new layout passes it with the next tick.")
		default:
			line("  The new layout passes it at %s, %s after the switch:", second(c.Passes), words(ahead))
			line("  a generator with that floor runs so far ahead of the clock.")
		}
	}
	if c.Begun && c.Passable {
		line("  uid gen --after, uid worker init --after and Config.After keep it.")
	}
	if _, ok := m.from.format.(foreign.UidGenerator); ok && c.Full {
		line("  If its cached generator went on when it was full, its UIDs have been negative")
		line("  since, which no new one is; they sort below all others.")
	}

	line("\nCursors (id > last)")
	switch cursors(c) {
	case "go on":
		line("  They go on, once no old worker makes UIDs any more: while it does, a reader that has\n  seen a new UID misses its rows.")
	case "need the floor":
		line("  With the floor they go on. Without it they miss the new rows, whose UIDs begin\n  at %d.", c.Lowest)
	default:
		line("  They break: new UIDs, which begin at %d, sort below old ones.", c.Lowest)
	}
}

// second is a time for a person, without its fraction.
func second(t time.Time) string { return t.Format(time.RFC3339) }
