package statefile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/internal/workerid"
	"github.com/uidgen/uid/worker"
)

// A file is the worker that [New] returns.
type file struct {
	path    string
	source  worker.Source
	cfg     Config
	binding *workerid.Binding

	mu     sync.Mutex  // guards the rest; held while the file is read or written
	state  *state.File // nil while no generator is bound
	terms  uid.Terms
	record state.Record // as last saved
	before int64        // the last tick that earlier generators may have issued
	window int64        // in ticks
	reach  int64        // 3/2 Window in ticks, and more than window
}

// New returns a [uid.Worker] that takes its ID from a [worker.Source] and keeps a state file at path. Every tick is
// reserved in the file, synced to the disk, before a generator may issue it, and later generators begin above the
// reserved ticks. So no tick is issued twice
//
//   - by a process and its successor, however the first one ended and the clock was set, even if one of the file's two
//     records is damaged;
//   - by two generators or processes that use the same file: one locks it, and the others are refused.
//
// A process with the same ID and another file, or none, is not noticed. The file is bound to its ID, the layout and the
// host. A copy or a restored backup on the same host is not refused: never restore the file, and never remove it,
// before the clock has passed all that was issued under the ID. A running process whose file was removed or changed
// stops when its reservation ends; one that starts meanwhile on a new file cannot know of it.
//
// The folder must exist, on a disk that keeps what was synced. The generator's own goroutine writes and syncs 12 KiB
// about twice a Window, and when much is drawn.
//
// The worker is a [health.WorkerReporter]. Any number of goroutines may call all its methods at once. New returns
// [uid.ErrConfig] when a setting cannot be used. Only Acquire touches the source and the disk.
//
// # When no generator can be made
//
// Acquire opens and locks the file, or creates it. It fails, and leaves an existing file as it is, with
//   - [uid.ErrWorkerInUse] while another generator is bound to the worker or, in any process, to the file;
//   - the source's error, and [uid.ErrRange] when its ID does not fit the layout;
//   - [worker.ErrState] when the file cannot be opened, locked, read or written, belongs to another worker ID or host
//     (see Config's AnyHost), or has two damaged records (or one, beside one of an older version of this package);
//   - [worker.ErrLayout] when it belongs to another layout;
//   - [worker.ErrClock] when its ticks lie too far ahead of the clock (see Config's MaxAhead), and [uid.ErrRange] when
//     the generator's floor does;
//   - [uid.ErrExhausted] when the layout's last tick has been reserved;
//   - [uid.ErrConfig] when the host has no name, and when the generator's MaxLead is more than MaxAhead;
//   - ctx's error when it ended before the call; it is not looked at later.
func New(path string, source worker.Source, cfg Config) (uid.Worker, error) {
	if path == "" {
		return nil, fmt.Errorf("%w: no path for the state file", uid.ErrConfig)
	}
	if source == nil {
		return nil, fmt.Errorf("%w: no source of the worker ID for the state file %s", uid.ErrConfig, path)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &file{path: path, source: source, cfg: cfg,
		binding: workerid.NewBinding("the worker on the state file " + path)}, nil
}

// Acquire implements [uid.Worker]; New has its errors.
func (f *file) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if err := ctx.Err(); err != nil {
		return uid.Reservation{}, fmt.Errorf("acquire the worker ID of the state file %s: %w", f.path, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.binding.Take(t.Revoke, func() error { return f.openLocked(t) }); err != nil {
		return uid.Reservation{}, err
	}
	f.cfg.Logger.InfoContext(ctx, "worker ID taken up with its state file", "worker_id", f.record.WorkerID,
		"max_worker_id", t.MaxWorkerID, "store", f.state.Path(),
		"first_tick", f.before+1, "last_tick", f.record.Granted)
	return f.reservation(), nil
}

// openLocked opens the file, and reserves the first ticks in it if it is this worker's.
func (f *file) openLocked(t uid.Terms) error {
	want, err := f.wanted(t)
	if err != nil {
		return err
	}
	file, err := state.Open(f.path)
	if err != nil {
		return err
	}
	f.state, f.terms = file, t
	f.window = ticks.Count(f.cfg.Window, t.Unit)
	// More than the window even where a tick is longer, or a renewal would be due at once again.
	f.reach = max(ticks.Count(f.cfg.Window+f.cfg.Window/2, t.Unit), f.window+1)
	if err := f.start(want); err != nil {
		return errors.Join(err, f.close())
	}
	return nil
}

func (f *file) close() error {
	err := f.state.Close()
	f.state = nil
	return err
}

// wanted returns the record of a new file.
func (f *file) wanted(t uid.Terms) (state.Record, error) {
	id, err := workerid.Ask(f.source, t.MaxWorkerID)
	if err != nil {
		return state.Record{}, err
	}
	name, err := f.cfg.accept(t, f.path)
	return state.Record{Kind: state.KindFixed, Host: name, WorkerID: id, Layout: t.Layout, Granted: -1}, err
}

// start reserves the first ticks in a file that has just been opened, if it is the
// wanted one.
func (f *file) start(want state.Record) error {
	f.record, f.before = want, -1
	if found, ok := f.state.Load(); ok {
		if err := f.check(found, want); err != nil {
			return err
		}
		f.before = found.Granted
	}
	if err := f.checkFloor(); err != nil {
		return err
	}
	f.before = max(f.before, f.terms.MinTick-1)
	f.record.Granted = f.before
	if f.state.Torn() {
		f.cfg.Logger.Warn(state.Damaged, "worker_id", want.WorkerID, "store", f.state.Path(), "last_tick", f.before)
	}
	return f.reserveLocked(f.before + 1)
}

// check returns an error when a generator cannot go on from what the file holds.
func (f *file) check(found, want state.Record) error {
	path := f.state.Path()
	clock := f.clock()
	switch {
	case found.Kind != want.Kind:
		return fmt.Errorf("%w: %s is that of another kind of worker: %q, not %q",
			worker.ErrState, path, found.Kind, want.Kind)
	case found.WorkerID != want.WorkerID:
		return fmt.Errorf("%w: %s belongs to worker ID %d, the source tells %d",
			worker.ErrState, path, found.WorkerID, want.WorkerID)
	case found.Layout != want.Layout:
		return fmt.Errorf("%w: %s belongs to UIDs of %s under worker ID %d, now asked for %s",
			worker.ErrLayout, path, found.Layout, found.WorkerID, want.Layout)
	case found.Host != want.Host && !f.cfg.AnyHost:
		return fmt.Errorf("%w: %s belongs to host %q, this is %q: if it was moved and not copied, set AnyHost",
			worker.ErrState, path, found.Host, want.Host)
	case found.Granted < -1:
		return fmt.Errorf("%w: %s reserves ticks up to %d", worker.ErrState, path, found.Granted)
	case found.Granted >= f.terms.MaxTick:
		return fmt.Errorf("%w: %s reserves tick %d under worker ID %d, the last one is %d",
			uid.ErrExhausted, path, found.Granted, found.WorkerID, f.terms.MaxTick)
	case found.Granted-f.allowed() > clock && f.cfg.MaxAhead != math.MaxInt64:
		return fmt.Errorf("%w: %s reserves ticks up to %d, which is %s ahead of the clock's tick %d; "+
			"MaxAhead allows %v. Either the clock is wrong now, or it was when the file was written",
			worker.ErrClock, path, found.Granted, f.span(found.Granted, clock), clock, f.cfg.MaxAhead)
	}
	return nil
}

// checkFloor refuses a floor so far ahead that the next start would refuse the file.
func (f *file) checkFloor() error {
	floor, clock := f.terms.MinTick-1, f.clock()
	if floor >= 0 && floor-f.allowed() > clock && f.cfg.MaxAhead != math.MaxInt64 {
		return fmt.Errorf("%w: ticks up to %d are ruled out, which is %s ahead of the clock's tick %d; "+
			"MaxAhead %v of %s allows less",
			uid.ErrRange, floor, f.span(floor, clock), clock, f.cfg.MaxAhead, f.state.Path())
	}
	return nil
}

// allowed is how many ticks ahead of the clock the file may reserve. The reach counts twice: of a
// damaged record only its bound is known.
func (f *file) allowed() int64 {
	return max(ticks.Count(f.cfg.MaxAhead, f.terms.Unit), ticks.Plus(f.reach, f.reach))
}

// span formats the time from one tick to another.
func (f *file) span(to, from int64) string {
	n := uint64(to) - uint64(from)
	if n > uint64(math.MaxInt64/f.terms.Unit) {
		return fmt.Sprintf("%d ticks of %v", n, f.terms.Unit)
	}
	return ticks.Span(int64(n), f.terms.Unit).String()
}

// Extend reserves ticks in the file, up to 3/2 Window ahead of the clock or of through, whichever
// is later. It returns [worker.ErrState] when the file cannot be written, is no longer in its
// place or was changed, and [uid.ErrNoReservation] when no generator is bound to f. It does not
// look at ctx.
func (f *file) Extend(_ context.Context, through int64) (uid.Reservation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.binding.Check(); err != nil {
		return uid.Reservation{}, err
	}
	if err := f.reserveLocked(through); err != nil {
		return uid.Reservation{}, err
	}
	return f.reservation(), nil
}

// Release saves in the file that no tick above last was issued, and unlocks it. If it fails with
// [worker.ErrState] the file is unlocked all the same, and the next generator begins further
// ahead than necessary. It returns [uid.ErrNoReservation] when no generator is bound to f. It
// does not look at ctx.
func (f *file) Release(_ context.Context, last int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.binding.Unbind(); err != nil {
		return err
	}
	f.record.Granted = max(f.before, last)
	f.record.NextGranted = f.next(f.record.Granted)
	return errors.Join(f.state.Save(f.record), f.close())
}

// reserveLocked grants the ticks up to f.reach beyond the clock or beyond tick, whichever is later.
func (f *file) reserveLocked(tick int64) error {
	r := f.record
	r.Granted = max(r.Granted, min(ticks.Plus(max(f.clock(), tick, 0), f.reach), f.terms.MaxTick))
	if r.Granted == f.record.Granted {
		return nil
	}
	r.NextGranted = f.next(r.Granted)
	if err := f.state.Save(r); err != nil {
		return err
	}
	f.record = r
	return nil
}

// next is how far the record after one that reserves up to high is likely to reach.
func (f *file) next(high int64) int64 {
	return max(high, min(ticks.Plus(high, f.reach), f.terms.MaxTick))
}

func (f *file) reservation() uid.Reservation {
	r := uid.Reservation{WorkerID: f.record.WorkerID, First: f.before + 1, Last: f.record.Granted, Renew: math.MaxInt64}
	if r.Last < f.terms.MaxTick {
		r.Renew = r.Last - f.window
	}
	return r
}

func (f *file) clock() int64 { return f.terms.TickAt(f.cfg.Now()) }

var _ health.WorkerReporter = (*file)(nil)

// WorkerHealth says where the state file is. It never waits. Any number of goroutines may call it
// at once.
func (f *file) WorkerHealth() health.Worker { return health.Worker{Kind: "statefile", Place: f.path} }
