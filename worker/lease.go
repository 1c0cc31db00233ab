package worker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
)

// Lease is a [uid.Worker] that leases a worker ID from a table, so that the ID can be
// used again when its owner is gone, and that reserves every tick in the table before a
// generator may issue it, so that no tick of an ID is issued twice: not by an owner
// that was paused, cut off or declared dead, and came back; not when clocks go back; and,
// without DurableStore, not after a failover that lost commits, if the servers' clocks differ
// by no more than MaxClockSkew. docs/promise.md has every case.
//
// It starts, stops and renews by itself: when a lease is lost it acquires another ID, and
// the generator goes on under that one. Nothing of this is on the path of a call that
// draws a UID. While the database is away a generator draws from what is reserved, for
// at least the Window; then its calls fail with [uid.ErrNoReservation] until the
// database is back.
//
// # How it works
//
// The row of an ID holds a nonce, which names the owner and its newest renewal; the end
// of the lease; and HIGH, the last tick that anyone may have used under the ID. The row of
// the namespace, which [Registry.Init] makes, holds the layout and a HIGH of its own, below
// which nobody begins.
//
// Acquiring locks the row, reads the database's clock after that, and writes a new
// nonce. Unless DurableStore is set it also burns ticks: it raises HIGH as far as any
// owner may have reserved by a commit that the database has lost since, which is 3/2
// Window beyond the clock, and MaxClockSkew. The new owner reserves nothing yet, since
// its own commit may be lost just as well. It waits until the clock has moved on by
// MaxClockSkew and a tick, and then reserves its first ticks above those burnt.
// So a new owner starts about 3/2 Window ahead of the clock, has little to borrow from
// the future at first, and gives the lead back as the clock catches up with it.
//
// Renewing, every half Window, happens only if the row still has the owner's nonce and
// the lease has not ended: it raises HIGH to 3/2 Window beyond the clock, extends the
// lease, and writes a new nonce; only when the commit is acknowledged may the ticks
// be issued. If the reply is lost nothing may be, until the row tells by its nonce what
// happened.
//
// Releasing lowers HIGH to the last tick that was issued, but never below what it was
// when the owner came.
//
// # What it cannot see
//
// Two copies of the database that both accept writes, and a running process that was
// cloned with its memory: both copies own the lease until one of them renews it. A
// program that learns of its cloning calls [Lease.Invalidate]. The package's doc lists what
// else breaks it.
//
// Make it with [NewLease]. A Lease serves one generator at a time. Invalidate may be
// called by any number of goroutines at once; the methods of [uid.Worker] are the
// generator's. It is not to be copied.
type Lease struct {
	cfg   LeaseConfig
	table leaseTable
	clock func() time.Time // monotonic, for the time between two calls

	mu      sync.Mutex // guards the three that follow
	bound   bool
	invalid bool // Invalidate was called since the hold was acquired
	revoke  func()

	// What follows is used by the generator's calls only, one at a time.
	terms uid.Terms
	hold  *hold      // nil when the lease was lost
	file  *stateFile // nil without LeaseConfig.StateFile, and while no generator is bound
	doubt *doubt     // an acquisition whose outcome is not known; nil while there is none
	low   bool       // LeaseLow was told, and nothing was reserved since
}

// A hold is what an owner has of an ID.
type hold struct {
	id    int64
	nonce string // of the row, as the database has confirmed it
	// proposed is a renewal whose reply is awaited or was lost: it either happened or
	// did not, and the row's nonce tells. There is no other one before that is known.
	proposed proposal
	base     int64 // HIGH before the owner reserved anything: its first tick is the next
	limit    int64 // last tick reserved; base while nothing is
	granted  int64 // last tick that the generator has: limit, or less with a state file
	resumed  bool  // taken up from a state file
	renew    int64 // tick from which on to renew

	at   time.Time     // of the last commit, on the monotonic clock
	wait time.Duration // from then on, until ticks can be reserved for the first time
}

type proposal struct {
	nonce string // empty: none
	high  int64
}

// owns reports whether a row is still the hold's, and notes what it tells about lost
// replies. The row is locked: no earlier renewal is still to come.
func (h *hold) owns(row leaseRow) bool {
	if p := h.proposed; p.nonce != "" && row.Nonce == p.nonce && row.High == p.high {
		h.nonce, h.limit = p.nonce, p.high
	}
	if row.Nonce != h.nonce || row.High != h.limit {
		return false
	}
	h.proposed = proposal{}
	return true
}

