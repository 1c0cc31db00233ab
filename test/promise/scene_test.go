package promise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// promised is the layout of the matrix's UIDs. Two UIDs a tick let a generator be ahead of
// its clock after a few; ticks of 100 ms keep the wait for a first reservation short, and the
// UIDs of a whole one few.
var promised = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 1, Unit: promisedTick})

const (
	promisedTick = 100 * time.Millisecond
	promisedLead = 3 * time.Minute // more than any process begins ahead, which is a Burn, or reserves
)

// A scene is where one cell of the matrix is played, with one kind of generator: the
// processes, the database and the state files of a way to get a worker ID, and a mark for
// every UID that any of the processes drew.
//
// Time goes by when the scene says so, by as much as it says, besides the little that the
// test really takes.
type scene struct {
	t         testing.TB
	way       way
	generator string // a key of promisedGenerators
	met       bool   // the condition of a cell that is "unique if" holds
	byClock   bool   // processes keep to the clock, at the default MaxLead; else they draw all that they can have

	db    *base             // nil where the way has no database
	kept  map[string]string // of keys
	back  func() error      // or of a whole store
	whole bool              // what is kept is the whole store
	store engines.Database
	dir   string // of the state files

	spared int64 // Skip of sqlstore.Config

	skip drift        // by which the processes' clocks are ahead of the real one
	data drift        // by which the database's is
	line atomic.Int32 // how many servers were promoted

	crowd int        // how many processes are yet to join the crew,
	crew  []*process // who draw all the time, besides those of the play

	started    []*process
	processes  int
	marks      map[uid.UID]string // who drew it first
	duplicates int
	first      string // the first duplicate, in words
}

// A drift is by how much a clock is ahead, at any time.
type drift struct{ ns atomic.Int64 }

func (d *drift) add(by time.Duration) { d.ns.Add(int64(by)) }
func (d *drift) now() time.Duration   { return time.Duration(d.ns.Load()) }

// quiet is what processes log.
var quiet = slog.New(slog.DiscardHandler)

// A maker makes a generator for a scene, with a clock of its process.
type maker func(w uid.Worker, layout bits.Layout, lead time.Duration, now func() time.Time) (uid.Generator, error)

var promisedGenerators = map[string]maker{
	"cached": func(w uid.Worker, layout bits.Layout, lead time.Duration, now func() time.Time) (uid.Generator, error) {
		return cached.New(w, cached.Config{Layout: layout, Now: now, MaxLead: lead, Logger: quiet})
	},
	"uncached": func(w uid.Worker, layout bits.Layout, _ time.Duration, now func() time.Time) (uid.Generator, error) {
		return uncached.New(w, uncached.Config{Layout: layout, Now: now, Logger: quiet})
	},
}

// A process has a worker and a generator, as one that runs somewhere has.
type process struct {
	s      *scene
	name   string
	db     *base // its own, or the scene's
	leash  *leash
	g      uid.Generator
	tenure *tenure.Tenure // the generator's
	lease  uid.Worker     // nil if it leases no ID

	clock drift // by which its wall clock is off
	next  int64 // the tick after the last one that it drew
	ended bool  // it was stopped or killed

	refusal error // why the last take got less than it wanted
}

// how says how a process is to be started. The zero value is the usual way.
type how struct {
	seat  int // processes of another seat are configured to have another ID, and another state file
	clock time.Duration
	path  string // of the state file, if it is not the seat's
	host  string
	db    *base
	lease func(*lease.Config)
	alone bool // the crew joins a later one

	namespace string // of the leases, if it is not the default one

	layout   bits.Layout // promised, if it is not set
	rollback int         // bits of it, for uncached with RollbackBits whatever the scene's generator is
}

func newScene(t testing.TB, w way, generator string, met, byClock bool) *scene {
	s := &scene{t: t, way: w, generator: generator, met: met, byClock: byClock,
		spared: 20, dir: t.TempDir(), marks: map[uid.UID]string{}}
	if !met { // else it takes more starts until an ID comes again
		s.spared = -1
	}
	return s
}

// set makes what the way needs.
func (s *scene) set() {
	s.t.Helper()
	switch {
	case s.keyed():
		s.db = &base{keys: s.way.keys(s.t, s.whole)}
		s.make("", promised)
		return
	case s.way.store != nil:
		s.store = s.way.store(s.t)
		s.db = s.opened(s.store)
		s.grown()
	}
	if s.leased() {
		s.make("", promised)
		s.keep() // else there would be another table later, which is another history of a SQLite file,
		s.sql("DELETE FROM TABLE_OF_IDS")
		s.make("", promised) // and the namespace is to know it
	}
}

