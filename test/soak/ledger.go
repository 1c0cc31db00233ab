package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
)

// maxLedgers is how many processes that draw numbers a round can have, one after another.
const maxLedgers = 1 << 13

// A ledger is what a process that draws numbers has taken from the store, as it stands in shared memory: each range is
// noted before the write is sent, so that it is known what a process that was killed may have had in hand. It is
// written by the one call of the store that a generator has at a time.
type ledger struct {
	issued  atomic.Int64 // numbers that were drawn and marked
	highest atomic.Int64 // of them
	lost    atomic.Int64 // calls that failed with segment.ErrLost
	revived atomic.Int64 // calls that returned a number after that
	ended   atomic.Int64 // 1 after Close,
	had     atomic.Int64 // and how many numbers the generator says that it has not issued

	calls atomic.Int64 // of the store that are on their way
	takes atomic.Int64 // ranges taken
	taken atomic.Int64 // numbers in them
	given atomic.Int64 // numbers given back
	noted atomic.Int64 // how many of spans are used
	spans [1 << 11]span
}

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

// drew notes that numbers were drawn and marked.
func (l *ledger) drew(n int, last uid.UID) {
	if n > 0 {
		l.issued.Add(int64(n))
		harness.Raise(&l.highest, int64(last))
		if l.lost.Load() > 0 {
			l.revived.Add(1)
		}
	}
}

// end notes what a generator that was closed says of itself.
func (l *ledger) end(h health.Health) {
	l.had.Store(h.Buffered + int64(h.Counts[telemetry.NumbersDropped]))
	l.ended.Store(1)
}

// all returns the spans in a state.
func (l *ledger) all(state int64) (some []*span) {
	for i := range l.noted.Load() {
		if s := &l.spans[i]; s.state.Load() == state {
			some = append(some, s)
		}
	}
	return some
}

// add notes a range.
func (l *ledger) add(state, first, last int64) (*span, error) {
	n := l.noted.Load()
	if n == int64(len(l.spans)) {
		return nil, errors.New("the ledger is full")
	}
	s := &l.spans[n]
	s.first.Store(first)
	s.last.Store(last)
	s.state.Store(state)
	l.noted.Store(n + 1)
	return s, nil
}

// took notes that a range was taken.
func (l *ledger) took(s *span) {
	l.taken.Add(s.len())
	l.takes.Add(1)
	s.state.Store(isTaken)
}

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

// inHand returns at most how many numbers are taken and were not issued. Of those that may
// have been taken, it counts all.
func (l *ledger) inHand() (n int64) {
	n = l.taken.Load() - l.given.Load() - l.issued.Load()
	for _, s := range l.all(isOpen) {
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

func (s *noting) Change(ctx context.Context, tag string, decide func(*storage.Segment) error) error {
	s.calls.Add(1)
	defer s.calls.Add(-1)
	var mine *span
	err := s.Store.Change(ctx, tag, func(row *storage.Segment) (err error) {
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
	if mine == nil || err != nil {
		return err
	}
	if mine.state.Load() == isBack {
		s.gave(mine.first.Load(), mine.last.Load())
		mine.state.Store(isNone)
	} else {
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

// look finds what has become of takes whose outcome is open.
func (s *noting) look(row *storage.Segment) {
	i := slices.IndexFunc(row.Takers, func(t storage.Taker) bool { return t.Nonce == s.nonce })
	s.knows = i >= 0 || len(row.Takers) < storage.MaxTakers
	if i < 0 {
		return
	}
	for _, o := range s.all(isOpen) {
		if o.last.Load() == row.Takers[i].Last {
			s.took(o)
		}
	}
}

// numbers makes a generator of numbers, which gives back now and then what it has in hand, while it is drawn from.
func (p job) numbers(ctx context.Context, l *ledger) (*generator, error) {
	store, _, err := engines.Open(ctx, p.URL)
	if err != nil {
		return nil, err
	}
	lossy, err := store.Segments.Inspect(ctx)
	if err != nil {
		return nil, err
	}
	g, err := segment.New(&noting{Store: store.Segments, ledger: l}, p.Namespace, segment.Config{
		MinStep: 1000, MaxStep: 50_000, Create: true, LossyStore: len(lossy) > 0, Timeout: 2 * time.Second,
		Logger: quiet,
	})
	if err != nil {
		return nil, err
	}
	go func() {
		for !p.Slot.Hoards && l.ended.Load() == 0 {
			time.Sleep(rand.N(600 * time.Millisecond))
			attempt, done := context.WithTimeout(context.Background(), 2*time.Second)
			if _, err := g.Release(attempt); err != nil {
				fmt.Fprintln(os.Stderr, "not given back:", err)
			}
			done()
		}
	}()
	return &generator{Generator: g, ledger: l}, nil
}
