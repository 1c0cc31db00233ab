package backfill

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A LeaseConfig holds the settings of [FromLeases]. The zero value works on a durable store.
type LeaseConfig struct {
	// Losses has to be [lease.Never] or [lease.NeverUnchecked], unless the store's kind is durable (see [lease.Store]):
	// a run whose row was lost shares its ticks with the next one.
	Losses lease.Losses

	// Timeout bounds each call of the store, all attempts together. The default is 30 s.
	Timeout time.Duration

	// Holder names for people the user of the ID, in at most 128 characters. The default has the host's name and the
	// process ID.
	Holder string
}

const maxHolderLen = 128

// maxClockOffset is how far the store's clock may be behind the end of a run.
const maxClockOffset = 2 * time.Second

// releaseTimeout bounds the write of a Close.
const releaseTimeout = 5 * time.Second

// errNothing makes a store write nothing, because nothing has changed.
var errNothing = errors.New("nothing to write")

// written turns errNothing into success.
func written(err error) error {
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// FromLeases returns a source of worker IDs of a namespace of leases, which must exist. For each worker ID, New writes
// one row. New returns
//   - [uid.ErrNoWorkerID] when each ID is leased, or was used at or after From, and when the namespace's floor lies at
//     or above From: give imports a namespace of their own;
//   - [uid.ErrConfig] when the store is not durable or a setting cannot be used;
//   - [worker.ErrLayout] when the namespace has another layout, and [worker.ErrNoNamespace] when there is none;
//   - [worker.ErrClock] when To lies more than two seconds after the store's clock;
//   - the store's own error on all else. It retries failures that may pass until Timeout. An attempt whose reply is
//     lost may use up an ID's past.
func FromLeases(store lease.Store, cfg LeaseConfig) Source { return fromLeases{store, cfg} }

type fromLeases struct {
	store lease.Store
	cfg   LeaseConfig
}

func (s fromLeases) usable() error {
	if s.store == nil {
		return fmt.Errorf("%w: no store of leases", uid.ErrConfig)
	}
	if err := settings.Timeout(s.cfg.Timeout); err != nil {
		return err
	}
	l := s.cfg.Losses
	if !(l == lease.Never || l == lease.NeverUnchecked || l == lease.ByHistory && s.store.Durable()) {
		return fmt.Errorf("%w: a store of the kind of %s can lose what it has acknowledged, and a run whose row is "+
			"lost shares its ticks with the next one: set Losses to Never if this one does not, or use disposable IDs",
			uid.ErrConfig, s.store.Name())
	}
	_, err := s.holder()
	return err
}

func (s fromLeases) holder() (string, error) {
	text := s.cfg.Holder
	if text == "" {
		name, err := settings.HostName()
		if err != nil {
			return "", fmt.Errorf("%w: set Holder", err)
		}
		text = fmt.Sprintf("backfill %s %d", name, os.Getpid())
	}
	if n := utf8.RuneCountInString(text); n > maxHolderLen || !utf8.ValidString(text) {
		return "", fmt.Errorf("%w: the Holder %.100q has %d characters, or bytes that are none; a row holds %d",
			uid.ErrRange, text, n, maxHolderLen)
	}
	return text, nil
}

func (s fromLeases) take(ctx context.Context, w want) (h holding, err error) {
	t := reserving{fromLeases: s, want: w}
	if err := retry.Do(ctx, s.cfg.Timeout, w.log, t.reserve); err != nil {
		return holding{}, fmt.Errorf("reserve the ticks %d to %d of a worker ID in %s: %w", w.first, w.last,
			s.store.Name(), err)
	}
	w.log.InfoContext(ctx, "ticks of the past reserved", "worker_id", t.row.WorkerID, "first_tick", w.first,
		"last_tick", w.last, "store", s.store.Name())
	return holding{id: t.row.WorkerID, release: func(ctx context.Context, last int64) error {
		return t.release(ctx, last)
	}}, nil
}

// A reserving is one worker ID's row on its way to the run.
type reserving struct {
	fromLeases
	want
	row  storage.Lease // as it was written
	base int64         // the last tick that others may have used
}

// reserve makes one attempt. It does what a start of a live process does, except that the ticks end at To, not ahead of
// the clock. So the model of leases (worker/lease/model) holds for it, too.
func (t *reserving) reserve(ctx context.Context) error {
	lossy, err := t.store.Inspect(ctx)
	if err != nil {
		return err
	}
	if len(lossy) > 0 && t.cfg.Losses != lease.NeverUnchecked {
		return fmt.Errorf("%w: the store is said to lose nothing, by Losses or by its kind, but it can lose what it "+
			"has acknowledged: %s; NeverUnchecked takes its word", uid.ErrConfig, strings.Join(lossy, "; "))
	}
	holder, err := t.holder()
	if err != nil {
		return err
	}
	// A row whose ticks are used before first; else, a new one. The holder of an ID keeps
	// it, but nobody waits for a quarantine, which makes up for writes that are lost.
	wanted := storage.Wanted{IDs: lease.Range{Last: t.terms.MaxWorkerID},
		Highest: func(time.Time) int64 { return t.first - 1 }}
	return t.store.Take(ctx, wanted, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		if err := t.check(wanted, ns, row, now); err != nil {
			return err
		}
		t.base = max(row.High, ns.Floor)
		row.Nonce, row.High, row.Until, row.Layout, row.Holder = rand.Text(), t.last, now.Now, t.terms.Layout, holder
		row.Acquired, row.Renewed = now.Now, now.Now
		t.row = *row
		return nil
	})
}