// join starts the crew, once the first process of the play has its ID, with the same settings.
func (s *scene) join(h how) {
	s.t.Helper()
	missing := s.crowd
	s.crowd = 0
	for i := range missing {
		s.crew = append(s.crew, s.start(how{seat: 20 + i, lease: h.lease}))
	}
}

// lend leases the free rows that came with a new ID to somebody who never draws, as far as that is possible just
// now: else few processes would get an ID that another one has had.
func (s *scene) lend() {
	if !s.leased() {
		return
	}
	if s.keyed() {
		s.edit(func(row *storage.Lease) bool {
			free := row.Nonce == "" && row.High == -1
			row.Nonce, row.Until = "lent", time.UnixMicro(7258118400000000)
			return free
		})
	} else {
		_, _ = s.db.ExecContext(s.t.Context(), "UPDATE WORKER_LEASE SET NONCE = 'lent', "+
			"LEASE_UNTIL = 7258118400000000 WHERE NONCE = '' AND HIGH = -1 AND WORKER_ID >= 0")
	}
}

// killAll kills processes and the crew.
func (s *scene) killAll(ps ...*process) {
	for _, q := range append(slices.Clone(s.crew), ps...) {
		q.kill()
	}
}

// allQuietly does something while processes and the crew stand still: nobody calls their workers, and
// the crew draws nothing.
func (s *scene) allQuietly(do func(), ps ...*process) {
	crew := s.crew
	s.crew = nil
	defer func() { s.crew = crew }()
	for _, q := range append(slices.Clone(crew), ps...) {
		q.leash.call.Lock()
		defer q.leash.call.Unlock()
	}
	do()
}

// tables are those of a database.
func (s *scene) tables(db *base) *sqlstore.DB {
	s.t.Helper()
	tables, err := sqlstore.New(db.DB, sqlstore.Config{Skip: s.spared, Logger: quiet})
	require.NoError(s.t, err)
	return tables
}

// A base is a way to the database.
type base struct {
	*sqlx.DB                  // of tables,
	keys                *keys // or of keys
	down                atomic.Bool
	swallows, swallowed atomic.Int32 // what is lost next, and how many were
}

// opened opens a store of tables.
func (s *scene) opened(store engines.Database) *base { return &base{DB: store.Open(s.t)} }

// keyed reports whether the way has a store of keys.
func (s *scene) keyed() bool { return s.way.keys != nil }

// copies reports whether what is put back by hand is refused as a copy.
func (s *scene) copies() bool { return s.keyed() && s.db.keys.copies }

// end ends servers of the scene's own.
func (s *scene) end() {
	if s.db != nil && s.db.keys != nil && s.db.keys.whole != nil {
		s.db.keys.whole.end()
	}
}

// leases are those of a namespace.
func (s *scene) leases(db *base, namespace string) (lease.Store, error) {
	if !s.keyed() {
		return s.tables(db).Leases(namespace)
	}
	l, err := db.keys.Namespace(namespace)
	if err != nil {
		return nil, err
	}
	return cable{l, db}, nil
}

// registry is that of whoever looks after the database.
func (s *scene) registry() *registry.Registry {
	s.t.Helper()
	var store registry.Store
	if s.keyed() {
		store = s.db.keys
	} else {
		store = s.tables(s.db).Registry()
	}
	r, err := registry.New(shiftedRegistry{store, s.data.now}, registry.Config{Logger: quiet})
	require.NoError(s.t, err)
	return r
}

// make makes a namespace of leases.
func (s *scene) make(name string, layout bits.Layout) {
	s.t.Helper()
	require.NoError(s.t, s.registry().Init(s.t.Context(), name, lease.Founding{Layout: layout}))
}

// path is a seat's state file.
func (s *scene) path(seat int) string { return filepath.Join(s.dir, fmt.Sprint(seat, ".state")) }

// start starts a process, which has to succeed.
func (s *scene) start(h how) *process {
	s.t.Helper()
	p, err := s.try(h)
	require.NoError(s.t, err)
	return p
}

