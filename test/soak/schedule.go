package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A fault is something that the schedule does to processes, databases and connections.
type fault int

const (
	kill          fault = iota // kill -9
	pause                      // SIGSTOP, and SIGCONT (or kill -9) after some time
	restart                    // in good order
	setClock                   // of a slot, its processes to come included
	serverKill                 // kill -9 of the durable server, and a start
	cut                        // all connections to a server
	delay                      // replies of a server, for some time
	swallowReply               // to a write
	swallowCommit              // before the server has it
	failover                   // to a replica that lacks what was committed last
	rename                     // a table of leases, and put it back
	truncate                   // one, and make its namespace anew
	restore                    // what one held some time ago
	vanish                     // rows of IDs, and put them back
	edit                       // a row
	faults
)

func (f fault) String() string {
	return [...]string{
		"kill", "pause", "restart", "clock", "server kill", "cut", "delay", "lost reply", "lost commit", "failover",
		"rename", "truncate", "restore", "vanish", "edit",
	}[f]
}

// every is how much time there is for each fault of a kind in a round.
var every = [faults]time.Duration{
	kill:          1100 * time.Millisecond,
	pause:         4 * time.Second,
	restart:       8 * time.Second,
	setClock:      3 * time.Second,
	serverKill:    19 * time.Second,
	cut:           12 * time.Second,
	delay:         12 * time.Second,
	swallowReply:  10 * time.Second,
	swallowCommit: 20 * time.Second,
	failover:      time.Minute,
	rename:        15 * time.Second,
	truncate:      time.Minute,
	restore:       time.Minute,
	vanish:        20 * time.Second,
	edit:          4 * time.Second,
}

// An event is a fault at a time.
type event struct {
	At    time.Duration `json:"at"` // since the round's start
	Fault fault         `json:"-"`
	Slot  int           `json:"slot"`            // of a process, or -1
	Store string        `json:"store,omitempty"` // of a connection
	// For is how long a process stays paused, or a slot empty after a kill or a restart,
	// or a server down, or replies are delayed, or a table away, or how old a state is that
	// comes back.
	For time.Duration `json:"for,omitempty"`
	// By is what a clock is off from then on, or the delay of each reply.
	By time.Duration `json:"by,omitempty"`
	// Kill ends a pause.
	Kill bool `json:"kill,omitempty"`
	// Table is what the operator's hand is on, and Row chooses among its rows.
	Table leaseTable `json:"-"`
	Row   int        `json:"row,omitempty"`
	Edit  alteration `json:"-"`
}

// queue names those of a store's faults that come one after the other; a process's are
// its slot's.
func (e event) queue() string {
	switch {
	case e.Fault == serverKill:
		return mariadb
	case e.Fault == failover:
		return pair
	case e.Fault >= rename:
		return e.Table.store
	case e.Fault == delay:
		return "delays"
	}
	return "connections"
}

func (e event) String() string {
	switch e.Fault {
	case pause:
		if e.Kill {
			return fmt.Sprintf("pause %d %v and kill", e.Slot, e.For)
		}
		return fmt.Sprintf("pause %d %v", e.Slot, e.For)
	case kill, restart:
		return fmt.Sprintf("%v %d +%v", e.Fault, e.Slot, e.For)
	case setClock:
		return fmt.Sprintf("clock %d %v", e.Slot, e.By)
	case serverKill:
		return fmt.Sprintf("%v +%v", e.Fault, e.For)
	case delay:
		return fmt.Sprintf("delay %s %v for %v", e.Store, e.By, e.For)
	case cut, swallowReply, swallowCommit:
		return fmt.Sprintf("%v %s", e.Fault, e.Store)
	case rename, restore, vanish:
		return fmt.Sprintf("%v %s %v", e.Fault, e.Table.namespace, e.For)
	case truncate:
		return fmt.Sprintf("%v %s", e.Fault, e.Table.namespace)
	case edit:
		return fmt.Sprintf("%v %s: %v", e.Fault, e.Table.namespace, e.Edit)
	}
	return e.Fault.String()
}

// A schedule is what happens in a round, in order.
type schedule []event

