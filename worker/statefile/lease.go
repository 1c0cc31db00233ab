package statefile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A resumable is the worker of lease.New.
type resumable interface {
	uid.Worker
	health.WorkerReporter
	Invalidate() error
	// Held, Resume, Store and Leave are for this package.
	Held() (h storage.Held, held bool)
	Resume(ctx context.Context, t uid.Terms, h storage.Held) (uid.Reservation, error)
	Store() lease.Store
	Leave() error
}

// A fileLease is the worker that [OnLease] returns.
type fileLease struct {
	lease  resumable
	path   string
	cfg    Config
	terms  uid.Terms
	file   *state.File // nil while no generator is bound
	record state.Record
	before int64  // the last tick before the first one of the record's lease
	forgot bool   // neither record of the file has a lease
	away   string // the nonce that could not be renewed; "" if the store could be reached
}

// OnLease returns a [uid.Worker] round one of [lease.New] that keeps it in a state file at path across restarts. A
// start within the lease's TTL of its last renewal goes on with the worker ID, at once and above the last tick that the
// file has, even where the store may have lost writes. While the store is down it goes on with what the lease had
// reserved.
//
// Ticks are reserved in the store by the lease's Window, and in the file by Config's. Close keeps the lease, so an ID
// that is not taken up again is free only after its TTL and quarantine.
//
// The file is bound to the namespace, the layout and this host; what [New] says of locks and copies holds here, too.
// One goroutine at a time may call the worker's methods, as a generator does.
//
// OnLease returns [uid.ErrConfig] when a setting cannot be used; only Acquire touches the store and the disk. Its
// errors are those of [lease.New], and those of [New] that speak of the file.
func OnLease(l uid.Worker, path string, cfg Config) (uid.Worker, error) {
	held, is := l.(resumable)
	if path == "" || !is {
		return nil, fmt.Errorf("%w: no path for the state file, or no worker of lease.New", uid.ErrConfig)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &fileLease{lease: held, path: path, cfg: cfg}, nil
}

// Acquire implements [uid.Worker]; OnLease has its errors.
func (l *fileLease) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	name, err := l.cfg.accept(t, l.path)
	if err != nil {
		return uid.Reservation{}, err
	}
	file, err := state.Open(l.path)
	if err != nil {
		return uid.Reservation{}, err
	}
	l.file, l.terms, l.forgot, l.away = file, t, false, ""
	l.record = state.Record{Kind: state.KindLease, Host: name, Layout: t.Layout, Granted: -1}
	r, err := l.start(ctx)
	if err != nil {
		return uid.Reservation{}, errors.Join(err, l.close())
	}
	return r, nil
}

// start resumes the file's lease, or leases an ID, and has the file grant the first ticks.
func (l *fileLease) start(ctx context.Context) (uid.Reservation, error) {
	found, kept := l.file.Load()
	if kept {
		if err := l.check(found); err != nil {
			return uid.Reservation{}, err
		}
	}
	var r uid.Reservation
	var err error
	if kept && found.Nonce != "" {
		if l.file.Torn() {
			l.cfg.Logger.WarnContext(ctx, state.Damaged,
				"worker_id", found.WorkerID, "store", l.path, "last_tick", found.Granted)
		}
		r, err = l.lease.Resume(ctx, l.terms, storage.Held{WorkerID: found.WorkerID, Nonce: found.Nonce,
			Before: found.Granted, Reserved: found.Reserved})
	} else {
		// A lease that cannot be saved would be lost, so write the file once before.
		if err := l.forget(); err != nil {
			return uid.Reservation{}, err
		}
		r, err = l.lease.Acquire(ctx, l.terms)
	}
	if err != nil {
		return uid.Reservation{}, err
	}
	if err := l.grant(r.First); err != nil {
		// The file may have the lease all the same, so do not release it: a failover may lose the release after
		// another owner has the ID.
		return uid.Reservation{}, errors.Join(err, l.lease.Leave())
	}
	return l.reservation(r), nil
}

