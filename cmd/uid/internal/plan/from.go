package plan

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	planning "github.com/uidgen/uid/plan"
	"github.com/uidgen/uid/worker/lease"
)

// move is the half of plan that says what it costs to leave a layout for another.
type move struct {
	p                      *cli.Program
	from                   cli.FormFlag
	to                     cli.LayoutFlag
	fromWorkers, toWorkers *lease.Range // nil: all
	plan                   planning.Move
	format                 *cli.Format
}

func (m *move) register(flags *pflag.FlagSet) {
	flags.Var(&m.from, "from", "the layout to leave, as --layout of parse")
	flags.Var(&m.to, "layout", "the layout to go to, as --layout of gen (default \"default\")")
	flags.Var(cli.Var(&m.fromWorkers, "FIRST-LAST", cli.ReadIDs), "from-workers",
		"the worker IDs that --from has used (default all)")
	flags.Var(cli.Var(&m.toWorkers, "FIRST-LAST", cli.ReadIDs), "to-workers",
		"the worker IDs that --layout will use (default all)")
	flags.Var(cli.TimeVar(&m.plan.At), "at", "when the old generators stop and the new ones begin (default now)")
	flags.Var(cli.SpanVar(&m.plan.Lead), "from-lead", "how long the old generators run on, or are ahead of the clock")
}

// moveFlags are those that are for --from, needFlags those that are not.
var (
	moveFlags = []string{"layout", "from-workers", "to-workers", "at", "from-lead"}
	needFlags = []string{
		"rate", "burst", "workers", "restarts-per-day", "years", "js-safe", "epoch", "max-lead", "hold",
	}
)

func (m *move) run() error {
	if m.plan.At.IsZero() {
		m.plan.At = m.p.Now().UTC()
	}
	from := m.from.Layout
	if from.IsZero() {
		if m.fromWorkers != nil {
			return cli.BadInput("--from-workers: %s has the machine ID below the sequence; leave the range out",
				m.from.Format.Name())
		}
		from = m.from.Format.Layout()
	}
	m.plan.From, m.plan.To = issuer(from, m.fromWorkers), issuer(m.to.Layout, m.toWorkers)
	c, err := m.plan.Cost()
	switch {
	case err != nil:
		return cli.InputError{Err: err}
	case *m.format == cli.Table:
		return m.tell(c)
	}
	m.list(m.plan, c)
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

// list writes the cost for programs.
func (m *move) list(plan planning.Move, c planning.Cost) {
	var highest, passes any // nil: there is none
	if c.Begun {
		highest = c.Highest
	}
	if c.Passable {
		passes = c.Passes
	}
	m.p.Answer(*m.format, "",
		"from", m.from.String(), "to", plan.To.Layout.String(), "at", plan.At, "overlap", sharing(c.Ever),
		"repeats", sharing(c.Repeats), "highest", highest, "full", c.Full, "lowest", c.Lowest, "safe_now", c.Above,
		"safe", append(windows{}, c.Safe...), "floor_passed_at", passes, "cursors", cursors(c))
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

//go:embed from.txt
var costText string

// tell writes the cost for a person.
func (m *move) tell(c planning.Cost) error {
	plan, windows := m.plan, []string(nil)
	end := plan.To.Layout.Expires().Add(plan.To.Layout.Unit())
	for _, w := range c.Safe {
		since, until := "", ""
		if w.From.After(plan.At) {
			since = " from " + cli.Second(w.From.Add(time.Second-1)) + " on"
		}
		if w.To.Before(end) {
			until = " until " + cli.Second(w.To)
		}
		windows = append(windows, cmp.Or(since+until, " at any later time"))
	}
	overflows := m.from.Format != nil && m.from.Format.Name() == "uidgenerator"
	return fill(m.p, costText, struct {
		planning.Move
		planning.Cost
		Old, Cursors string
		Windows      []string
		Ahead        time.Duration
		Overflown    bool // it may be, below 0
	}{plan, c, m.from.String(), cursors(c), windows, c.Passes.Sub(plan.At), overflows && c.Full})
}
