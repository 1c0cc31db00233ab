package main

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/uidgen/uid/worker/lease"
)

// A fault is something that the schedule does to processes, databases and connections.
type fault int

const (
	kill fault = iota
	pause
	restart
	setClock // of a slot, its processes to come included
	serverKill
	serverPause
	isolate
	failover
	cut
	delay
	refuse
	mute
	swallowReply
	swallowCommit
	setBack
	rename
	truncate
	restore
	vanish
	edit
	faults
)

// kinds says how faults are called, how much time there is for each of a kind in a round, and what they are.
var kinds = [faults]struct {
	name   string
	every  time.Duration
	remark string
}{
	kill:          {"kill", 1100 * time.Millisecond, "kill -9"},
	pause:         {"pause", 4 * time.Second, "SIGSTOP past the end of a lease"},
	restart:       {"restart", 8 * time.Second, "in good order"},
	setClock:      {"clock step", 3 * time.Second, "steps of a process's clock, either way"},
	serverKill:    {"server kill", 19 * time.Second, "kill -9 of a database's server, or of all"},
	serverPause:   {"server pause", 40 * time.Second, "SIGSTOP past the end of a lease"},
	isolate:       {"isolation", 20 * time.Second, "of a server from the others"},
	failover:      {"failover", time.Minute, "to a replica without the last commits"},
	cut:           {"cut", 12 * time.Second, "all connections to a server"},
	delay:         {"delay", 12 * time.Second, "slow replies for some time"},
	refuse:        {"refusal", 30 * time.Second, "no connection of half of the processes, past the end of a lease"},
	mute:          {"mute", 30 * time.Second, "no reply for half of the processes, which servers hear"},
	swallowReply:  {"lost reply", 10 * time.Second, "a write was stored, and nobody told"},
	swallowCommit: {"lost commit", 20 * time.Second, "a write that never arrived"},
	setBack:       {name: "set back"}, // only the self-test does so
	rename:        {"rename", 15 * time.Second, "of a table of leases, and back within a second"},
	truncate:      {"truncate", time.Minute, "of a table of leases, whose namespace is made anew"},
	restore:       {"restore", time.Minute, "of a table of leases as it was seconds before"},
	vanish:        {"vanish", 20 * time.Second, "all rows of a namespace's IDs, and back within a second"},
	edit:          {"edit", 4 * time.Second, "of a lease's end, holder or last tick"},
}

func (f fault) String() string { return kinds[f].name }

// An event is a fault at a time.
type event struct {
	At    time.Duration // since the round's start
	Fault fault
	Slot  int    // of a process
	Place string // of a server, a connection or a table
	// For is how long a process stays paused, or a slot empty after a kill or a restart,
	// or a server or connections down, or replies are delayed, or a table away, or how old a state
	// is that comes back.
	For time.Duration
	// By is what a clock is off from then on, or the delay of each reply, or how long owners live whose leases
	// the event has taken away.
	By time.Duration
	// Kill ends a pause, or those owners.
	Kill bool
	// Space is what the operator's hand is on. Row chooses among its rows, or among servers and connections.
	Space space
	Row   int
	Edit  alteration
}

func (e event) String() string {
	what := fmt.Sprintf("%.3f %v", e.At.Seconds(), e.Fault)
	switch {
	case e.Fault <= setClock:
		what += fmt.Sprint(" ", e.Slot)
	case e.Fault >= rename:
		what += " " + e.Space.Share
	default:
		what += " " + e.Place
	}
	if e.Fault == edit {
		what += fmt.Sprint(" ", e.Edit)
	}
	if e.For > 0 {
		what += fmt.Sprintf(" +%v", e.For)
	}
	if e.By != 0 {
		what += fmt.Sprintf(" by %v", e.By)
	}
	if e.Kill {
		what += ", kill"
	}
	return what
}

// A schedule is what happens in a round, in order.
type schedule []event

// The schedule leaves the processes some time to begin, and to end.
const (
	quietStart = 2 * time.Second
	quietEnd   = 3 * time.Second
)

// A dealer deals the faults of a round.
type dealer struct {
	*rand.Rand
	span time.Duration
	all  schedule
}

