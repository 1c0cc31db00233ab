package worker

import (
	"context"
	"fmt"
	"math"
	"path"
	"runtime"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/internal/workerid"
)

// Static returns a worker with a fixed ID and with all ticks reserved. Only the process's memory keeps those that were
// issued. UIDs can repeat when
//
//   - another process has the same ID, or a Static of another space in this one;
//   - the process restarts before the clock has passed the last tick that it issued: that of its end, or one up to
//     MaxLead later, of which Close warns ([uid.UnkeptError]);
//   - the clock went back across a restart.
//
// The file of statefile.New(path, worker.FixedID(1)) excludes the second and third case, and the first among processes
// that use it.
//
// Name a space for each of two Statics whose UIDs may be equal, such as the keys of two tables:
//
//	orders, err := cached.New(worker.Static(1, "orders"), cached.Config{})
//	events, err := cached.New(worker.Static(1, "events"), cached.Config{})
//
// Statics that name no space share one. All Statics of one space, ID and layout act as one: while a
// generator is open, a second one is refused, and one that begins after its Close issues larger UIDs, perhaps ahead of
// the clock. A generator that was dropped without Close keeps its ID.
//
// Acquire returns [uid.ErrRange] when the layout does not hold id, [uid.ErrWorkerInUse] while another generator has the
// worker, or its ID in the space, [ErrLayout] when an earlier one has issued UIDs of another layout, [uid.ErrExhausted]
// when an earlier one has used the last tick, [uid.ErrConfig] for more than one space or an empty one, and the
// context's error. Any number of goroutines may call all methods at once.
func Static(id int64, space ...string) uid.Worker { return newStatic(FixedID(id), space, caller()) }

// FromSource is [Static] for an ID that s returns each time a generator is made. Acquire can return the source's error.
func FromSource(s Source, space ...string) uid.Worker { return newStatic(s, space, caller()) }

func newStatic(source Source, space []string, made string) *static {
	s := &static{source: source, binding: workerid.NewBinding("the static worker"), made: made}
	switch {
	case len(space) > 1:
		s.unusable = fmt.Errorf("%w: %d spaces for one worker: %.100q", uid.ErrConfig, len(space), space)
	case len(space) == 1 && space[0] == "":
		s.unusable = fmt.Errorf("%w: a space without a name", uid.ErrConfig)
	case len(space) == 1:
		s.space = space[0]
	}
	return s
}

type static struct {
	source   Source
	space    string // "" for that of all workers without a named one
	made     string // where in the program
	unusable error  // why the worker cannot be acquired, nil if it can
	binding  *workerid.Binding

	mu          sync.Mutex // guards the rest: two generators may try to bind at once
	terms       uid.Terms  // of the generator that is or was bound
	claim       claim      // its claim
	reservation uid.Reservation
	next        int64 // the first tick above all that earlier generators have issued
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
	if err := s.binding.Take(t.Revoke, func() error { return s.acquireLocked(t) }); err != nil {
		return uid.Reservation{}, err
	}
	return s.reservation, nil
}

// acquireLocked asks the source for an ID and claims it.
func (s *static) acquireLocked(t uid.Terms) error {
	id, err := workerid.Ask(s.source, t.MaxWorkerID)
	if err != nil {
		return err
	}
	if s.next > 0 && s.claim.layout != t.Layout {
		return fmt.Errorf("%w: worker ID %d issued UIDs of %s, now asked for %s",
			ErrLayout, s.claim.id, s.claim.layout, t.Layout)
	}
	c := claim{s.space, t.Layout, id}
	first, err := c.acquire(s.made, max(s.next, t.MinTick), t.MaxTick)
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

// Release returns a [uid.UnkeptError] when a process that begins in the next tick could issue the same ticks. It says
// nothing of one that begins in the running tick: then each short program would end with a warning, or a wait.
func (s *static) Release(_ context.Context, last int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.binding.Unbind(); err != nil {
		return err
	}
	next, now := s.claim.release(min(last, s.terms.MaxTick)+1), settings.Clock(s.terms.Now)()
	if last >= 0 {
		s.next = next
	}
	if next <= s.terms.TickAt(now)+1 {
		return nil
	}
	return &uid.UnkeptError{WorkerID: s.claim.id, Until: now.Add(ticks.Until(s.terms, now, next)).UTC()}
}

// WorkerHealth says that the worker is static: it has no store, and knows of no other IDs.
func (s *static) WorkerHealth() health.Worker { return health.Worker{Kind: "static"} }

// A claim is the right of one worker of this process to an ID.
type claim struct {
	space, layout string
	id            int64
}

// claims has every claim that a worker of this process has, or had.
var (
	claims   = map[claim]claimant{}
	claimsMu sync.Mutex
)

type claimant struct {
	made string // where the worker was made that has the claim, "" when none has it
	next int64  // the first tick above all that were issued, or are ruled out
}

// acquire claims c for the worker made there, and returns the first tick that it may issue: minTick at least.
func (c claim) acquire(made string, minTick, maxTick int64) (first int64, err error) {
	claimsMu.Lock()
	defer claimsMu.Unlock()
	holder := claims[c]
	first = max(holder.next, minTick)
	switch {
	case holder.made != "":
		return 0, fmt.Errorf("%w: %v, by the worker made at %s; close its generator first, or name another space",
			uid.ErrWorkerInUse, c, holder.made)
	case first > maxTick:
		return 0, fmt.Errorf("%w: %v has used tick %d, the last one is %d", uid.ErrExhausted, c, first-1, maxTick)
	}
	claims[c] = claimant{made, first}
	return first, nil
}

// release ends the caller's claim: no tick from next on was issued. It returns the first tick that no worker issued.
func (c claim) release(next int64) int64 {
	claimsMu.Lock()
	defer claimsMu.Unlock()
	next = max(claims[c].next, next)
	claims[c] = claimant{next: next}
	return next
}

func (c claim) String() string {
	if c.space == "" {
		return fmt.Sprintf("worker ID %d", c.id)
	}
	return fmt.Sprintf("worker ID %d of the space %q", c.id, c.space)
}

// caller returns where the function that calls it was called: folder/file.go:12.
func caller() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "an unknown place"
	}
	folder, name := path.Split(file)
	return fmt.Sprintf("%s/%s:%d", path.Base(folder), name, line)
}