// The schedule leaves the processes some time to begin, and to end.
const (
	quietStart = 2 * time.Second
	quietEnd   = 3 * time.Second
	// settling is the time that a process has after a fault before the next one.
	settling = 300 * time.Millisecond
	// handSettling is the time that a store has after the operator's hand, or before it.
	handSettling = time.Second
	// failoverSpan is how long before a failover its replica falls behind.
	failoverSpan = 1500 * time.Millisecond
)

// newSchedule makes the schedule of a round, which follows from its arguments.
func newSchedule(seed uint64, round int, length time.Duration, slots []slot) schedule {
	p := planner{
		rand: rand.New(rand.NewPCG(seed, uint64(round))), slots: slots, busy: make([][]span, len(slots)), held: map[string][]span{},
		from: quietStart, to: length - quietEnd,
	}
	if p.to <= p.from {
		return nil
	}
	p.failovers()
	var connected []string
	for _, s := range slots {
		if (s.Store == mariadb || s.Store == pair) && !slices.Contains(connected, s.Store) {
			connected = append(connected, s.Store)
		}
	}
	if len(connected) > 0 {
		p.databases(connected)
	}
	p.hand(leaseTables(slots))
	p.processes(p.spread(kill, pause, restart))
	for _, e := range p.spread(setClock) {
		e.Slot = p.rand.IntN(len(slots))
		stray := slots[e.Slot].Stray
		e.By = p.between(-stray, stray)
		p.all = append(p.all, e)
	}
	slices.SortStableFunc(p.all, func(a, b event) int { return cmp.Compare(a.At, b.At) })
	return p.all
}

// databases plans what happens to servers and connections.
func (p *planner) databases(stores []string) {
	if slices.Contains(stores, mariadb) {
		for _, e := range p.evenly(serverKill) {
			e.For = p.between(50*time.Millisecond, 2500*time.Millisecond)
			p.held[mariadb] = append(p.held[mariadb], span{e.At, e.At + e.For + handSettling})
			p.all = append(p.all, e)
		}
	}
	for _, e := range p.spread(cut, delay, swallowReply, swallowCommit) {
		e.Store = stores[p.rand.IntN(len(stores))]
		if e.Fault == delay {
			e.For, e.By = p.between(300*time.Millisecond, 3*time.Second), p.between(20*time.Millisecond, 4*time.Second)
		}
		p.all = append(p.all, e)
	}
}

type planner struct {
	rand     *rand.Rand
	slots    []slot
	busy     [][]span          // by slot: its faults
	held     map[string][]span // by store: those of the server, and the operator's
	from, to time.Duration
	all      schedule
}

// A span of time.
type span struct{ from, to time.Duration }

// idle reports whether a slot has no other fault in the time that an event takes.
func (p *planner) idle(slot int, e event) bool {
	return !slices.ContainsFunc(p.busy[slot], func(s span) bool { return s.from < e.At+e.For+settling && e.At < s.to })
}

// add plans an event of a process.
func (p *planner) add(e event) {
	p.busy[e.Slot] = append(p.busy[e.Slot], span{e.At, e.At + e.For + settling})
	p.all = append(p.all, e)
}

// failovers plans them together with kills just after them.
func (p *planner) failovers() {
	if !slices.ContainsFunc(p.slots, func(s slot) bool { return s.Store == pair }) {
		return
	}
	for _, e := range p.evenly(failover) {
		p.held[pair] = append(p.held[pair], span{e.At - failoverSpan, e.At + 2*handSettling})
		p.all = append(p.all, e)
		p.killAll(e)
	}
}

// killAll plans kills of the processes whose leases an event takes away: it is the next owner
// of a worker ID that has to make up for what the one before had reserved.
func (p *planner) killAll(e event) {
	for i, s := range p.slots {
		if t, leases := s.leases(); leases && (e.Fault == failover && t.store == pair || t == e.Table) {
			p.add(event{At: e.At + e.For + p.between(50*time.Millisecond, 700*time.Millisecond), Fault: kill, Slot: i})
		}
	}
}

// between returns a duration of whole milliseconds.
func (p *planner) between(low, high time.Duration) time.Duration {
	const unit = time.Millisecond
	return low/unit*unit + time.Duration(p.rand.Int64N(int64((high-low)/unit)+1))*unit
}

func (p *planner) count(f fault) int {
	return int(math.Ceil(float64(p.to-p.from) / float64(every[f])))
}

