package crew

import (
	"fmt"
	"time"

	"github.com/uidgen/uid/test/record"
	"github.com/uidgen/uid/worker/lease"
)

// A Crew is the processes of a test, and the store that they share. Its methods are called by
// the test's goroutine.
type Crew struct {
	*Memory
	*Members
	Job Job // that each process begins with

	began time.Time
}

// New returns a crew without processes. It ends with the test.
func New(t T, j Job) *Crew {
	t.Helper()
	m, err := NewMemory()
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(m.Close)
	c := &Crew{Memory: m, Members: NewMembers(t), Job: j, began: time.Now()}
	c.Job.First, c.Job.Ticks = c.Memory.First, c.Memory.Ticks
	return c
}

// Start starts a process. Every third one is uncached, and every other one greedy.
func (c *Crew) Start() *Member {
	c.t.Helper()
	j := c.Job
	j.Process = len(c.All)
	j.Uncached, j.Greedy = j.Process%3 == 2, j.Process%2 == 0
	return c.Launch(j, c.File(), c.Processes[j.Process].Issued.Load)
}

// StartAll starts n processes, and waits until each has drawn UIDs.
func (c *Crew) StartAll(n int) (ps []*Member) {
	c.t.Helper()
	for range n {
		ps = append(ps, c.Start())
	}
	for _, p := range ps {
		p.AwaitUIDs(1)
	}
	return ps
}

// GoesOn says whether to inject another fault after so many. Blind workers get them until
// they are found out.
func (c *Crew) GoesOn(done, want int) bool {
	c.t.Helper()
	if !c.Job.Blind {
		return done < want
	}
	if c.Doubles() == 0 && time.Since(c.began) > patience {
		c.t.Fatalf("without reservations, no duplicate after %d faults", done)
	}
	return c.Doubles() == 0
}

// Leases returns how many leases were acquired; TakenOver how many of them from others; Lost how
// many were lost.
func (c *Crew) Leases() int    { return len(c.Happened(lease.Acquired)) + c.TakenOver() }
func (c *Crew) TakenOver() int { return len(c.Happened(lease.TakenOver)) }
func (c *Crew) Lost() int      { return len(c.Happened(lease.Lost)) }

// Replace has an end come to a process that draws UIDs, and starts another one.
func (c *Crew) Replace(end func(*Member)) {
	c.t.Helper()
	end(c.Any())
	c.Start()
}

// Sum is what the processes have come to, together.
type Sum struct {
	Processes                              int
	Issued, NoReservation, Failed, Refused int64
	Leases, TakenOver, Lost                int
	Doubles                                uint64
}

// Sum adds up.
func (c *Crew) Sum() Sum {
	s := Sum{Processes: len(c.All), Leases: c.Leases(), TakenOver: c.TakenOver(), Lost: c.Lost(), Doubles: c.Doubles()}
	for _, p := range c.All {
		at := &c.Processes[p.Number]
		s.Issued += at.Issued.Load()
		s.NoReservation += at.NoReservation.Load()
		s.Failed += at.Failed.Load()
		s.Refused += at.Refused.Load()
	}
	return s
}

// String is the sum in a sentence.
func (s Sum) String() string {
	return fmt.Sprintf("%d processes drew %d UIDs under %d leases, of which %d were taken over and %d lost; %d calls without a reservation, %d other failures, %d starts refused, %d duplicates",
		s.Processes, s.Issued, s.Leases, s.TakenOver, s.Lost, s.NoReservation, s.Failed, s.Refused, s.Doubles)
}

// Check fails the test if a tick was given twice, or, with blind workers, if none was found, or
// if a call failed otherwise than for want of a reservation.
func (c *Crew) Check() {
	c.t.Helper()
	s := c.Sum()
	c.t.Logf("%v", s)
	if s.Failed > 0 {
		c.t.Fatalf("%d calls failed otherwise than for want of a reservation", s.Failed)
	}
	if n := c.Found(record.Outside); n > 0 {
		c.t.Fatalf("%d UIDs of no time that can be", n)
	}
	if c.Job.Blind && s.Doubles == 0 {
		c.t.Fatalf("without reservations this is to find duplicates")
	}
	if texts := c.Texts(); !c.Job.Blind && len(texts) > 0 {
		c.t.Fatalf("duplicates, by the processes that got them: %q", texts)
	}
}

// LostBy returns how many leases a process has lost.
func (c *Crew) LostBy(process int) (n int) {
	for _, e := range c.Happened(lease.Lost) {
		if e.Process.Load() == int64(process) {
			n++
		}
	}
	return n
}
