package workerid

import (
	"fmt"
	"sync"

	"github.com/uidgen/uid"
)

// A Binding ties a worker to at most one generator at a time. All workers use it, so that none serves two, and all
// return the same errors.
//
// Make it with [NewBinding]. All methods may be called by any number of goroutines at once. Do not copy
// it.
type Binding struct {
	who string

	mu      sync.Mutex // guards the rest
	bound   bool
	revoke  func() // of the generator that is bound; may be nil
	invalid bool   // Invalidate was called since Bind or Renew
}

// NewBinding returns the Binding of a worker. Errors name the worker by who: "the worker on table X".
func NewBinding(who string) *Binding { return &Binding{who: who} }

// Bind ties the worker to a generator with this Revoke (see [uid.Terms]). While another one is
// bound it returns [uid.ErrWorkerInUse], and changes nothing.
func (b *Binding) Bind(revoke func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bound {
		return fmt.Errorf("%w: %s", uid.ErrWorkerInUse, b.who)
	}
	b.bound, b.revoke = true, revoke
	return nil
}

// Take binds the worker as Bind does, and then calls take to get an ID. When take fails or
// panics, the worker is unbound again.
func (b *Binding) Take(revoke func(), take func() error) error {
	if err := b.Bind(revoke); err != nil {
		return err
	}
	taken := false
	defer func() {
		if !taken {
			_ = b.Unbind() // it is bound
		}
	}()
	if err := take(); err != nil {
		return err
	}
	taken = true
	return nil
}

// Unbind ends the tie. It returns [uid.ErrNoReservation] when no generator is bound.
func (b *Binding) Unbind() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.check()
	b.bound, b.revoke, b.invalid = false, nil, false
	return err
}

// Check returns [uid.ErrNoReservation] when no generator is bound.
func (b *Binding) Check() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.check()
}

func (b *Binding) check() error {
	if !b.bound {
		return fmt.Errorf("%w: %s serves no generator", uid.ErrNoReservation, b.who)
	}
	return nil
}

// Invalidate records that somebody else may hold what the worker holds, and withdraws it from the
// generator: when Invalidate returns, the generator has thrown away every UID that it had ready.
// While no generator is bound it does nothing. Like Revoke it must not be called from inside the
// worker's Acquire, Extend or Release.
func (b *Binding) Invalidate() {
	b.mu.Lock()
	revoke := b.revoke
	b.invalid = b.bound
	b.mu.Unlock()
	// Not under the lock: Revoke may wait for an Extend that is under way, which needs the lock.
	if revoke != nil {
		revoke()
	}
}

// Invalid reports whether Invalidate was called since the last Bind or Renew.
func (b *Binding) Invalid() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.invalid
}

// Renew records that the worker has given up what it held when it was invalidated.
func (b *Binding) Renew() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.invalid = false
}
