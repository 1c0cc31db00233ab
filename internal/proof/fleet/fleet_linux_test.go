package fleet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/proof/process"
	"github.com/uidgen/uid/internal/proof/record"
	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// times returns how often a fault is injected: few times, or full with UID_FAULTS=full.
func times(few, full int) int {
	if os.Getenv("UID_FAULTS") == "full" {
		return full
	}
	return few
}

// patience bounds every wait for something that has to happen.
const patience = time.Minute

// await waits until ok.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("waited %v for: %s", patience, what)
		}
	}
}

// A fleet is the processes of a test, and the database that they share. Its methods are
// called by the test's goroutine.
type fleet struct {
	t      testing.TB
	rand   *rand.Rand
	dir    string
	memory *memory
	job    job // that each process begins with
	all    []*member
	began  time.Time
}

func newFleet(t testing.TB, j job) *fleet {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f := &fleet{t: t, rand: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir(), job: j, began: time.Now()}
	var err error
	f.memory, err = newMemory()
	require.NoError(t, err)
	f.job.First, f.job.Ticks = f.memory.First, f.memory.Ticks
	t.Cleanup(func() {
		for _, p := range f.all {
			p.Kill()
		}
		f.memory.Close()
	})
	return f
}

// A member is a process of the fleet, alive or not.
type member struct {
	*process.Process
	fleet  *fleet
	number int
	expect bool // that it ends
	paused bool
}

// start starts a process. Every third one is uncached, and every other one greedy.
func (f *fleet) start() *member {
	f.t.Helper()
	j := f.job
	j.Process = len(f.all)
	j.Uncached, j.Greedy = j.Process%3 == 2, j.Process%2 == 0
	text, err := json.Marshal(j)
	require.NoError(f.t, err)
	out, err := os.Create(filepath.Join(f.dir, fmt.Sprintf("%d.log", j.Process)))
	require.NoError(f.t, err)
	defer out.Close()
	p := &member{fleet: f, number: j.Process}
	p.Process, err = process.Start(process.Config{
		Env:   []string{childEnv + "=" + string(text), "GORACE=atexit_sleep_ms=0", "GOMAXPROCS=2"},
		Files: []*os.File{f.memory.File()}, Output: out,
	})
	require.NoError(f.t, err)
	f.all = append(f.all, p)
	return p
}

func (f *fleet) startAll(n int) (ps []*member) {
	f.t.Helper()
	for range n {
		ps = append(ps, f.start())
	}
	for _, p := range ps {
		p.awaitUIDs(1)
	}
	return ps
}

// living are the processes that run, in the order of their start.
func (f *fleet) living() (ps []*member) {
	for _, p := range f.all {
		if !p.expect {
			ps = append(ps, p)
		}
	}
	return ps
}

// goesOn says whether to inject another fault after so many. Blind workers get them until
// they are found out.
func (f *fleet) goesOn(done, want int) bool {
	f.t.Helper()
	if !f.job.Blind {
		return done < want
	}
	if f.memory.doubles() == 0 && time.Since(f.began) > patience {
		f.t.Fatalf("without reservations, no duplicate after %d faults", done)
	}
	return f.memory.doubles() == 0
}

// any returns one of the living that draws UIDs.
func (f *fleet) any() (p *member) {
	f.t.Helper()
	await(f.t, "a process that draws UIDs", func() bool {
		living := f.living()
		p = living[f.rand.IntN(len(living))]
		return !p.paused && p.issued() > 0
	})
	return p
}

// awaitAll waits until each of the living has drawn more UIDs.
func (f *fleet) awaitAll() {
	f.t.Helper()
	for _, p := range f.living() {
		p.awaitUIDs(1)
	}
}

// takenOver returns how many leases have been taken over.
func (f *fleet) takenOver() int { return len(f.memory.happened(lease.TakenOver)) }

// lost returns how many leases a process has lost.
func (p *member) lost() (n int) {
	for _, e := range p.fleet.memory.happened(lease.Lost) {
		if e.process.Load() == int64(p.number) {
			n++
		}
	}
	return n
}

// idle lets some time go by, up to the given one.
func (f *fleet) idle(most time.Duration) { time.Sleep(time.Duration(f.rand.Int64N(int64(most)))) }

func (p *member) issued() int64 { return p.fleet.memory.processes[p.number].issued.Load() }

// id returns the worker ID that the process got last.
func (p *member) id() int64 { return p.fleet.memory.idOf(p.number) }

// awaitUIDs waits until the process has drawn n UIDs more.
func (p *member) awaitUIDs(n int64) {
	p.fleet.t.Helper()
	from := p.issued()
	defer func() {
		if p.fleet.t.Failed() {
			p.fleet.t.Logf("the log of process %d:\n%s", p.number, p.log())
		}
	}()
	await(p.fleet.t, fmt.Sprintf("UIDs of process %d", p.number), func() bool {
		if p.HasEnded() {
			p.fleet.t.Fatalf("process %d ended by itself", p.number)
		}
		return p.issued() >= from+n
	})
}

