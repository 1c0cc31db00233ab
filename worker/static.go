package worker

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/binding"
)

// Static returns a worker with a fixed ID, chosen by the caller, and with all ticks reserved. It
// uses no database and keeps nothing on disk.
//
// Acquire returns [uid.ErrRange] when id is negative or above the layout's maximum,
// [uid.ErrWorkerInUse] while another generator is bound to the worker, [ErrLayout] when an
// earlier generator has issued UIDs of another layout, [uid.ErrExhausted] when an earlier one has
// used the last tick, and the context's error when it has ended. A later generator on the same
// worker starts above the last tick of the earlier ones, so that borrowed future is not issued
// again.
//
// Static knows only what happened to this one value, in this one process. It cannot promise
// unique UIDs when
//
//   - another process, or another Static in this one, has the same ID;
//   - the process restarts before the clock has passed the last tick that it issued, which is the
//     tick of its end or up to the generator's MaxLead later;
//   - the clock went back across a restart.
//
// A state file (package worker/statefile) on [FixedID] covers the second and third case, and the
// first among processes that use the same file.
//
// All methods may be called by any number of goroutines at once.
func Static(id int64) uid.Worker { return FromSource(FixedID(id)) }

// FromSource returns a worker like [Static], but takes its ID from s each time a generator is
// made; Acquire returns the source's error, too. What Static cannot promise, it cannot either.
func FromSource(s Source) uid.Worker {
	return &static{source: s, binding: binding.New("the static worker"), last: -1}
}

type static struct {
	source  Source
	binding *binding.Binding

	mu     sync.Mutex // guards the rest: two generators may try to bind at once
	id     int64      // of the generator that is or was bound
	first  int64      // first tick of the generator that is bound
	layout string     // layout of the generator that is bound, or of last
	last   int64      // largest tick issued by earlier generators, -1 for none
}

func (s *static) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if err := ctx.Err(); err != nil {
		return uid.Reservation{}, fmt.Errorf("acquire a static worker ID: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.binding.Take(t.Revoke, func() error { return s.take(t) })
	if err != nil {
		return uid.Reservation{}, err
	}
	return s.reservation(), nil
}

// take asks the source for an ID, and begins above what was issued before. s.mu is held.
func (s *static) take(t uid.Terms) error {
	id, err := s.source.ID(t.MaxWorkerID)
	switch {
	case err != nil:
		return err
	case s.last >= 0 && s.layout != t.Layout:
		return fmt.Errorf("%w: worker ID %d issued UIDs of %s, now asked for %s", ErrLayout, s.id, s.layout, t.Layout)
	case s.last >= t.MaxTick:
		return fmt.Errorf("%w: worker ID %d has used tick %d, the last one is %d", uid.ErrExhausted, s.id, s.last, t.MaxTick)
	}
	s.id, s.first, s.layout = id, s.last+1, t.Layout
	return nil
}

func (s *static) Extend(context.Context, int64) (uid.Reservation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.binding.Check(); err != nil {
		return uid.Reservation{}, err
	}
	return s.reservation(), nil
}

func (s *static) Release(_ context.Context, last int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.binding.Unbind(); err != nil {
		return err
	}
	s.last = max(s.last, last)
	return nil
}

func (s *static) reservation() uid.Reservation {
	return uid.Reservation{WorkerID: s.id, First: s.first, Last: math.MaxInt64, Renew: math.MaxInt64}
}