// newSchedule makes the schedule of a round, which follows from its arguments. The processes have a deck of
// faults, which they get in turn, as have each place's servers, the tables on it, and the connections to it.
// The faults of a process, or of such a deck, happen one after another, later if need be.
func newSchedule(seed uint64, round int, length time.Duration, slots []slot, places map[string]*place) schedule {
	d := dealer{Rand: rand.New(rand.NewPCG(seed, uint64(round))), span: length - quietStart - quietEnd}
	if d.span <= 0 {
		return nil
	}
	turn := d.Perm(len(slots))
	next := func() int {
		turn = append(turn[1:], turn[0])
		return turn[0]
	}
	if slots[0].Worker != served { // clients of which have nothing to lose
		d.deal(1, func(e *event) { d.process(e, next()) }, kill, pause, restart)
	}
	if slices.ContainsFunc(slots, func(s slot) bool { return s.Stray > 0 }) {
		step := func(e *event) { e.Slot = next(); e.By = d.between(-slots[e.Slot].Stray, slots[e.Slot].Stray) }
		d.deal(1, step, setClock)
	}
	var tended, reached float64 // places of an operator, and over a network
	for _, p := range places {
		if p.byHand {
			tended++
		}
		if len(p.d.Addrs) > 0 {
			reached++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		p := places[name]
		if !p.behind && !slices.ContainsFunc(slots, func(s slot) bool { return s.Place == name }) {
			continue
		}
		servers, connections := p.can()
		d.deal(cmp.Or(p.often, 1), func(e *event) { d.server(e, name) }, servers...)
		d.deal(reached*cmp.Or(p.often, 1), func(e *event) { d.server(e, name) }, connections...)
		var here, lossy []space
		for _, sp := range spaces(slots) {
			if sp.Place == name {
				here = append(here, sp)
				if sp.Losses == lease.ByHistory && len(p.d.Addrs) > 0 { // of a file, the dialect is another one
					lossy = append(lossy, sp)
				}
			}
		}
		if !p.byHand || len(here) == 0 {
			continue
		}
		hand := func(e *event) { d.hand(e, name, here, lossy) }
		of := []fault{rename, vanish, edit}
		if len(lossy) > 0 { // whoever removes or sets back rows does not say that the store loses nothing
			of = append(of, truncate, restore)
		}
		d.deal(tended, hand, of...)
	}
	slices.SortStableFunc(d.all, func(a, b event) int { return cmp.Compare(a.At, b.At) })
	return d.all
}

// deal deals a deck of faults, with that many times the usual time for each.
func (d *dealer) deal(times float64, fill func(*event), of ...fault) {
	var deck []event
	for _, f := range of {
		every := time.Duration(float64(kinds[f].every) * times)
		deck = append(deck, slices.Repeat([]event{{Fault: f}}, int((d.span+every-1)/every))...)
	}
	if len(deck) == 0 {
		return
	}
	d.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	part := d.span / time.Duration(len(deck))
	for i, e := range deck {
		fill(&e)
		e.At = quietStart + time.Duration(i)*part + d.between(0, max(0, part-e.For))
		d.all = append(d.all, e)
	}
}

// between returns a duration of whole milliseconds.
func (d *dealer) between(low, high time.Duration) time.Duration {
	const unit = time.Millisecond
	return low/unit*unit + time.Duration(d.Int64N(int64((high-low)/unit)+1))*unit
}

// process fills in the event of a process.
func (d *dealer) process(e *event, slot int) {
	e.Slot = slot
	switch {
	case e.Fault == pause:
		e.For, e.Kill = d.between(leaseTTL, 3*leaseTTL), d.IntN(4) == 0
	case d.IntN(5) == 0:
		e.For = d.between(0, 2*leaseTTL) // now and then until a lease has ended
	default:
		e.For = d.between(0, 50*time.Millisecond)
	}
}

// server fills in that of a server, or of the connections to it.
func (d *dealer) server(e *event, place string) {
	e.Place, e.Row = place, d.IntN(1<<16)
	switch e.Fault {
	case serverKill:
		e.For = d.between(50*time.Millisecond, 2500*time.Millisecond)
	case serverPause, isolate, refuse, mute:
		e.For = d.between(leaseTTL, 3*leaseTTL)
	case failover:
		e.Kill, e.By = true, d.between(50*time.Millisecond, 700*time.Millisecond)
	case delay:
		e.For, e.By = d.between(300*time.Millisecond, 3*time.Second), d.between(20*time.Millisecond, 4*time.Second)
	}
}

// hand fills in what the operator does to a table. It is the next owner of a worker ID that has to make up for what
// the one before had reserved, so that owners are killed after some events.
func (d *dealer) hand(e *event, place string, spaces, lossy []space) {
	if e.Fault == truncate || e.Fault == restore {
		spaces = lossy
	}
	e.Place, e.Space, e.Row = place, spaces[d.IntN(len(spaces))], d.IntN(1<<16)
	switch e.Fault {
	case rename, vanish:
		e.For = d.between(100*time.Millisecond, time.Second)
	case restore:
		e.For = d.between(1100*time.Millisecond, 4*time.Second)
	case edit:
		if e.Edit = alteration(d.IntN(int(alterations))); e.Edit == releaseLease && e.Space.Losses != lease.Never {
			e.Edit = endLease
		}
	}
	if e.Fault == restore || e.Fault == truncate && e.Row%2 == 0 {
		e.Kill, e.By = true, d.between(50*time.Millisecond, 700*time.Millisecond)
	}
}

// queue names those faults of servers and connections that come one after another. One that kills or loses commits
// and one by hand exclude each other.
func (e event) queue() string {
	if cut <= e.Fault && e.Fault <= swallowCommit {
		return "connections to " + e.Place
	}
	return e.Place
}

// planned returns how many faults of each kind there are.
func (s schedule) planned() (n [faults]int) {
	for _, e := range s {
		n[e.Fault]++
	}
	return n
}

// of returns the events of one slot's processes, and the steps of its clock.
func (s schedule) of(slot int, began time.Time) (events []event, steps []step) {
	for _, e := range s {
		switch {
		case e.Slot != slot || e.Fault > setClock:
		case e.Fault == setClock:
			steps = append(steps, step{began.Add(e.At), e.By})
		default:
			events = append(events, e)
		}
	}
	return events, steps
}

// String lists the events.
func (s schedule) String() string {
	var all []string
	for _, e := range s {
		all = append(all, e.String())
	}
	return text.WrapSoft(strings.Join(all, "; "), 130) + "\n"
}