// check returns an error when the file's record is not of this lease, or its ticks make no sense.
func (l *fileLease) check(found state.Record) error {
	place, bound := strings.CutPrefix(found.Namespace, l.lease.Store().Name()+inPlace)
	switch now, most := l.cfg.Now(), l.cfg.MaxAhead; {
	case found.Kind != state.KindLease || found.Namespace != l.lease.Store().Name() && !bound:
		return fmt.Errorf("%w: %s is of kind %q for %q, not %q for %q", worker.ErrState, l.path,
			found.Kind, found.Namespace, state.KindLease, l.lease.Store().Name())
	case found.Host != l.record.Host && !l.cfg.AnyHost:
		return fmt.Errorf("%w: %s was written on host %q, this is %q: a copy must not be used; "+
			"if it was moved, set AnyHost", worker.ErrState, l.path, found.Host, l.record.Host)
	case found.Layout != l.terms.Layout:
		return fmt.Errorf("%w: the UIDs of %s are of %s, now asked for %s",
			worker.ErrLayout, l.path, found.Layout, l.terms.Layout)
	case found.Nonce != "" && most != math.MaxInt64 && found.Granted > l.terms.TickAt(now.Add(most)):
		return fmt.Errorf("%w: %s has used ticks up to %d, this process's clock is at %d, "+
			"more than MaxAhead %v before that",
			worker.ErrClock, l.path, found.Granted, l.terms.TickAt(now), most)
	case !bound:
		return nil
	}
	if s, is := l.lease.Store().(storage.PlacedStore); is {
		return s.Bind(place)
	}
	return fmt.Errorf("%w: the state file is bound to %q, and %s is not known to be there",
		worker.ErrState, place, l.lease.Store().Name())
}

// inPlace stands between a store's Name and its Place in a state file.
const inPlace = " in "

// namespace returns what the file is bound to.
func (l *fileLease) namespace() string {
	name := l.lease.Store().Name()
	if s, is := l.lease.Store().(storage.PlacedStore); is && s.Place() != "" {
		return name + inPlace + s.Place()
	}
	return name
}

// Extend renews the lease when that is due, and has the file grant more ticks. While the store cannot be reached it
// grants ticks that are reserved. Its errors are those of the lease, and [worker.ErrState] when the
// file cannot be written, is no longer in its place or was changed.
func (l *fileLease) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	if l.file == nil {
		return l.lease.Extend(ctx, through) // which serves no generator
	}
	if _, has := l.lease.Held(); !has {
		// A lease that was lost or invalidated must not be resumed if the process ends before the next one is saved.
		if err := l.forget(); err != nil {
			return uid.Reservation{}, err
		}
	}
	r, err := l.lease.Extend(ctx, through)
	held, has := l.lease.Held()
	if !has {
		if err == nil {
			err = fmt.Errorf("%w: the lease has been invalidated just now", uid.ErrNoReservation)
		}
		return uid.Reservation{}, errors.Join(err, l.forget())
	}
	if err != nil {
		r = uid.Reservation{WorkerID: held.WorkerID, First: held.Before + 1, Last: held.Reserved,
			Renew: l.terms.TickAt(l.cfg.Now().Add(storePause)) + 1}
	}
	if saved := l.grant(through); saved != nil {
		return uid.Reservation{}, errors.Join(err, saved)
	}
	if err != nil && l.record.Granted < max(through, l.terms.TickAt(l.cfg.Now())+1) {
		return uid.Reservation{}, err
	}
	l.logOutage(ctx, err, held)
	return l.reservation(r), nil
}

// logOutage logs that the store cannot be reached, and that it can be again. The generator gets no error as long as the
// file grants ticks.
func (l *fileLease) logOutage(ctx context.Context, err error, held storage.Held) {
	level, text := slog.LevelWarn, "the lease cannot be renewed, going on with what was reserved"
	switch {
	case err != nil && l.away == "":
		l.away = held.Nonce
	case err == nil && l.away != "" && l.away != held.Nonce:
		l.away = ""
		level, text = slog.LevelInfo, "the lease is renewed again"
	default:
		return
	}
	l.cfg.Logger.Log(ctx, level, text, "worker_id", held.WorkerID, "store", l.lease.Store().Name(),
		"left", ticks.Span(held.Reserved-l.terms.TickAt(l.cfg.Now()), l.terms.Unit), "error", err)
}