// NewLease returns a worker on db, which stays the caller's to close. It returns
// [uid.ErrConfig] or [uid.ErrRange], with the numbers, when a setting cannot be used. It
// does not touch the database; the first Acquire does.
func NewLease(db *sqlx.DB, cfg LeaseConfig) (*Lease, error) {
	if db == nil || db.DB == nil {
		return nil, fmt.Errorf("%w: no database", uid.ErrConfig)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Lease{cfg: cfg, table: leaseTable{db: db, namespace: cfg.Namespace, stall: stallFor(cfg.Window)}, clock: time.Now}
	if l.table.dialect, err = cfg.Dialect.resolve(db.DriverName()); err != nil {
		return nil, err
	}
	l.table.clock = l.table.dialect.clock()
	if l.table.name, err = tableName(cfg.Table, workerLease); err != nil {
		return nil, err
	}
	if l.table.create, err = schema(workerLease, l.table.name, l.table.dialect); err != nil {
		return nil, err
	}
	return l, nil
}

// Acquire leases the ID that has been free the longest, or one that was never used if
// none is free, and reserves its first ticks. IDs that were used further ahead of the clock
// than MaxAhead are taken only if there is no other. Without DurableStore it takes about
// MaxClockSkew and a tick (see NoWait), and creates a namespace that is missing, which then
// rests. An acquisition whose reply was lost is taken up again by the next attempt.
//
// What may pass it tries again until the configured Timeout or the end of ctx, as
// [Disposable.Acquire] does. It fails at once with
//   - [uid.ErrWorkerInUse] while another generator is bound to l;
//   - [uid.ErrNoWorkerID] when all of the layout's IDs are leased or in quarantine;
//   - [uid.ErrExhausted] when the ID's ticks are used up to the layout's last one;
//   - [uid.ErrNoReservation] when the namespace rests for longer than Timeout, and when the
//     ID's ticks are used or burnt so far ahead of the clock that more than Timeout,
//     MaxClockSkew and two ticks would have to pass first;
//   - [ErrLayout] when the namespace is one of another layout;
//   - [ErrClock] when this process's clock is off the database's, that one is before
//     the epoch, or a row's ticks lie in the far future (see LeaseConfig's
//     MaxClockOffset, AllowBeforeEpoch and MaxAhead);
//   - [uid.ErrConfig] when Window is shorter than a tick, when the table's columns cannot hold
//     what is written, with DurableStore when the generator's MaxLead is more than MaxAhead
//     or the database is visibly not durable, and for SQLite in memory or with locking_mode
//     EXCLUSIVE;
//   - [ErrNoNamespace] with DurableStore, when the namespace was not made by [Registry.Init];
//   - [ErrState] when the file of SQLite is not in its place, or has another name (see package
//     worker/sqlite);
//   - an error that tells the server's error number on all else.
func (l *Lease) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if l.cfg.Window < t.Unit {
		return uid.Reservation{}, fmt.Errorf("%w: Window %v is shorter than the layout's tick, %v", uid.ErrConfig, l.cfg.Window, t.Unit)
	}
	if l.cfg.DurableStore && t.MaxLead > l.cfg.MaxAhead {
		return uid.Reservation{}, fmt.Errorf("%w: the generator's MaxLead %v is more than MaxAhead %v: what it used could not be taken over", uid.ErrConfig, t.MaxLead, l.cfg.MaxAhead)
	}
	if !l.bind(t.Revoke) {
		return uid.Reservation{}, fmt.Errorf("%w: the lease in namespace %q of table %s", uid.ErrWorkerInUse, l.cfg.Namespace, l.table.name)
	}
	l.terms = t
	if err := l.start(ctx); err != nil {
		err = l.failure("acquire", err)
		l.abandon(ctx)
		l.unbind()
		return uid.Reservation{}, err
	}
	return l.reservation(), nil
}

// start takes up the lease of the state file, or acquires one, and waits for its first
// reservation.
func (l *Lease) start(ctx context.Context) error {
	if l.cfg.StateFile != "" {
		if err := l.resume(ctx); err != nil {
			return err
		}
	}
	if l.hold != nil {
		return l.note(l.hold.base + 1)
	}
	if l.file != nil {
		// An ID that cannot be noted would be lost: the file is written once before.
		if err := l.forget(); err != nil {
			return err
		}
	}
	looked := false
	err := retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, func(ctx context.Context) error {
		if !looked {
			if err := l.look(ctx); err != nil {
				return err
			}
			looked = true
		}
		return l.begin(ctx)
	})
	if err != nil {
		return err
	}
	if l.file != nil {
		return l.note(l.hold.base + 1)
	}
	if l.cfg.NoWait {
		return nil
	}
	return l.awaitTicks(ctx)
}

