package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/uidgen/uid"
)

// What the zero values of a FileConfig stand for.
const (
	defaultFileWindow = 10 * time.Second
	defaultFileAhead  = 15 * time.Minute
)

// FileConfig holds the settings of a [File]. The zero value works. Negative
// durations are refused; others are rounded up to whole ticks of the layout.
type FileConfig struct {
	// Window is how long the file may be out of order, its disk full, say, before
	// anybody notices: ticks are reserved up to 3/2 of it ahead of the clock, and of
	// what the generator asks for if that is later; and reserved anew when only the
	// Window is left, which is about every half Window. After a kill a generator starts
	// as far ahead of the clock as ticks were reserved, and kills in quick succession add
	// up. The default, for 0, is 10 s.
	Window time.Duration

	// MaxAhead is how far ahead of the clock the ticks reserved in the file may lie when
	// a generator is made: if it is more, the clock has been set back since, or was wrong
	// then. It is to be more than the generator's MaxLead and 3/2 Window, which is as
	// far ahead as a kill leaves the file. It is at least 3/2 Window, and never less than
	// the ticks that these are rounded up to. The default, for 0, is 15 min;
	// math.MaxInt64 allows any.
	MaxAhead time.Duration

	// Host is the name that binds the file to this host. The default, for "", is the
	// operating system's.
	Host string

	// AnyHost lets a generator be made on a file that was written on another host. The
	// file then belongs to this one. It is for hosts that change their name, as
	// containers do, and share no files: a copy is a second owner of the worker ID.
	AnyHost bool

	// Logger gets an Info record when a generator is made, and Warn records when the
	// file turns out to be damaged or cannot be written. The default, for nil, is
	// slog.Default at the time of NewFile.
	Logger *slog.Logger

	// Now is the clock. The default, for nil, is time.Now.
	Now func() time.Time
}

// File is a [uid.Worker] whose ID comes from elsewhere, from a [Source], and that keeps
// in a state file which ticks may have been issued under it. Every tick is reserved in
// the file, synced to the disk, before a generator may issue it, and a generator that is
// made later begins above them. So no tick is issued twice
//
//   - by a process and the one that is started after it, however the first one ended,
//     however far it was ahead of the clock, and wherever the clock was set meanwhile;
//   - by two generators or processes that use the same file: it is locked while one
//     does, and the others are refused.
//
// What it cannot promise is that the source tells nobody else the same ID: a process
// with another file, or with none, is not noticed. The file is bound to its ID, the
// layout and the host, so that a copy on another host, or a volume under the wrong pod,
// is refused. A copy on the same host, and one that is restored there, are not: never
// restore it from a backup, and never remove it, as long as the clock has not passed all
// that was issued under the ID. Removing or changing it under a running process is
// noticed at the next renewal: that fails, and the generator stops when its reservation
// ends. But who is started on a new file in its place meanwhile cannot know of it.
//
// The file has 12 KiB of text. One of its two records is written and synced about twice
// a Window, also when no UID is drawn, by the generator's own goroutine, never on the way
// of a call that draws one. Its folder has to outlive the process, on a disk that keeps
// what was synced. For processes on several hosts take a [Lease] instead.
//
// Make it with [NewFile]. All methods may be called by any number of goroutines at
// once. It is not to be copied.
type File struct {
	path   string
	source Source
	cfg    FileConfig

	mu      sync.Mutex // guards the rest; held while the file is read or written
	state   *stateFile // nil while no generator is bound
	terms   uid.Terms
	record  stateRecord // as it was saved last; High is the last tick reserved
	base    int64       // High before the generator that is bound came
	window  int64       // in ticks
	reach   int64       // 3/2 Window, in ticks, more than window
	failing bool        // the last Extend failed, which was logged
}

