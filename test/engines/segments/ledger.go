package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// A ledger is what a process has taken from the store, as it stands in shared memory: each range is
// noted before the write is sent. It is written by the one call of the store that a generator has at
// a time.
type ledger struct {
	calls       atomic.Int64 // of the store that are on their way
	takes       atomic.Int64 // ranges taken
	taken       atomic.Int64 // numbers in them
	given       atomic.Int64 // numbers given back
	keptReplies atomic.Int64 // of the takes, those whose reply was lost, but that the row had
	lostReplies atomic.Int64 // writes whose outcome the process was not told
	noRoom      atomic.Int64 // calls that were not made, for want of room
	overflow    atomic.Int64 // ranges for which there was no room
	spans       [32]span
	history
	// drawing has for each goroutine that draws the oldest take of which it may have numbers that
	// are not marked yet, or idle.
	drawing [drawers]atomic.Int64
}

// drawers is how many goroutines draw, and idle is later than all takes.
const (
	drawers = 2
	idle    = math.MaxInt64
)

// A span is a range of numbers, and what the process knows of it.
type span struct {
	state       atomic.Int64 // written last; what follows means nothing while it is free
	first, last atomic.Int64
	nth         atomic.Int64 // of all takes
}

// States of a span.
const (
	isFree  = iota
	isOpen  // it may have been taken
	isTaken // it was taken; there may be numbers that are not marked yet
	isBack  // it was taken, and may have been given back
)

func (s *span) len() int64 { return s.last.Load() - s.first.Load() + 1 }

// add notes a range. It returns nil when there is no room.
func (l *ledger) add(state, first, last int64) *span {
	for i := range l.spans {
		if s := &l.spans[i]; s.state.Load() == isFree {
			s.first.Store(first)
			s.last.Store(last)
			s.state.Store(state)
			return s
		}
	}
	l.overflow.Add(1)
	return nil
}

// all returns the spans in a state.
func (l *ledger) all(state int64) (some []*span) {
	for i := range l.spans {
		if s := &l.spans[i]; s.state.Load() == state {
			some = append(some, s)
		}
	}
	return some
}

// full reports whether there is no room for one more range: while a goroutine that draws gets no
// processor, the others may use up any number of ranges, and all are kept.
func (l *ledger) full() bool {
	l.forget()
	return len(l.all(isFree)) == 0
}

// took notes that a range was taken, and forgets those whose numbers are all marked.
func (l *ledger) took(s *span) {
	l.taken.Add(s.len())
	s.nth.Store(l.takes.Add(1))
	s.state.Store(isTaken)
	l.forget()
}

// forget forgets the ranges whose numbers are all marked.
func (l *ledger) forget() {
	from := l.oldest()
	for i := range l.drawing {
		from = min(from, l.drawing[i].Load())
	}
	for _, old := range l.all(isTaken) {
		if old.nth.Load() < from {
			old.state.Store(isFree)
		}
	}
}

// oldest returns the oldest take of which the generator can have numbers: a generator has those of
// two takes at most.
func (l *ledger) oldest() int64 {
	var latest, before int64
	for _, s := range l.all(isTaken) {
		if n := s.nth.Load(); n > latest {
			latest, before = n, latest
		} else {
			before = max(before, n)
		}
	}
	return before
}

// begin is called when a goroutine is about to draw, and end when all that it has drawn is marked.
func (l *ledger) begin(drawer int) { l.drawing[drawer].Store(l.oldest()) }
func (l *ledger) end(drawer int)   { l.drawing[drawer].Store(idle) }

// gave notes that the numbers from first on were given back.
func (l *ledger) gave(first, last int64) {
	l.given.Add(last - first + 1)
	for _, s := range l.all(isTaken) {
		if s.last.Load() >= first {
			s.last.Store(first - 1)
		}
		if s.len() < 1 {
			s.state.Store(isFree)
		}
	}
}

// newest returns the last number that was taken for certain, or 0.
func (l *ledger) newest() (n int64) {
	for _, s := range l.all(isTaken) {
		n = max(n, s.last.Load())
	}
	return n
}

// inHand returns at most how many numbers are taken and were not issued. Of those that may
// have been taken, it counts all.
func (p *progress) inHand() (n int64) {
	n = p.taken.Load() - p.given.Load() - p.issued.Load()
	for _, s := range p.all(isOpen) {
		n += s.len()
	}
	return n
}

// A noting is a store that notes in the ledger what its one generator does.
type noting struct {
	segment.Store
	*ledger

	nonce string // of the generator, once it has taken
	knows bool   // the row that was read last tells what the generator has taken
}

// errFull is returned instead of a call whose range could not be noted. The generator tries
// again; a call that waits for its numbers fails, so that what it has drawn before is marked.
var errFull = worker.Transient(errors.New("the ledger is full: numbers that were drawn are not marked yet"))

func (s *noting) Change(ctx context.Context, tag string, decide func(*segment.Row) error) error {
	s.calls.Add(1)
	defer s.calls.Add(-1)
	if s.full() {
		s.noRoom.Add(1)
		return errFull
	}
	var mine *span
	var was *decision
	err := s.Store.Change(ctx, tag, func(row *segment.Row) error {
		if mine != nil { // the write that an earlier run has decided was refused
			mine.state.Store(isFree)
			mine = nil
			was.outcome.Store(raced)
		}
		s.look(row)
		next := max(row.Next, 1)
		if err := decide(row); err != nil {
			return err
		}
		switch {
		case row.Next > next:
			mine = s.add(isOpen, next, row.Next-1)
			was = s.decided(toTake, next, row.Next-1)
			s.nonce = row.Takers[len(row.Takers)-1].Nonce
		case row.Next < next:
			mine = s.add(isBack, row.Next, next-1)
			was = s.decided(toGive, row.Next, next-1)
		}
		return nil
	})
	if mine == nil {
		return err
	}
	was.outcome.Store(stored)
	switch {
	case err != nil:
		was.outcome.Store(unknown)
		s.lostReplies.Add(1)
	case mine.state.Load() == isBack:
		s.gave(mine.first.Load(), mine.last.Load())
		mine.state.Store(isFree)
		s.settle()
	default:
		s.took(mine)
		s.settle()
	}
	return err
}

// look finds what has become of takes whose outcome is open.
func (s *noting) look(row *segment.Row) {
	i := slices.IndexFunc(row.Takers, func(t segment.Taker) bool { return t.Nonce == s.nonce })
	s.knows = i >= 0 || len(row.Takers) < segment.MaxTakers
	if i < 0 {
		return
	}
	for _, o := range s.all(isOpen) {
		if o.last.Load() == row.Takers[i].Last {
			s.took(o)
			s.keptReplies.Add(1)
		}
	}
}

// settle forgets the takes that the row did not have when it was written again: they will never
// be stored.
func (s *noting) settle() {
	for _, o := range s.all(isOpen) {
		if s.knows {
			o.state.Store(isFree)
		}
	}
}
