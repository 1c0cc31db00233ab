package worker

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/binding"
	"github.com/uidgen/uid/internal/workerid"
)

// Static returns a worker with a fixed ID and with all ticks reserved. It stores nothing. A later generator on the same
// worker starts above the last tick of the earlier ones, which may lie ahead of the clock.
//
// UIDs can repeat when
//
//   - another process has the same ID, or a Static of another space in this one;
//   - the process restarts before the clock has passed the last tick that it issued: that of its end, or up to the
//     generator's MaxLead later;
//   - the clock went back across a restart.
//
// statefile.New(path, worker.FixedID(1)) is a number that survives a restart: it covers the second and third case, and
// the first among processes that use the same file.
//
// Name a space for each of two Statics whose UIDs may be equal, such as the keys of two tables:
//
//	orders, err := cached.New(worker.Static(1, "orders"), cached.Config{})
//	events, err := cached.New(worker.Static(1, "events"), cached.Config{})
//
// Statics that name no space share one. All Statics of one space, ID and layout act as one: while a
// generator is open, a second one is refused, and one that begins after its Close goes on above it. A generator that
// was dropped without Close keeps its ID.
//
// Acquire returns [uid.ErrRange] when the layout does not hold id, [uid.ErrWorkerInUse] while another generator is
// bound to the worker or to its ID in the space, [ErrLayout] when an earlier one has issued UIDs of another layout,
// [uid.ErrExhausted] when an earlier one has used the last tick, [uid.ErrConfig] for more than one space or an empty
// one, and the context's error. Any number of goroutines may call all methods at once.
func Static(id int64, space ...string) uid.Worker { return newStatic(FixedID(id), space, caller()) }

// FromSource is [Static], with the same limits, for an ID that s gives each time a generator is made. Acquire returns
// the source's error, too.
func FromSource(s Source, space ...string) uid.Worker { return newStatic(s, space, caller()) }

func newStatic(source Source, in []string, made string) *static {
	s := &static{source: source, binding: binding.New("the static worker"), made: made, last: -1}
	switch {
	case len(in) > 1:
		s.unusable = fmt.Errorf("%w: %d spaces for one worker: %.100q", uid.ErrConfig, len(in), in)
	case len(in) == 1 && in[0] == "":
		s.unusable = fmt.Errorf("%w: a space without a name", uid.ErrConfig)
	case len(in) == 1:
		s.space = in[0]
	}
	return s
}

type static struct {
	source   Source
	space    string // "" for the one of all workers that name none
	made     string
	unusable error // why the worker cannot be acquired, nil if it can
	binding  *binding.Binding

	mu    sync.Mutex // guards the rest: two generators may try to bind at once
	claim claim      // of the generator that is or was bound
	first int64      // first tick of the generator that is bound
	floor int64      // last tick that its floor rules out, -1 for none
	last  int64      // largest tick issued by earlier generators, -1 for none
}

func (s *static) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if err := ctx.Err(); err != nil {
		return uid.Reservation{}, fmt.Errorf("acquire a static worker ID: %w", err)
	}
	if s.unusable != nil {
		return uid.Reservation{}, s.unusable
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
	id, err := workerid.Ask(s.source, t.MaxWorkerID)
	switch {
	case err != nil:
		return err
	case s.last >= 0 && s.claim.layout != t.Layout:
		return fmt.Errorf("%w: worker ID %d issued UIDs of %s, now asked for %s",
			ErrLayout, s.claim.id, s.claim.layout, t.Layout)
	}
	now := claim{s.space, t.Layout, id}
	used, err := claims.take(now, s.made)
	if err != nil {
		return err
	}
	used = max(used, s.last)
	if used >= t.MaxTick {
		claims.free(now, -1)
		return fmt.Errorf("%w: worker ID %d has used tick %d, the last one is %d",
			uid.ErrExhausted, id, used, t.MaxTick)
	}
	s.claim, s.first, s.floor = now, max(used+1, t.MinTick), t.MinTick-1
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
	last = max(last, s.floor)
	s.last = max(s.last, last)
	claims.free(s.claim, last)
	return nil
}

func (s *static) reservation() uid.Reservation {
	return uid.Reservation{WorkerID: s.claim.id, First: s.first, Last: math.MaxInt64, Renew: math.MaxInt64}
}