// awaitTicks waits for the first reservation. A lease that is lost meanwhile is replaced.
func (l *Lease) awaitTicks(ctx context.Context) error {
	longest := l.cfg.MaxClockSkew + 2*l.terms.Unit + l.cfg.Timeout
	for losses := 0; l.hold.limit == l.hold.base; {
		if l.hold.wait > longest {
			return fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, and more can be reserved only in %v; a start waits for up to %v", uid.ErrNoReservation,
				l.hold.id, l.hold.base, l.hold.wait.Round(time.Second), longest)
		}
		// The lease may be shorter than the wait, where another owner's Window is long.
		next := min(l.hold.wait, l.cfg.Window/2) - l.clock().Sub(l.hold.at)
		pause := time.NewTimer(max(next, time.Millisecond))
		select {
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		case <-pause.C:
		}
		err := retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, func(ctx context.Context) error { return l.extend(ctx, 0) })
		if lost, is := errors.AsType[*lostError](err); is && losses < mostLosses {
			losses++
			l.lost(ctx, lost)
			err = retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, l.acquire)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mostLosses is how many leases a start may lose before its first reservation.
const mostLosses = 3

// begin is one attempt of a start to lease an ID. Where commits can be lost it creates a
// namespace that is not there, which then rests.
func (l *Lease) begin(ctx context.Context) error {
	err := l.acquire(ctx)
	if l.cfg.DurableStore || !errors.Is(err, ErrNoNamespace) {
		return err
	}
	rest := max(newNamespaceRest, l.cfg.TTL, l.cfg.Quarantine)
	if err := l.table.found(ctx, l.terms, rest); err != nil {
		return err
	}
	l.cfg.Logger.WarnContext(ctx, "the namespace of the leases was not there and has been made; no worker ID is leased in it for a while",
		"namespace", l.cfg.Namespace, "table", l.table.name, "rest", rest)
	return l.acquire(ctx)
}

// abandon gives up what a failed start has acquired. A lease that the state file may have
// is ended with HIGH as it is: a start without the database could still use it up.
func (l *Lease) abandon(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if h := l.hold; h != nil && !h.resumed {
		last := int64(-1)
		if l.file != nil {
			last = h.limit
		}
		_ = l.release(ctx, last)
	} else if l.doubt != nil {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = l.table.transact(ctx, func(tx session) error { return l.giveBack(ctx, tx) })
	}
	if l.file != nil {
		_ = l.file.close()
		l.file = nil
	}
	l.hold, l.doubt = nil, nil
}

// Extend renews the lease and the reservation if that is due, or if ticks up to through
// are not reserved yet and can be; else it returns the reservation as it stands. When
// the lease is lost it acquires another ID, of which nothing may be reserved for
// the time being. It reserves nothing beyond MaxAhead. It fails when the database cannot be
// reached, when the clocks differ by more than MaxAhead, with [ErrState] when the file of
// SQLite is not in its place, and with [ErrNoNamespace] when the table or the namespace is
// not there; what was reserved before stays so. It returns
// [uid.ErrNoReservation] when no generator is bound to l.
func (l *Lease) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	bound, invalid := l.state()
	if !bound {
		return uid.Reservation{}, l.unbound()
	}
	if l.hold != nil && invalid {
		l.lost(ctx, errInvalidated)
	}
	var err error
	if l.hold != nil && l.due(through) {
		err = l.extend(ctx, through)
		if lost, is := errors.AsType[*lostError](err); is {
			l.lost(ctx, lost)
		} else if err != nil {
			l.warn(ctx, err)
		}
	}
	doing := "extend"
	if l.hold == nil {
		doing, err = "acquire", l.acquire(ctx)
	}
	if l.file != nil && l.hold != nil {
		// What the database has granted before can still be taken from the file.
		if noted := l.note(through); noted != nil {
			err = errors.Join(err, noted)
		} else if l.enough(through) {
			err = nil
		}
	}
	if err != nil {
		return uid.Reservation{}, l.failure(doing, err)
	}
	return l.reservation(), nil
}

// due reports whether to ask the database. A generator at the end of its reservation
// asks again and again.
func (l *Lease) due(through int64) bool {
	h, since := l.hold, l.clock().Sub(l.hold.at)
	switch {
	case since >= l.cfg.Window/2:
		return true
	case h.limit == h.base && !l.cfg.DurableStore:
		return since >= h.wait // nothing can be had before
	case through <= h.limit:
		return false
	}
	// A reservation that reaches as far as it may grows as fast as time goes by.
	return l.cfg.DurableStore || since >= min(time.Second, l.cfg.Window/16)
}

