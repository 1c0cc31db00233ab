// Package tenure keeps a generator's hold on its worker. It acquires the worker, keeps the
// reservation in force and renews it before it runs out, remembers why that failed, lets
// calls wait for the next reservation, and releases the worker in the end. Both generators
// use it, so that the order of calls that [uid.Worker] promises, and the errors when
// nothing is reserved, are defined in one place.
package tenure

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/queue"
)

// Config configures a Tenure. The functions are the generator's callbacks; each may be nil.
// They are called one at a time, and may call Want, but neither End nor Stop.
type Config struct {
	// Terms are the worker's; Start fills in Now and Revoke, and Begin also MinTick.
	Terms uid.Terms
	// Now is the wall clock. Logger gets renewals that fail, and panics of the worker. Neither is
	// nil.
	Now    func() time.Time
	Logger *slog.Logger

	// Granted is called after a reservation has come into force.
	Granted func(uid.Reservation)
	// Discard is called when the reservation was revoked and Grant has no ticks any
	// more. When it returns, no UID that was ready before may be issued.
	Discard func()
	// Switch is called before a reservation under another worker ID comes into force,
	// while none is in force. It must not call the Tenure.
	Switch func()
	// Newest returns the newest tick from which a UID was issued, or -1. It is called without a lock.
	Newest func() int64
}

// A Tenure is a generator's hold on its worker. Make it with Start. Its methods may be
// called concurrently.
type Tenure struct {
	// grant is read without a lock, and written under mu.
	grant atomic.Pointer[Grant]

	worker uid.Worker
	cfg    Config

	wake chan struct{} // one slot: one pending signal is enough
	quit context.CancelFunc
	ctx  context.Context
	over chan struct{} // closed when Stop returns for the first time

	panicked  bool        // the last call did; owned by the caller of the worker
	releasing atomic.Bool // Release has been called, or is about to be

	// A goroutine takes granting or logging, then the generator's own locks, then mu; see granter and locked.
	granting sync.Mutex // while a grant changes and the generator is told: none follows its own revocation
	logging  sync.Mutex // while trouble is logged, in order
	mu       sync.Mutex // guards the rest

	trouble  trouble       // of renewals that fail
	pace     pace          // of draws
	news     queue.News    // told when a wait may be over
	through  int64         // the furthest tick asked for
	wanted   bool          // there is a new through, or a revocation
	revoked  int           // how often the worker has revoked
	done     chan struct{} // closed when the renewing goroutine has ended; nil before it starts
	acquired bool          // Acquire has succeeded: Extend may be called
	stopped  bool
}

// The methods of a granter need granting, those of a locked need mu, and those of a grantLocked both, taken in this
// order.
type (
	granter     struct{ *Tenure }
	locked      struct{ *Tenure }
	grantLocked struct{ locked }
)

func (t *Tenure) lockGranting() granter {
	t.granting.Lock()
	return granter{t}
}

func (t *Tenure) lock() locked {
	t.mu.Lock()
	return locked{t}
}

func (t granter) lock() grantLocked { return grantLocked{t.Tenure.lock()} }
func (t locked) unlock()            { t.mu.Unlock() }

// put puts a reservation in force, unless the tenure has ended.
func (t grantLocked) put(res uid.Reservation) {
	before := t.grant.Load()
	if before.Ended != nil {
		return
	}
	if before.WorkerID != res.WorkerID && t.cfg.Switch != nil {
		t.grant.Store(withoutTicks(before.WorkerID))
		t.cfg.Switch()
	}
	t.grant.Store(&Grant{Reservation: res, Until: min(res.Last, t.cfg.Terms.MaxTick)})
	t.trouble.err = nil
	t.news.Tell()
}

// tell tells the generator of a reservation that is in force.
func (t granter) tell(res uid.Reservation) {
	if t.cfg.Granted != nil {
		t.cfg.Granted(res)
	}
}

// left is how long the reserved ticks last.
func (t locked) left(now time.Time) time.Duration {
	return t.pace.left(t.cfg.Terms, t.grant.Load().Until, now)
}

// fail adds a renewal that failed to the trouble, and has the next one begin soon.
func (t locked) fail(err error) {
	t.wanted = true
	t.trouble.add(err, t.cfg.Now(), t.left(t.cfg.Now()))
	t.news.Tell()
}

// Grant returns the current right to issue ticks. It costs one atomic load.
func (t *Tenure) Grant() *Grant { return t.grant.Load() }

// End withdraws was for ever, or whatever is in force if was is nil; calls get the reason
// from then on. It does nothing if was is no longer in force.
func (t *Tenure) End(was *Grant, reason error) {
	l := t.lock()
	defer l.unlock()
	g := t.grant.Load()
	if was == nil || was == g {
		ended := withoutTicks(g.WorkerID)
		ended.Ended = reason
		t.grant.Store(ended)
		t.news.Tell()
	}
}

// News returns a channel that is closed at the next change of the Grant, or failure to
// extend it.
func (t *Tenure) News() <-chan struct{} {
	l := t.lock()
	defer l.unlock()
	return t.news.Listen()
}

// sample adds the newest tick to the pace. No lock is held: the generator takes its own.
func (t *Tenure) sample() {
	if t.cfg.Newest == nil {
		return
	}
	now, newest := t.cfg.Now(), t.cfg.Newest()
	l := t.lock()
	defer l.unlock()
	t.pace.add(now, newest)
}