// startUnless starts a process, or returns nil when that is refused with one of the errors.
func (s *scene) startUnless(h how, refusals ...error) *process {
	s.t.Helper()
	p, err := s.try(h)
	if slices.ContainsFunc(refusals, func(refusal error) bool { return errors.Is(err, refusal) }) {
		return nil
	}
	require.NoError(s.t, err)
	return p
}

// refused starts a process, which has to be refused with the error.
func (s *scene) refused(h how, refusal error) {
	s.t.Helper()
	_, err := s.try(h)
	require.ErrorIs(s.t, err, refusal)
}

func (s *scene) try(h how) (*process, error) {
	s.t.Helper()
	s.processes++
	p := &process{s: s, name: fmt.Sprintf("process %d", s.processes), db: cmp.Or(h.db, s.db)}
	p.step(h.clock)
	w := s.way.worker(p, h)
	p.leash = &leash{Worker: w, begun: make(chan struct{})}
	var err error
	if h.layout.IsZero() {
		h.layout = promised
	}
	if h.rollback > 0 {
		turns := uncached.RollbackBits(h.rollback)
		p.g, err = uncached.New(p.leash, uncached.Config{Layout: h.layout, Now: p.now, ClockBack: turns, Logger: quiet})
	} else {
		p.g, err = promisedGenerators[s.generator](p.leash, h.layout, s.lead(), p.now)
	}
	if err != nil {
		return nil, err
	}
	p.tenure = harness.Tenure(p.g)
	s.t.Cleanup(func() { p.kill() })
	s.started = append(s.started, p)
	s.lend()
	if !h.alone {
		s.join(h)
	}
	return p, nil
}

// now is the process's wall clock.
func (p *process) now() time.Time { return time.Now().Add(p.s.skip.now() + p.clock.now()).Round(0) }

// step sets the process's clock.
func (p *process) step(d time.Duration) { p.clock.add(d) }

// steady is every process's clock for the time between two calls, which nobody sets.
func (s *scene) steady() time.Time { return time.Now().Add(s.skip.now()) }

// promote makes the database another server, or the same one started anew.
func (s *scene) promote() {
	if s.way.column == throwaway {
		s.aged()
		switch {
		case s.sqlite():
			s.sql("CREATE TABLE PROMOTED (X INT)")
		case s.postgres():
			s.sql("VACUUM FULL TABLE_OF_IDS")
		default:
			s.sql("ALTER TABLE TABLE_OF_IDS ENGINE = InnoDB")
		}
		return
	}
	s.line.Add(1)
}

// history is what the database tells of that.
func (s *scene) history() string {
	if n := s.line.Load(); n > 0 {
		return fmt.Sprint(", promoted ", n)
	}
	return ""
}

// pass lets time go by, for everybody.
func (s *scene) pass(d time.Duration) {
	s.skip.add(d)
	s.data.add(d)
}

// stepDatabase sets the clock of the database, and of its copy.
func (s *scene) stepDatabase(d time.Duration) { s.data.add(d) }

// draw has the processes and the crew draw UIDs, in turns, while the time of some ticks goes by: what a
// tick has, or, where a generator borrows from the future, some ticks' worth each time. A nil
// process, one that was refused, draws nothing.
func (s *scene) draw(ps ...*process) {
	s.t.Helper()
	const ticks = 10
	most := 30
	if s.byClock {
		most = 2
	}
	ps = append(slices.Clone(ps), s.crew...)
	for i := range ticks {
		for _, p := range ps {
			if p != nil {
				if i == 0 || !p.leash.failing.Load() {
					p.renewed()
				}
				p.take(most)
			}
		}
		s.skip.add(promisedTick)
	}
	s.stepDatabase(ticks * promisedTick)
}

// drawAcross has processes draw, and once more a window later.
func (s *scene) drawAcross(ps ...*process) {
	s.t.Helper()
	s.draw(ps...)
	s.pass(window)
	s.draw(ps...)
}

// drawing starts a process that draws.
func (s *scene) drawing() *process {
	s.t.Helper()
	p := s.start(how{})
	s.drawSome(p)
	return p
}

// drawSome has a process draw, and requires that it gets something.
func (s *scene) drawSome(ps ...*process) {
	s.t.Helper()
	for _, p := range ps {
		require.NotNil(s.t, p)
		require.Eventually(s.t, func() bool { return p.take(1) > 0 }, 20*time.Second, time.Millisecond, p.name)
	}
	s.draw(ps...)
}