// NewFile returns a worker with the source's ID and a state file at path, which is
// created, in a folder that exists, when the first generator is made. It returns
// [uid.ErrConfig] when a setting cannot be used. It asks neither the source nor the disk;
// Acquire does.
func NewFile(path string, s Source, cfg FileConfig) (*File, error) {
	if path == "" {
		return nil, fmt.Errorf("%w: no path for the state file", uid.ErrConfig)
	}
	if s == nil {
		return nil, fmt.Errorf("%w: no source of the worker ID for the state file %s", uid.ErrConfig, path)
	}
	if cfg.Window < 0 || cfg.MaxAhead < 0 {
		return nil, fmt.Errorf("%w: Window %v or MaxAhead %v is negative", uid.ErrConfig, cfg.Window, cfg.MaxAhead)
	}
	if cfg.Window == 0 {
		cfg.Window = defaultFileWindow
	}
	if cfg.MaxAhead == 0 {
		cfg.MaxAhead = defaultFileAhead
	}
	if cfg.Window > cfg.MaxAhead-cfg.Window/2 {
		return nil, fmt.Errorf("%w: MaxAhead %v is less than 3/2 of Window %v, which is as far ahead as ticks are reserved", uid.ErrConfig, cfg.MaxAhead, cfg.Window)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &File{path: path, source: s, cfg: cfg}, nil
}

// Acquire opens and locks the file, which is created if there is none, and reserves the
// first ticks above all that were reserved in it before.
//
// It fails, and leaves a file that exists as it is, with
//   - [uid.ErrWorkerInUse] while another generator is bound to f, or to the file in
//     whatever process, which the error names as far as it is known;
//   - what the source returns, and [uid.ErrRange] when its ID does not fit the layout;
//   - [ErrState] when the file cannot be opened, locked, read or written, when it is not
//     empty and both of its records are damaged, or when it belongs to another worker ID or
//     host (see FileConfig's AnyHost);
//   - [ErrLayout] when it belongs to another layout;
//   - [ErrClock] when its ticks lie too far ahead of the clock (see FileConfig's
//     MaxAhead);
//   - [uid.ErrExhausted] when the layout's last tick has been reserved;
//   - [uid.ErrConfig] when the host has no name, and when the generator's MaxLead is more than
//     MaxAhead;
//   - ctx's error when that has ended before. Afterwards it is not looked at.
func (f *File) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if err := ctx.Err(); err != nil {
		return uid.Reservation{}, fmt.Errorf("worker: acquire the worker ID of the state file %s: %w", f.path, err)
	}
	if t.MaxLead > f.cfg.MaxAhead {
		return uid.Reservation{}, fmt.Errorf("%w: the generator's MaxLead %v is more than MaxAhead %v of the state file %s: "+
			"a start after a kill would be refused", uid.ErrConfig, t.MaxLead, f.cfg.MaxAhead, f.path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state != nil {
		return uid.Reservation{}, fmt.Errorf("%w: worker ID %d of the state file %s", uid.ErrWorkerInUse, f.record.WorkerID, f.path)
	}
	want, err := f.wanted(t)
	if err != nil {
		return uid.Reservation{}, err
	}
	state, err := openState(f.path)
	if err != nil {
		return uid.Reservation{}, err
	}
	f.terms, f.failing = t, false
	f.window = ticksOf(f.cfg.Window, t.Unit)
	// More than the window even where a tick is longer, so that a renewal is not due
	// at once again.
	f.reach = max(ticksOf(f.cfg.Window+f.cfg.Window/2, t.Unit), f.window+1)
	if err := f.bind(state, want); err != nil {
		return uid.Reservation{}, errors.Join(err, state.close())
	}
	f.cfg.Logger.InfoContext(ctx, "worker ID taken up with its state file", "worker_id", f.record.WorkerID,
		"max_worker_id", t.MaxWorkerID, "file", state.path, "first_tick", f.base+1, "last_tick", f.record.High)
	return f.reservation(), nil
}

// wanted returns the record of a new file.
func (f *File) wanted(t uid.Terms) (stateRecord, error) {
	id, err := f.source.resolve(t.MaxWorkerID)
	if err != nil {
		return stateRecord{}, err
	}
	host := f.cfg.Host
	if host == "" {
		if host, err = osHostName(); err != nil {
			return stateRecord{}, fmt.Errorf("%w: set Host", err)
		}
	}
	return stateRecord{Kind: stateFixed, Host: host, WorkerID: id, Layout: t.Layout, High: -1}, nil
}

// bind reserves the first ticks in a file that has just been opened, if it is the
// wanted one.
func (f *File) bind(state *stateFile, want stateRecord) error {
	f.record, f.base = want, -1
	if found, ok := state.load(); ok {
		if err := f.check(state, found, want); err != nil {
			return err
		}
		f.base = found.High
	}
	f.record.High = f.base
	if state.torn {
		f.cfg.Logger.Warn("one of the two records of a worker's state file is damaged, as when writing it was interrupted; the other one is used",
			"worker_id", want.WorkerID, "file", state.path, "last_tick", f.base)
	}
	f.state = state
	if err := f.reserve(f.base + 1); err != nil {
		f.state = nil
		return err
	}
	return nil
}

// check returns an error when a generator cannot go on from what the file holds.
func (f *File) check(state *stateFile, found, want stateRecord) error {
	allowed := max(ticksOf(f.cfg.MaxAhead, f.terms.Unit), f.reach)
	clock := f.clock()
	switch {
	case found.Kind != want.Kind:
		return fmt.Errorf("%w: %s is that of another kind of worker: %q, not %q", ErrState, state.path, found.Kind, want.Kind)
	case found.WorkerID != want.WorkerID:
		return fmt.Errorf("%w: %s belongs to worker ID %d, the source tells %d", ErrState, state.path, found.WorkerID, want.WorkerID)
	case found.Layout != want.Layout:
		return fmt.Errorf("%w: %s belongs to UIDs of %s under worker ID %d, now asked for %s", ErrLayout, state.path, found.Layout, found.WorkerID, want.Layout)
	case found.Host != want.Host && !f.cfg.AnyHost:
		return fmt.Errorf("%w: %s belongs to host %q, this is %q: if it was moved and not copied, set AnyHost", ErrState, state.path, found.Host, want.Host)
	case found.High < -1:
		return fmt.Errorf("%w: %s reserves ticks up to %d", ErrState, state.path, found.High)
	case found.High >= f.terms.MaxTick:
		return fmt.Errorf("%w: %s reserves tick %d under worker ID %d, the last one is %d", uid.ErrExhausted, state.path, found.High, found.WorkerID, f.terms.MaxTick)
	case found.High-allowed > clock && f.cfg.MaxAhead != math.MaxInt64:
		return fmt.Errorf("%w: %s reserves ticks up to %d, which is %s ahead of the clock's tick %d; MaxAhead allows %v. "+
			"Either the clock is wrong now, or it was when the file was written", ErrClock, state.path, found.High,
			f.span(found.High, clock), clock, f.cfg.MaxAhead)
	}
	return nil
}

// span says how long it is from one tick to another.
func (f *File) span(to, from int64) string {
	ticks := uint64(to) - uint64(from)
	if ticks > uint64(math.MaxInt64/f.terms.Unit) {
		return fmt.Sprintf("%d ticks of %v", ticks, f.terms.Unit)
	}
	return (time.Duration(ticks) * f.terms.Unit).String()
}

// Extend reserves ticks up to 3/2 Window ahead of the clock or of through, whichever is
// later, in the file. It returns [ErrState] when that cannot be written, or when the
// file is no longer in its place or was changed; and [uid.ErrNoReservation] when no
// generator is bound to f. It does not look at ctx.
func (f *File) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == nil {
		return uid.Reservation{}, f.unbound()
	}
	err := f.reserve(through)
	if err != nil && !f.failing {
		f.cfg.Logger.WarnContext(ctx, "a worker's state file cannot be renewed", "worker_id", f.record.WorkerID,
			"file", f.state.path, "last_tick", f.record.High, "left", f.record.High-f.clock(), "error", err)
	}
	f.failing = err != nil
	if err != nil {
		return uid.Reservation{}, err
	}
	return f.reservation(), nil
}

// Release notes in the file that no tick above last was issued, and unlocks it. When it
// fails with [ErrState] the file is unlocked all the same, and a generator that is
// made on it will begin further ahead than necessary. It returns [uid.ErrNoReservation]
// when no generator is bound to f. It does not look at ctx.
func (f *File) Release(_ context.Context, last int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == nil {
		return f.unbound()
	}
	f.record.High = max(f.base, last)
	err := errors.Join(f.state.save(f.record), f.state.close())
	f.state = nil
	return err
}

func (f *File) unbound() error {
	return fmt.Errorf("%w: the worker on the state file %s serves no generator", uid.ErrNoReservation, f.path)
}

// reserve raises High to the reach ahead of the clock or of a tick, if it is not there
// yet. f.mu is held.
func (f *File) reserve(tick int64) error {
	from := max(f.clock(), tick, 0)
	r := f.record
	if f.reach < f.terms.MaxTick-from {
		r.High = max(r.High, from+f.reach)
	} else {
		r.High = max(r.High, f.terms.MaxTick)
	}
	if r.High == f.record.High {
		return nil
	}
	if err := f.state.save(r); err != nil {
		return err
	}
	f.record = r
	return nil
}

func (f *File) reservation() uid.Reservation {
	r := uid.Reservation{WorkerID: f.record.WorkerID, First: f.base + 1, Last: f.record.High, Renew: math.MaxInt64}
	if r.Last < f.terms.MaxTick {
		r.Renew = r.Last - f.window
	}
	return r
}

func (f *File) clock() int64 { return f.terms.TickAt(f.cfg.Now()) }

// ticksOf returns how many ticks a positive duration begins.
func ticksOf(d, unit time.Duration) int64 { return int64((d-1)/unit) + 1 }
