package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/harness"
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
	noted       atomic.Int64 // how many of spans are used
	from        atomic.Int64 // the numbers of the spans before are all marked
	spans       [1 << 14]span
	// drawing has for each goroutine that draws the oldest span of which it may have numbers that
	// are not marked yet, or idle.
	drawing [drawers]atomic.Int64
}

// drawers is how many goroutines draw, and idle is later than all spans.
const (
	drawers = 2
	idle    = math.MaxInt64
)

// A span is a range of numbers, and what the process knows of it.
type span struct{ state, first, last atomic.Int64 }

// States of a span.
const (
	isNone  = iota // it was not taken, or given back
	isOpen         // it may have been taken
	isTaken        // it was taken
	isBack         // it was taken, and may have been given back
)

func (s *span) len() int64 { return s.last.Load() - s.first.Load() + 1 }

// all returns the spans in a state. Of the taken ones these are those of which there may be numbers that
// are not marked yet.
func (l *ledger) all(state int64) (some []*span) {
	for i := range l.noted.Load() {
		if s := &l.spans[i]; s.state.Load() == state && (state != isTaken || i >= l.from.Load()) {
			some = append(some, s)
		}
	}
	return some
}

var errFull = errors.New("the ledger is full")

// add notes a range.
func (l *ledger) add(state, first, last int64) (*span, error) {
	n := l.noted.Load()
	if n == int64(len(l.spans)) {
		return nil, errFull
	}
	s := &l.spans[n]
	s.first.Store(first)
	s.last.Store(last)
	s.state.Store(state)
	l.noted.Store(n + 1)
	return s, nil
}

// took notes that a range was taken, and forgets those whose numbers are all marked.
func (l *ledger) took(s *span) {
	l.taken.Add(s.len())
	l.takes.Add(1)
	s.state.Store(isTaken)
	from := l.oldest()
	for i := range l.drawing {
		from = min(from, l.drawing[i].Load())
	}
	harness.Raise(&l.from, from)
}

// oldest returns the oldest span of which the generator can have numbers: a generator has those of two
// takes at most.
func (l *ledger) oldest() int64 {
	found := 0
	for i := l.noted.Load() - 1; i >= l.from.Load(); i-- {
		if l.spans[i].state.Load() == isTaken {
			if found++; found == 2 {
				return i
			}
		}
	}
	return l.from.Load()
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
			s.state.Store(isNone)
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

// A noting is a store that notes in the ledger what its one generator does.
type noting struct {
	segment.Store
	*ledger

	log   io.Writer // of its decisions
	nonce string    // of the generator, once it has taken
	knows bool      // the row that was read last tells what the generator has taken
}

func (s *noting) Change(ctx context.Context, tag string, decide func(*segmentstore.Row) error) error {
	s.calls.Add(1)
	defer s.calls.Add(-1)
	var mine *span
	err := s.Store.Change(ctx, tag, func(row *segmentstore.Row) (err error) {
		if mine != nil { // the write that an earlier run has decided was refused
			mine.state.Store(isNone)
			mine = nil
		}
		s.look(row)
		next := max(row.Next, 1)
		if err := decide(row); err != nil {
			return err
		}
		switch {
		case row.Next > next:
			mine, err = s.add(isOpen, next, row.Next-1)
			s.nonce = row.Takers[len(row.Takers)-1].Nonce
		case row.Next < next:
			mine, err = s.add(isBack, row.Next, next-1)
		}
		return err
	})
	if mine == nil {
		return err
	}
	back := mine.state.Load() == isBack
	fmt.Fprintf(s.log, decided+" (back: %t, error: %v)\n", mine.first.Load(), mine.last.Load(), back, err)
	switch {
	case err != nil:
		s.lostReplies.Add(1)
		return err
	case back:
		s.gave(mine.first.Load(), mine.last.Load())
		mine.state.Store(isNone)
	default:
		s.took(mine)
	}
	// Takes that the row did not have when it was written again will never be stored.
	for _, o := range s.all(isOpen) {
		if s.knows {
			o.state.Store(isNone)
		}
	}
	return nil
}

// decided is how a process logs a range that it takes or gives back.
const decided = "decided about %d to %d"

// look finds what has become of takes whose outcome is open.
func (s *noting) look(row *segmentstore.Row) {
	i := slices.IndexFunc(row.Takers, func(t segmentstore.Taker) bool { return t.Nonce == s.nonce })
	s.knows = i >= 0 || len(row.Takers) < segmentstore.MaxTakers
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