// prolong lets time go by until a process has more reserved than before, if it leases its ID.
func (s *scene) prolong(p *process) {
	s.t.Helper()
	before := p.granted().Last
	s.pass(window)
	if s.leased() {
		require.Eventually(s.t, func() bool {
			p.take(1)
			return p.granted().Last > before
		}, 20*time.Second, time.Millisecond, "%s has no more reserved than before", p.name)
	}
	s.drawSome(p)
}

// drain has a process draw all that it can have just now, and what its worker reserves
// beyond that when it is asked, or what a tick has, if it keeps to the clock.
func (s *scene) drain(p *process) {
	s.t.Helper()
	if p == nil || p.ended {
		return
	}
	p.renewed()
	if s.byClock {
		s.draw(p)
		return
	}
	if s.leased() { // all at once, as many bursts would
		p.leash.least.Store(promised.Terms().TickAt(p.now().Add(promisedLead)))
	}
	for range 4 {
		p.take(mostReserved)
		if !s.reservesAhead() || !errors.Is(p.refusal, uid.ErrNoReservation) {
			return
		}
		before := p.granted().Last
		s.pass(promisedTick) // a lease waits as long between two writes of a burst
		if p.asked(); p.granted().Last == before {
			return
		}
	}
}

// flatOut reports whether UIDs are ahead of the clock by all that is allowed.
func (s *scene) flatOut() bool { return s.generator == "cached" && !s.byClock }

// lead is the generators' MaxLead.
func (s *scene) lead() time.Duration {
	if s.byClock {
		return 0
	}
	return promisedLead
}

// mostReserved is more UIDs than are ever reserved at once.
const mostReserved = 15_000

// drawBeyond has a process draw until it has UIDs of later ticks than the one given, if its
// generator runs ahead of its clock.
func (s *scene) drawBeyond(p *process, tick int64) {
	s.t.Helper()
	if !s.flatOut() {
		s.draw(p)
		return
	}
	require.Eventually(s.t, func() bool {
		p.take(1000)
		return p.next > tick+100
	}, 20*time.Second, time.Millisecond, "%s gets nothing beyond tick %d", p.name, tick)
}

// reservesAhead reports whether the way's worker reserves ticks as far ahead of the clock as
// its generator asks.
func (s *scene) reservesAhead() bool { return s.way.column == file || s.leased() }

// take draws up to n UIDs, without waiting, and returns how many it got.
func (p *process) take(n int) int {
	p.s.t.Helper()
	if p.ended {
		return 0
	}
	p.refusal = nil
	var last uid.UID
	i := 0
	for ; i < n; i++ {
		u, err := p.g.TryGetUID()
		if err != nil {
			p.refusal = err
			break
		}
		last = u
		p.s.mark(u, p.name)
	}
	if err := p.refusal; err != nil && !errors.Is(err, uid.ErrNoReservation) &&
		!errors.Is(err, uid.ErrRejectedTake) && !errors.Is(err, uid.ErrClockBack) {
		require.NoError(p.s.t, err)
	}
	if i > 0 {
		tick, err := promised.Tick(last)
		require.NoError(p.s.t, err)
		p.next = max(p.next, tick+1)
	}
	return i
}

// mark notes a UID, and whether somebody has drawn it before.
func (s *scene) mark(u uid.UID, by string) {
	was, found := s.marks[u]
	if !found {
		s.marks[u] = by
		return
	}
	if s.duplicates == 0 {
		parts, _ := promised.Parse(u)
		s.first = fmt.Sprintf("%v: drawn by %s and by %s", parts, was, by)
	}
	s.duplicates++
}

// kill ends a process without a word to anybody; the kernel lets go of its locks. A nil one has not begun.
func (p *process) kill() {
	if p == nil {
		return
	}
	p.ended = true
	p.leash.cut(func() {
		if file := harness.StateFile(p.leash.Worker); file != nil {
			_ = file.Close() // which the kernel does
		}
	})
	_ = p.g.Close()
}

// stop ends a process in good order.
func (p *process) stop() (until time.Time) {
	p.s.t.Helper()
	p.ended = true
	err, unkept := p.g.CloseContext(p.s.t.Context()), (*uid.UnkeptError)(nil)
	if errors.As(err, &unkept) {
		until, err = unkept.Until, nil
	}
	require.NoError(p.s.t, err)
	p.leash.cut(func() {})
	return until
}

