package lease

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/workerid"
)

// New returns a [uid.Worker] that leases a worker ID from a [Store]. No tick of an ID is issued twice: not when an
// owner was paused, cut off or declared dead, and comes back; not when clocks go back; nor after a failover that lost
// writes, if the store's history shows it and the servers' clocks differ by no more than MaxClockSkew. docs/promise.md
// has every case.
//
// When the worker loses a lease it acquires another ID for the generator.
//
// The worker serves one generator at a time, and is a [health.WorkerReporter]. New returns [uid.ErrConfig] or
// [uid.ErrRange] when a setting cannot be used. Only Acquire touches the store.
//
// # When no generator can be made
//
// Acquire leases the ID that has been free the longest, or one that was never used if none is free. If it had to burn
// ticks it waits for MaxClockSkew and a tick, or twice the error of a store's clock if that is longer.
//
// It retries failures that may pass until the Timeout or the end of ctx, and fails at once with
//
//   - [uid.ErrWorkerInUse]: another generator is bound to the worker.
//   - [uid.ErrNoWorkerID]: each ID of the layout and the namespace is leased, in quarantine (see TTL of [Config]), or
//     lacks its row; the text names those.
//   - [uid.ErrRange]: the layout lacks some of Config.IDs, the namespace has others or none of the layout's, or the
//     generator's floor is too far ahead of the store's clock.
//   - [uid.ErrConfig]: Window is shorter than a tick, or the store cannot hold the rows or is visibly less durable
//     than said.
//   - [worker.ErrNoNamespace]: the namespace is missing, and Config.MustExist is set.
//   - [worker.ErrLayout]: the namespace has another layout.
//   - [worker.ErrClock]: the store's clock is more than MaxClockSkew away from this process's, before the layout's
//     epoch, or too far behind the ticks that were used.
//   - [uid.ErrExhausted]: the ID's last tick is used or burnt.
//   - [uid.ErrNoReservation]: nothing can be reserved for a long time.
//   - The store's own error: all else.
func New(store Store, cfg Config) (uid.Worker, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store of leases", uid.ErrConfig)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &lessee{cfg: cfg, store: store, never: cfg.never(store), now: cfg.Now, holder: holder(), clock: time.Now,
		chance: mathrand.Int64N, binding: workerid.NewBinding("the lease in " + store.Name())}, nil
}

// A lessee is the worker that [New] returns. It holds one lease at a time.
type lessee struct {
	cfg     Config
	store   Store
	never   bool                // the store never loses a write
	now     func() time.Time    // the clock that is compared with the store's
	holder  string              // what rows say of this process
	clock   func() time.Time    // monotonic, for the time between two calls
	chance  func(n int64) int64 // a number below n, at random
	binding *workerid.Binding
	health  atomic.Pointer[health.Worker] // for WorkerHealth; nil before the first call

	// Only the generator's calls use what follows, one at a time.
	terms     uid.Terms
	inspected bool     // the store was, since the lessee was bound
	resumed   bool     // the lease was, so a start that fails does not release it
	lease     *lease   // nil while it holds none
	pending   *pending // an acquisition whose outcome is unknown; nil for none
	low       bool     // a low event was reported, and no tick reserved since
	wentBack  bool     // the store did, and has not acknowledged a write that says so
}

// A lease is an owner's hold on a worker ID.
type lease struct {
	id  int64
	ids Range // those that it was chosen from; the zero Range if the lease was resumed
	// The owner's nonces begin with its own name, and end in the number of the write. The store has
	// acknowledged the write acked. Each of the writes after it up to sent has happened, has not, or is
	// still on its way. A row that can be read need not be durable yet, so none of them reserves a tick.
	owner       string
	acked, sent int64
	resumed     bool          // and not renewed since: the owner may have sent later writes, too
	before      int64         // the last tick before the owner's first one
	ahead       *health.Ahead // why that is ahead of the clock; nil if it is not
	reserved    int64         // the last tick that acked has reserved; at most before if it has reserved none

	// Set by schedule, for due; clock and early by the write before it.
	clock storage.Clock // the store's at the acknowledged write
	early int           // how many of the last writes, one after another, came before pause was over
	at    time.Time     // of the last write, on the monotonic clock
	pause time.Duration // from then until the lease is renewed even if no ticks are needed
	more  time.Duration // from then until a write can reserve more
	renew int64         // the first tick at which a renewal is due
}

// A pending is an acquisition that the store may or may not have stored.
type pending struct {
	lease
	event Event
	avoid string // how to avoid that it begins ahead of the clock, if it does
}

func (l *lessee) reservation() uid.Reservation {
	return uid.Reservation{
		WorkerID: l.lease.id, First: l.lease.before + 1, Last: l.lease.reserved, Renew: l.lease.renew,
	}
}

// failure is the error of a call that fails, with the ID that it is about.
func (l *lessee) failure(doing string, err error) error {
	of := "a worker ID"
	if l.lease != nil {
		of = fmt.Sprintf("worker ID %d", l.lease.id)
	}
	return fmt.Errorf("%s the lease of %s in %s: %w", doing, of, l.store.Name(), err)
}

// unreserved reports whether no tick is reserved that may be issued. A resumed lease may have reserved only ticks below
// its generator's floor.
func (l *lease) unreserved() bool { return l.reserved <= l.before }

// owns reports whether the lease's owner wrote the row last, with its newest acknowledged write or a
// later one. Writes older than the one in the row cannot happen any more: each named an older version
// of the row, or was made under a lock that is gone.
func (l *lease) owns(row *storage.Lease) bool {
	owner, number := writer(row.Nonce)
	if owner != l.owner || number > l.sent && !l.resumed {
		return false
	}
	return number > l.acked && row.High >= l.reserved || number == l.acked && row.High == l.reserved
}

// outdates reports whether the row is from before the lease's newest acknowledged write: then the store went back.
// Another owner's row is no proof, nor is one that is gone.
func (l *lease) outdates(row *storage.Lease) bool {
	owner, number := writer(row.Nonce)
	return owner == l.owner && (number < l.acked || row.High < l.reserved)
}

// matches reports whether the row is as the pending acquisition wrote it, and its lease lasts.
func (p *pending) matches(row *storage.Lease, now storage.Clock) bool {
	if row == nil {
		return false
	}
	owner, number := writer(row.Nonce)
	return owner == p.owner && number <= p.sent && row.High == p.reserved && now.Within(row.Until)
}

const (
	ownerLen  = 22 // hexadecimal digits
	numberLen = 10
)

// newOwner returns a name that no other owner has.
func newOwner() string {
	var b [ownerLen / 2]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// nonce returns the nonce of an owner's write.
func nonce(owner string, number int64) string { return fmt.Sprintf("%s%0*x", owner, numberLen, number) }

// writer returns the owner and the number of a nonce. The owner is "" for a text that is no nonce.
func writer(nonce string) (owner string, number int64) {
	if len(nonce) != ownerLen+numberLen {
		return "", 0
	}
	number, err := strconv.ParseInt(nonce[ownerLen:], 16, 64)
	if err != nil || number < 0 {
		return "", 0
	}
	return nonce[:ownerLen], number
}
