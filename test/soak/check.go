package main

import (
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/harness"
)

// grace is how long UIDs may be further behind the clock than MaxLag: a process that shares
// two cores with a dozen others does not run its timers in time.
const grace = 2 * time.Second

// A checker marks the UIDs that one goroutine draws, and checks them against the promise.
// Only note is cheap enough for every UID: it costs little more than the OR.
type checker struct {
	memory  *memory
	clock   *clock
	drawer  harness.Drawer
	granted *grants
	ordered bool    // each UID is to be larger than the one before
	lag     int64   // how many ticks UIDs may be behind the clock
	lead    int64   // how many ticks UIDs may be ahead of it
	logical bool    // the reservation, too, moves the clock that the lead counts from
	numbers bool    // they are no UIDs, and have no time and no worker ID
	foreign bool    // another process has made the UIDs
	ledger  *ledger // of who draws numbers by himself
	grace   time.Duration

	base    uid.UID
	size    uint64
	seqBits uint8

	prev uid.UID
	run  int64 // of prev

	lateSince time.Duration // when the goroutine began to get UIDs from too far behind
	late      bool
}

// note marks a UID that was just drawn.
func (c *checker) note(u uid.UID) {
	if c.numbers {
		c.memory.MarkNumber(int64(u), c.drawer)
		c.prev = u
		return
	}
	bit := uint64(u - c.base)
	if bit >= c.size {
		c.memory.Report(harness.Outside, c.drawer, u, c.memory.First)
		return
	}
	if run := int64(bit >> c.seqBits); run != c.run && !c.foreign {
		c.enter(run, u)
	}
	if u <= c.prev && c.ordered {
		c.memory.Report(harness.Disorder, c.drawer, u, int64(c.prev))
	}
	c.prev = u
	c.memory.Set(int64(bit), u, c.drawer)
}

// enter checks once what the UIDs of a tick and worker ID have in common.
func (c *checker) enter(run int64, u uid.UID) {
	c.run = run
	m := c.memory
	m.Enter(run, u, c.drawer)
	tick, workerID := m.Run(run)

	granted, begun, ok := c.granted.of(workerID)
	switch {
	case !ok:
		m.Report(harness.ForeignID, c.drawer, u, 0)
	case tick < granted.First || tick > granted.Last:
		m.Report(harness.Unreserved, c.drawer, u, granted.Last)
	}

	elapsed := c.clock.elapsed()
	ahead := c.clock.ahead(elapsed)
	if c.logical { // it begins where its reservation does, and does not fall behind it
		ahead = max(ahead, begun)
	}
	if newest := m.Layout.TickAt(c.clock.at(elapsed+ahead)) + c.lead; tick > newest {
		m.Report(harness.Early, c.drawer, u, newest)
	}
}

// timely checks the last UID against the clock. The call ran between from and to, and the
// process was not paused in between.
func (c *checker) timely(from, to time.Duration) {
	tick, _ := c.memory.Run(c.run)
	oldest := c.memory.Layout.TickAt(c.clock.low(from, to)) - c.lag
	switch {
	case tick >= oldest:
		c.late = false
	case !c.late:
		c.late, c.lateSince = true, from
		fallthrough
	default:
		if from-c.lateSince >= c.grace {
			c.memory.Report(harness.Late, c.drawer, c.prev, oldest)
		}
	}
}