// kill ends the process without its doing.
func (p *member) kill() { p.end(p.Kill) }

// close has the process close its generator and end.
func (p *member) close() { p.end(p.Quit) }

func (p *member) end(do func()) {
	p.fleet.t.Helper()
	if p.HasEnded() {
		p.fleet.t.Fatalf("process %d ended by itself:\n%s", p.number, p.log())
	}
	p.expect = true
	do()
	select {
	case <-p.Done():
	case <-time.After(patience):
		p.fleet.t.Fatalf("process %d does not end:\n%s", p.number, p.log())
	}
}

func (p *member) stop() {
	p.paused = true
	p.Pause()
}

func (p *member) resume() {
	p.Resume()
	p.paused = false
}

func (p *member) log() string {
	text, _ := os.ReadFile(filepath.Join(p.fleet.dir, fmt.Sprintf("%d.log", p.number)))
	return string(text)
}

// replace kills a process that draws UIDs, or closes it, and starts another one.
func (f *fleet) replace(end func(*member)) {
	f.t.Helper()
	end(f.any())
	f.start()
}

// finish ends all processes, and has the test fail if a tick was given twice, or, with
// blind workers, if none was found. Nobody's log holds anything of the DSN.
func (f *fleet) finish() {
	f.t.Helper()
	for _, p := range f.living() {
		p.close()
	}
	var issued, failed, waited, refused int64
	for _, p := range f.all {
		require.NotContains(f.t, strings.ToLower(p.log()), canary, "process %d", p.number)
		at := &f.memory.processes[p.number]
		issued, waited, failed, refused = issued+at.issued.Load(), waited+at.noReservation.Load(), failed+at.failed.Load(), refused+at.refused.Load()
	}
	f.t.Logf("%d processes drew %d UIDs under %d leases, of which %d were taken over and %d lost; %d calls without a reservation, %d other failures, %d starts refused, %d duplicates",
		len(f.all), issued, f.leases(), f.takenOver(), len(f.memory.happened(lease.Lost)), waited, failed, refused, f.memory.doubles())
	require.Zero(f.t, failed)
	require.Zero(f.t, f.memory.Found(record.Outside), "UIDs of no time that can be")
	if f.job.Blind {
		require.NotZero(f.t, f.memory.doubles(), "without reservations this is to find duplicates")
		return
	}
	require.Empty(f.t, f.memory.texts(), "duplicates, by the processes that got them")
}

func (f *fleet) leases() int {
	return len(f.memory.happened(lease.Acquired)) + f.takenOver()
}

// mostAtOnce returns how many IDs can have been in use or in quarantine at once.
func (f *fleet) mostAtOnce() int {
	var lives []life
	for _, p := range f.all {
		lives = append(lives, life{p.Began(), p.Ended()})
	}
	var lost []time.Time
	for _, e := range f.memory.happened(lease.Lost) {
		lost = append(lost, time.Unix(0, e.at.Load()))
	}
	return mostAtOnce(lives, lost, f.job.Lease)
}

// A ledger is a row of the table, or what it became.
type ledger struct {
	ID       int64  `db:"WORKER_ID"`
	Nonce    string `db:"NONCE"`
	High     int64  `db:"HIGH"`
	Until    int64  `db:"LEASE_UNTIL"`
	Acquired int64  `db:"ACQUIRED"`
	Renewed  int64  `db:"RENEWED"`
}

// rows returns those of the IDs.
func rows(t testing.TB, db *sqlx.DB) (all []ledger) {
	t.Helper()
	require.NoError(t, db.Select(&all, "SELECT WORKER_ID, NONCE, HIGH, LEASE_UNTIL, ACQUIRED, RENEWED FROM WORKER_LEASE WHERE WORKER_ID >= 0 ORDER BY WORKER_ID"))
	return all
}

// unreserved returns the IDs of which a UID was given whose tick the table does not
// know of.
func (f *fleet) unreserved(db *sqlx.DB) (ids []int64) {
	f.t.Helper()
	for _, row := range rows(f.t, db) {
		if row.High < f.memory.Newest(row.ID) {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// prepare makes the database and the account that the fleet uses, with the rights that
// it needs, and returns the database as the account with all rights has it.
func prepare(t testing.TB, s *testserver.Server) *sqlx.DB {
	t.Helper()
	db := s.Open(t, "")
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + canary,
		"CREATE DATABASE " + canary,
		"CREATE OR REPLACE USER '" + canary + "'@'%' IDENTIFIED BY '" + canary + "'",
		"GRANT SELECT, INSERT, UPDATE ON " + canary + ".* TO '" + canary + "'@'%'",
	} {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
	db = s.Open(t, canary)
	found(t, db, 0)
	return db
}

// found makes the fleet's namespace.
func found(t testing.TB, db *sqlx.DB, rest time.Duration) {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	leases, err := tables.Leases("")
	require.NoError(t, err)
	require.NoError(t, lease.Found(t.Context(), leases, layout.Terms(), rest))
}