// storePause is how long a store that cannot be reached is left alone. A tick may be a millisecond.
const storePause = 2 * time.Second

// grant has the file grant ticks up to 3/2 Window beyond the clock, and beyond through, as far as the store has
// reserved them, and saves the lease if it is another one.
func (l *fileLease) grant(through int64) error {
	held, _ := l.lease.Held()
	next := l.next(held)
	clock, window := l.terms.TickAt(l.cfg.Now()), ticks.Count(l.cfg.Window, l.terms.Unit)
	reach := max(window+window/2, window+1)
	if next.Granted >= max(ticks.Plus(clock, window), through) && l.record.Nonce == held.Nonce {
		return nil
	}
	// Ticks that a burst was granted stay so; and Reserved may be below them after a start on a damaged file.
	next.Granted = max(next.Granted, min(held.Reserved, ticks.Plus(max(clock, through), reach)))
	next.NextGranted = max(next.Granted, min(held.Reserved, ticks.Plus(next.Granted, reach)))
	return l.keep(next, held)
}

// next returns the record that follows the one that is saved. It grants nothing of a lease that is not saved yet.
func (l *fileLease) next(held storage.Held) state.Record {
	next := l.record
	if next.Nonce == "" || next.WorkerID != held.WorkerID || l.before != held.Before {
		next.Granted, next.NextGranted = held.Before, held.Before
	}
	next.WorkerID, next.Nonce, next.Reserved, next.Namespace = held.WorkerID, held.Nonce, held.Reserved, l.namespace()
	return next
}

// keep saves a record of the lease.
func (l *fileLease) keep(next state.Record, held storage.Held) error {
	l.forgot = false // a write that fails may have reached the file
	if err := l.save(next); err != nil {
		return err
	}
	l.before = held.Before
	return nil
}

// forget saves that the file has no lease, or none any more: the next one is from the store, with ticks that were never
// issued. It does so twice, so that either record may be damaged.
func (l *fileLease) forget() error {
	if l.forgot {
		return nil
	}
	next := state.Record{Kind: state.KindLease, Host: l.record.Host, Layout: l.terms.Layout,
		Granted: -1, NextGranted: l.terms.MaxTick, Namespace: l.lease.Store().Name()}
	err := errors.Join(l.save(next), l.save(next))
	l.forgot = err == nil
	return err
}

func (l *fileLease) save(r state.Record) error {
	if err := l.file.Save(r); err != nil {
		return err
	}
	l.record = r
	return nil
}

// reservation returns what the file grants of the store's reservation r.
func (l *fileLease) reservation(r uid.Reservation) uid.Reservation {
	r.Last = min(r.Last, l.record.Granted)
	if l.record.Granted < l.record.Reserved {
		r.Renew = min(r.Renew, l.record.Granted-ticks.Count(l.cfg.Window, l.terms.Unit))
	}
	return r
}

// Release saves in the file that no tick above last was issued, unlocks it, and leaves the lease to the next
// start. It returns [worker.ErrState] when that cannot be saved; the file is unlocked all the same.
func (l *fileLease) Release(ctx context.Context, last int64) error {
	if l.file == nil {
		return l.lease.Release(ctx, last) // which serves no generator
	}
	held, has := l.lease.Held()
	if !has {
		// There may be a pending acquisition, but no tick of it was issued.
		return errors.Join(l.forget(), l.close(), l.lease.Release(ctx, -1))
	}
	next := l.next(held)
	next.Granted = min(next.Granted, max(held.Before, last))
	return errors.Join(l.keep(next, held), l.close(), l.lease.Leave())
}

func (l *fileLease) close() error {
	err := l.file.Close()
	l.file = nil
	return err
}

// Invalidate implements [worker.Invalidate].
func (l *fileLease) Invalidate() error { return l.lease.Invalidate() }

// WorkerHealth implements [health.WorkerReporter].
func (l *fileLease) WorkerHealth() health.Worker { return l.lease.WorkerHealth() }