// renewed has a renewal that is due tried.
func (p *process) renewed() {
	if p.leash.due(promised.Terms().TickAt(p.now())) {
		p.asked()
	}
}

// asked has the worker asked for more, as it is when a generator's time has come, and waits until the generator
// has been told what it answered: its calls come one after another, and the next one begins after that.
func (p *process) asked() {
	for range 2 {
		begun := p.leash.next()
		p.tenure.Want(0)
		select {
		case <-begun:
		case <-time.After(20 * time.Second):
			require.FailNow(p.s.t, "the worker is not asked for more", p.name)
		}
	}
}

// quietly does something while a process stands still: nobody calls its worker.
func (p *process) quietly(do func()) {
	p.leash.call.Lock()
	defer p.leash.call.Unlock()
	do()
}

// A leash is between a generator and its worker: it knows what was granted, and can be
// cut, so that the worker hears no more of a process that was killed.
type leash struct {
	uid.Worker
	call sync.Mutex // held while the worker is called

	res     atomic.Pointer[uid.Reservation] // what the generator has
	failing atomic.Bool                     // the last Extend failed
	dead    atomic.Bool
	least   atomic.Int64 // a tick that the worker is asked for, if the generator does not ask for more

	mu    sync.Mutex
	begun chan struct{} // closed, and replaced, when an Extend begins
}

var errKilled = errors.New("the process was killed")

func (l *leash) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	l.call.Lock()
	defer l.call.Unlock()
	res, err := l.Worker.Acquire(ctx, t)
	l.res.Store(&res)
	return res, err
}

func (l *leash) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	l.mu.Lock()
	close(l.begun)
	l.begun = make(chan struct{})
	l.mu.Unlock()
	l.call.Lock()
	defer l.call.Unlock()
	if l.dead.Load() {
		return uid.Reservation{}, errKilled
	}
	res, err := l.Worker.Extend(ctx, max(through, l.least.Load()))
	if err == nil {
		l.res.Store(&res)
	}
	l.failing.Store(err != nil)
	return res, err
}

func (l *leash) Release(ctx context.Context, last int64) error {
	l.call.Lock()
	defer l.call.Unlock()
	if l.dead.Load() {
		return nil
	}
	return l.Worker.Release(ctx, last)
}

// cut cuts the leash, and calls end the first time.
func (l *leash) cut(end func()) {
	l.call.Lock()
	defer l.call.Unlock()
	if !l.dead.Swap(true) {
		end()
	}
}

// due reports whether a renewal is due at a tick.
func (l *leash) due(tick int64) bool { return !l.dead.Load() && tick >= l.res.Load().Renew }

// next is closed when the next Extend begins.
func (l *leash) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

// granted is what the generator has.
func (p *process) granted() uid.Reservation { return *p.leash.res.Load() }

// A clone is a worker in a copy of a running process: it has what that one had.
type clone uid.Reservation

func (c clone) Acquire(context.Context, uid.Terms) (uid.Reservation, error) {
	return uid.Reservation(c), nil
}
func (c clone) Extend(context.Context, int64) (uid.Reservation, error) {
	return uid.Reservation(c), nil
}
func (c clone) Release(context.Context, int64) error { return nil }

// clone copies a running process, as far as one process can: the copy goes on where the
// original stands, and issues what that has. What the copy asks of the database is not
// played.
func (p *process) clone() *process {
	s := p.s
	s.t.Helper()
	s.processes++
	res := p.granted()
	res.First, res.Renew = max(res.First, p.next), math.MaxInt64
	c := &process{s: s, name: "a clone of " + p.name}
	c.step(p.clock.now())
	c.leash = &leash{Worker: clone(res), begun: make(chan struct{})}
	var err error
	c.g, err = promisedGenerators[s.generator](c.leash, promised, s.lead(), c.now)
	require.NoError(s.t, err)
	c.tenure = harness.Tenure(c.g)
	s.t.Cleanup(func() { c.kill() })
	return c
}

// copyState copies the process's state file, and returns the last tick that the copy grants.
func (p *process) copyState(to string) (last int64) {
	p.s.t.Helper()
	p.quietly(func() { // else the copy may be of a grant that nobody has heard of yet
		p.s.copyFile(p.s.path(0), to)
		last = p.granted().Last
	})
	return last
}

// copyFile copies a file as a program does that knows nothing of its content.
func (s *scene) copyFile(from, to string) {
	s.t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(to, content, 0o600))
}
