package worker

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/internal/workerid"
)

// Static returns a worker with a fixed ID and with all ticks reserved. What was issued is kept in the process's memory
// alone. UIDs can repeat when
//
//   - another process has the same ID, or a Static of another space in this one;
//   - the process restarts before the clock has passed the last tick that it issued: that of its end, or one up to
//     MaxLead later, of which Close warns ([uid.UnkeptError]);
//   - the clock went back across a restart.
//
// statefile.New(path, worker.FixedID(1)) is a number that survives a restart: its file covers the second and third
// case, and the first among processes that use it.
//
// Name a space for each of two Statics whose UIDs may be equal, such as the keys of two tables:
//
//	orders, err := cached.New(worker.Static(1, "orders"), cached.Config{})
//	events, err := cached.New(worker.Static(1, "events"), cached.Config{})
//
// Statics that name no space share one. All Statics of one space, ID and layout act as one: while a
// generator is open, a second one is refused, and one that begins after its Close goes on above it, perhaps ahead of
// the clock. A generator that was dropped without Close keeps its ID.
//
// Acquire returns [uid.ErrRange] when the layout does not hold id, [uid.ErrWorkerInUse] while another generator has the
// worker, or its ID in the space, [ErrLayout] when an earlier one has issued UIDs of another layout, [uid.ErrExhausted]
// when an earlier one has used the last tick, [uid.ErrConfig] for more than one space or an empty one, and the
// context's error. Any number of goroutines may call all methods at once.
func Static(id int64, space ...string) uid.Worker { return newStatic(FixedID(id), space, caller()) }

// FromSource is [Static] for an ID that s gives each time a generator is made. Acquire returns the source's error, too.
func FromSource(s Source, space ...string) uid.Worker { return newStatic(s, space, caller()) }

func newStatic(source Source, in []string, made string) *static {
	s := &static{source: source, binding: workerid.NewBinding("the static worker"), made: made}
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
	binding  *workerid.Binding

	mu    sync.Mutex // guards the rest: two generators may try to bind at once
	terms uid.Terms  // of the generator that is or was bound
	claim claim      // its
	next  int64      // the first tick above all that earlier generators have issued

	reservation uid.Reservation
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
	return s.reservation, nil
}

// take asks the source for an ID, and begins above what was issued before. s.mu is held.
func (s *static) take(t uid.Terms) error {
	id, err := workerid.Ask(s.source, t.MaxWorkerID)
	switch {
	case err != nil:
		return err
	case s.next > 0 && s.claim.layout != t.Layout:
		return fmt.Errorf("%w: worker ID %d issued UIDs of %s, now asked for %s",
			ErrLayout, s.claim.id, s.claim.layout, t.Layout)
	}
	c := claim{s.space, t.Layout, id}
	first, err := c.take(s.made, max(s.next, t.MinTick), t.MaxTick)
	if err != nil {
		return err
	}
	s.terms, s.claim = t, c
	s.reservation = uid.Reservation{WorkerID: id, First: first, Last: math.MaxInt64, Renew: math.MaxInt64}
	return nil
}

func (s *static) Extend(context.Context, int64) (uid.Reservation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.binding.Check(); err != nil {
		return uid.Reservation{}, err
	}
	return s.reservation, nil
}

// Release returns a [uid.UnkeptError] when another process that begins now could issue the same.
//
// One that begins in the running tick could, too, and nothing is said of that: whatever Close did about it would
// be a second's wait, or a warning at the end of every short program. Nor does a start wait for the next tick: each
// program and each package's tests would, up to a second. To begin in the next tick without a wait is no cure: of
// three starts within a tick two begin alike.
func (s *static) Release(_ context.Context, last int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.binding.Unbind(); err != nil {
		return err
	}
	next, now := s.claim.free(min(last, s.terms.MaxTick)+1), settings.Clock(s.terms.Now)()
	if last >= 0 {
		s.next = next
	}
	if next <= s.terms.TickAt(now)+1 {
		return nil
	}
	return &uid.UnkeptError{WorkerID: s.claim.id, Until: now.Add(ticks.Until(s.terms, now, next)).UTC()}
}