// spread returns events of some kinds at any times, in order.
func (p *planner) spread(of ...fault) []event {
	var events []event
	for _, f := range of {
		for range p.count(f) {
			events = append(events, event{At: p.between(p.from, p.to), Fault: f, Slot: -1})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.At, b.At) })
	return events
}

// evenly returns events of one kind that keep a distance from each other.
func (p *planner) evenly(f fault) []event {
	n := p.count(f)
	part := (p.to - p.from) / time.Duration(n)
	var events []event
	for i := range n {
		at := p.from + time.Duration(i)*part + p.between(part/8, part*5/8)
		events = append(events, event{At: at, Fault: f, Slot: -1})
	}
	return events
}

// processes gives each event a process that is not busy with another one, a little later
// if need be.
func (p *planner) processes(events []event) {
	for _, e := range events {
		switch {
		case e.Fault == pause:
			e.For, e.Kill = p.between(leaseTTL, 3*leaseTTL), p.rand.IntN(4) == 0
		case p.rand.IntN(5) == 0:
			e.For = p.between(0, 2*leaseTTL) // now and then until a lease has ended
		default:
			e.For = p.between(0, 50*time.Millisecond)
		}
		var idle []int
		for ; len(idle) == 0; e.At += settling {
			for i := range p.slots {
				if p.idle(i, e) {
					idle = append(idle, i)
				}
			}
		}
		e.At -= settling
		e.Slot = idle[p.rand.IntN(len(idle))]
		p.add(e)
	}
}

// hand plans what the operator does to tables of leases, to one of a store at a time, and
// not while its server is away or loses commits.
func (p *planner) hand(tables []leaseTable) {
	for _, e := range p.spread(rename, truncate, restore, vanish, edit) {
		var able []leaseTable
		for _, t := range tables {
			// Whoever removes or sets back rows says that the store is not durable.
			if e.Fault != truncate && e.Fault != restore || !t.durable {
				able = append(able, t)
			}
		}
		if len(able) == 0 {
			continue
		}
		e.Table, e.Row = able[p.rand.IntN(len(able))], p.rand.IntN(1<<16)
		switch e.Fault {
		case rename, vanish:
			e.For = p.between(100*time.Millisecond, time.Second)
		case restore:
			e.For = p.between(500*time.Millisecond, 4*time.Second)
		case edit:
			if e.Edit = alteration(p.rand.IntN(int(alterations))); e.Edit == releaseLease && !e.Table.durable {
				e.Edit = endLease
			}
		}
		store := e.Table.store
		for slices.ContainsFunc(p.held[store], func(s span) bool { return s.from < e.At+e.For+handSettling && e.At < s.to }) {
			e.At += settling
		}
		p.held[store] = append(p.held[store], span{e.At, e.At + e.For + 2*handSettling})
		p.all = append(p.all, e)
		if e.Fault == restore || e.Fault == truncate && e.Row%2 == 0 {
			p.killAll(e)
		}
	}
}

// planned returns how many faults of each kind there are.
func (s schedule) planned() (n [faults]int) {
	for _, e := range s {
		n[e.Fault]++
		if e.Fault == pause && e.Kill {
			n[kill]++
		}
	}
	return n
}

// of returns the events of one slot's processes.
func (s schedule) of(slot int) (events []event) {
	for _, e := range s {
		if e.Slot == slot && e.Fault <= restart {
			events = append(events, e)
		}
	}
	return events
}

// clock returns the steps of one slot's clock.
func (s schedule) clock(slot int) (steps []step) {
	for _, e := range s {
		if e.Slot == slot && e.Fault == setClock {
			steps = append(steps, step{e.At, e.By})
		}
	}
	return steps
}

// String lists the events, a paragraph for every ten seconds.
func (s schedule) String() string {
	const span, width = 10 * time.Second, 130
	var b strings.Builder
	current, column := time.Duration(-1), 0
	for _, e := range s {
		if begin := e.At.Truncate(span); begin != current {
			if current >= 0 {
				b.WriteByte('\n')
			}
			current = begin
			column, _ = fmt.Fprintf(&b, "%5s", clockTime(begin))
		}
		text := fmt.Sprintf("  %.3f %v", (e.At - current).Seconds(), e)
		if column+len(text) > width {
			b.WriteString("\n     ")
			column = 5
		}
		b.WriteString(text)
		column += len(text)
	}
	b.WriteByte('\n')
	return b.String()
}

func clockTime(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}