// Release ends the lease, with HIGH lowered to last. It returns an error when the
// database cannot be told within 5 s; the lease then ends by itself, after the TTL.
func (l *Lease) Release(ctx context.Context, last int64) error {
	bound, invalid := l.state()
	if !bound {
		return l.unbound()
	}
	defer l.unbind()
	if l.hold != nil && invalid {
		l.lost(ctx, errInvalidated)
	}
	var err error
	switch {
	case l.file != nil:
		err = l.keep(last)
	case l.hold != nil:
		err = l.release(ctx, last)
	case l.doubt != nil:
		err = l.table.transact(ctx, func(tx session) error { return l.giveBack(ctx, tx) })
	}
	if err != nil {
		err = l.failure("release", err)
	}
	l.hold, l.doubt = nil, nil
	return err
}

// Invalidate is for a program that learns that it was cloned, or restored from an image
// of itself: whatever the worker holds, somebody else may hold too. When it
// returns, the generator has thrown away every UID that it had ready; it goes on as soon
// as it has leased another ID. The old lease ends by itself. Without a generator it does
// nothing. It must not be called from OnEvent.
func (l *Lease) Invalidate() {
	l.mu.Lock()
	revoke := l.revoke
	if l.bound {
		l.invalid = true
	}
	l.mu.Unlock()
	if revoke != nil {
		revoke()
	}
}

func (l *Lease) bind(revoke func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bound {
		return false
	}
	l.bound, l.invalid, l.revoke = true, false, revoke
	return true
}

func (l *Lease) unbind() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bound, l.invalid, l.revoke = false, false, nil
}

func (l *Lease) state() (bound, invalid bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bound, l.invalid
}

func (l *Lease) unbound() error {
	return fmt.Errorf("%w: the lease in namespace %q of table %s serves no generator", uid.ErrNoReservation, l.cfg.Namespace, l.table.name)
}

func (l *Lease) reservation() uid.Reservation {
	h := l.hold
	return uid.Reservation{WorkerID: h.id, First: h.base + 1, Last: h.granted, Renew: h.renew}
}

func (l *Lease) failure(doing string, err error) error {
	of := "a worker ID"
	if l.hold != nil {
		of = fmt.Sprintf("worker ID %d", l.hold.id)
	}
	return fmt.Errorf("worker: %s the lease of %s in namespace %q of table %s: %w", doing, of, l.cfg.Namespace, l.table.name, err)
}

// A lostError says why a lease is not the owner's any more.
type lostError struct {
	why    string
	holder string // who has the ID now, if anybody
}

var errInvalidated = &lostError{why: "the program has invalidated it"}

func (e *lostError) Error() string {
	if e.holder == "" {
		return e.why
	}
	return fmt.Sprintf("%s; it is held by %q", e.why, e.holder)
}

// lost gives up the hold. What is reserved may be issued all the same, unless it was
// invalidated, in which case the generator knows.
func (l *Lease) lost(ctx context.Context, err *lostError) {
	h := l.hold
	l.hold = nil
	if l.file != nil {
		if e := l.forget(); e != nil {
			l.cfg.Logger.ErrorContext(ctx, "worker's state file still has a lease that was lost", "worker_id", h.id, "error", e)
		}
	}
	l.mu.Lock()
	l.invalid = false
	l.mu.Unlock()
	l.tell(ctx, LeaseEvent{Kind: LeaseLost, WorkerID: h.id, Holder: err.holder, Left: l.left(h), Err: err})
}

// warn tells, once, that a reservation that cannot be extended is coming to its end.
func (l *Lease) warn(ctx context.Context, err error) {
	if left := l.left(l.hold); left < l.cfg.Window/2 && !l.low {
		l.low = true
		l.tell(ctx, LeaseEvent{Kind: LeaseLow, WorkerID: l.hold.id, Left: left, Err: err})
	}
}

// left is how long the reserved ticks last by the clock.
func (l *Lease) left(h *hold) time.Duration {
	return l.ticks(max(h.limit-l.terms.TickAt(l.cfg.Now()), 0))
}

// ticks is the length of so many ticks, or the longest duration there is.
func (l *Lease) ticks(n int64) time.Duration {
	if n > int64(math.MaxInt64/l.terms.Unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * l.terms.Unit
}

// tickAt returns the tick of a time of the database's, d later.
func (l *Lease) tickAt(now micros, d time.Duration) int64 {
	return l.terms.TickAt(now.add(d).time())
}

func newNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