// check refuses a row of which a tick from first on may have been used.
func (t *reserving) check(wanted storage.Wanted, ns *storage.Namespace, row *storage.Lease,
	now storage.Clock) error {
	if ns.Layout != t.terms.Layout {
		return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s", worker.ErrLayout, ns.Layout,
			t.terms.Layout)
	}
	ids, err := wanted.Within(*ns)
	if err != nil {
		return err
	}
	if id := row.WorkerID; id < ids.First || id > ids.Last {
		return fmt.Errorf("%w: the store offers worker ID %d, wanted is one of %v", uid.ErrRange, id, ids)
	}
	if present := t.terms.TickAt(now.Now.Add(now.Error + maxClockOffset)); t.last > present {
		return fmt.Errorf("%w: the run ends with tick %d, at %s, and the store's shows %s: that is not past",
			worker.ErrClock, t.last, stamp(t.layout.TimeOf(t.last)), stamp(now.Now))
	}
	if ns.Floor >= t.first {
		return fmt.Errorf("%w: the namespace's floor is tick %d, the run begins with tick %d: "+
			"a worker ID that is new may have been used up to the floor, until %s: "+
			"the namespace may be in place of one that was lost",
			uid.ErrNoWorkerID, ns.Floor, t.first, stamp(t.layout.TimeOf(ns.Floor)))
	}
	if row.High >= t.first {
		return fmt.Errorf("%w: all of %d to %d are leased, or were used after the run begins, with tick %d, as "+
			"worker ID %d was up to tick %d",
			uid.ErrNoWorkerID, ids.First, ids.Last, t.first, row.WorkerID, row.High)
	}
	return nil
}

// release lowers High to the last tick that was issued, if the row is still as it was written: else
// somebody has leased the ID since, and has begun above High.
func (t *reserving) release(ctx context.Context, last int64) error {
	err := retry.Do(ctx, retry.AtMost(t.cfg.Timeout, releaseTimeout), t.log, func(ctx context.Context) error {
		return written(t.store.Change(ctx, t.row.WorkerID, func(_ *storage.Namespace, row *storage.Lease,
			now storage.Clock) error {
			if row == nil || row.Nonce != t.row.Nonce || row.High != t.row.High {
				return errNothing
			}
			row.Nonce, row.High, row.Renewed = "", max(t.base, last), now.Now
			return nil
		}))
	})
	if err != nil {
		return fmt.Errorf("give back the ticks of worker ID %d in %s: %w", t.row.WorkerID, t.store.Name(), err)
	}
	return nil
}
