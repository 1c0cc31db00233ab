package fleet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker"
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
	record *record
	job    job // that each process begins with
	all    []*process
	began  time.Time
}

func newFleet(t testing.TB, j job) *fleet {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f := &fleet{t: t, rand: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir(), job: j, began: time.Now()}
	f.job.Record = filepath.Join(f.dir, "record")
	var err error
	f.record, err = newRecord(f.job.Record)
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, p := range f.all {
			p.signal(syscall.SIGKILL)
			<-p.ended
		}
		_ = f.record.close()
	})
	return f
}

// A process is one of the fleet, alive or not.
type process struct {
	fleet   *fleet
	number  int
	job     job
	cmd     *exec.Cmd
	ended   chan struct{}
	began   time.Time
	expect  bool // that it ends
	gone    time.Time
	stopped bool
}

// start starts a process. Every third one is uncached, and every other one greedy.
func (f *fleet) start() *process {
	f.t.Helper()
	j := f.job
	j.Process = len(f.all)
	j.Uncached, j.Greedy = j.Process%3 == 2, j.Process%2 == 0
	text, err := json.Marshal(j)
	require.NoError(f.t, err)
	out, err := os.Create(filepath.Join(f.dir, fmt.Sprintf("%d.log", j.Process)))
	require.NoError(f.t, err)
	defer out.Close()
	p := &process{fleet: f, number: j.Process, job: j, cmd: exec.Command(os.Args[0]), ended: make(chan struct{}), began: time.Now()}
	p.cmd.Env = append(os.Environ(), childEnv+"="+string(text), "GORACE=atexit_sleep_ms=0", "GOMAXPROCS=2")
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		defer close(p.ended)
		// The kernel kills a process when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
		}
	}()
	require.NoError(f.t, <-started)
	f.all = append(f.all, p)
	return p
}

func (f *fleet) startAll(n int) (ps []*process) {
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
func (f *fleet) living() (ps []*process) {
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
	if f.record.doublesN.Load() == 0 && time.Since(f.began) > patience {
		f.t.Fatalf("without reservations, no duplicate after %d faults", done)
	}
	return f.record.doublesN.Load() == 0
}

// any returns one of the living that draws UIDs.
func (f *fleet) any() (p *process) {
	f.t.Helper()
	await(f.t, "a process that draws UIDs", func() bool {
		living := f.living()
		p = living[f.rand.IntN(len(living))]
		return !p.stopped && p.issued() > 0
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
func (f *fleet) takenOver() int { return len(f.record.happened(worker.LeaseTakenOver)) }

// lost returns how many leases a process has lost.
func (p *process) lost() (n int) {
	for _, e := range p.fleet.record.happened(worker.LeaseLost) {
		if e.process.Load() == int64(p.number) {
			n++
		}
	}
	return n
}

// idle lets some time go by, up to the given one.
func (f *fleet) idle(most time.Duration) { time.Sleep(time.Duration(f.rand.Int64N(int64(most)))) }

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

func (p *process) issued() int64 { return p.fleet.record.processes[p.number].issued.Load() }

// id returns the worker ID that the process got last.
func (p *process) id() int64 { return p.fleet.record.idOf(p.number) }

// awaitUIDs waits until the process has drawn n UIDs more.
func (p *process) awaitUIDs(n int64) {
	p.fleet.t.Helper()
	from := p.issued()
	defer func() {
		if p.fleet.t.Failed() {
			p.fleet.t.Logf("the log of process %d:\n%s", p.number, p.log())
		}
	}()
	await(p.fleet.t, fmt.Sprintf("UIDs of process %d", p.number), func() bool {
		select {
		case <-p.ended:
			p.fleet.t.Fatalf("process %d ended by itself", p.number)
		default:
		}
		return p.issued() >= from+n
	})
}

// kill ends the process with SIGKILL.
func (p *process) kill() { p.end(syscall.SIGKILL) }

// close has the process close its generator and end.
func (p *process) close() { p.end(syscall.SIGTERM) }

func (p *process) end(s syscall.Signal) {
	p.fleet.t.Helper()
	select {
	case <-p.ended:
		p.fleet.t.Fatalf("process %d ended by itself:\n%s", p.number, p.log())
	default:
	}
	p.expect = true
	p.signal(s)
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.fleet.t.Fatalf("process %d does not end:\n%s", p.number, p.log())
	}
	p.gone = time.Now()
}

func (p *process) stop() {
	p.stopped = true
	p.signal(syscall.SIGSTOP)
}

func (p *process) resume() {
	p.signal(syscall.SIGCONT)
	p.stopped = false
}

func (p *process) log() string {
	text, _ := os.ReadFile(filepath.Join(p.fleet.dir, fmt.Sprintf("%d.log", p.number)))
	return string(text)
}

// replace kills a process that draws UIDs, or closes it, and starts another one.
func (f *fleet) replace(end func(*process)) {
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
		at := &f.record.processes[p.number]
		issued, waited, failed, refused = issued+at.issued.Load(), waited+at.noReservation.Load(), failed+at.failed.Load(), refused+at.refused.Load()
	}
	f.t.Logf("%d processes drew %d UIDs under %d leases, of which %d were taken over and %d lost; %d calls without a reservation, %d other failures, %d starts refused, %d duplicates",
		len(f.all), issued, f.leases(), f.takenOver(), len(f.record.happened(worker.LeaseLost)), waited, failed, refused, f.record.doublesN.Load())
	require.Zero(f.t, failed)
	require.Zero(f.t, f.record.outside.Load(), "UIDs of no time that can be")
	if f.job.Blind {
		require.NotZero(f.t, f.record.doublesN.Load(), "without reservations this is to find duplicates")
		return
	}
	require.Empty(f.t, f.record.logtest.Texts(), "duplicates, by the processes that got them")
}

func (f *fleet) leases() int {
	return len(f.record.happened(worker.LeaseAcquired)) + f.takenOver()
}

// mostAtOnce returns how many IDs can have been in use or in quarantine at once.
func (f *fleet) mostAtOnce() int {
	var lost []time.Time
	for _, e := range f.record.happened(worker.LeaseLost) {
		lost = append(lost, time.Unix(0, e.at.Load()))
	}
	return mostAtOnce(f.all, lost, f.job.Lease)
}

func mostAtOnce(all []*process, lost []time.Time, lease timing) int {
	type change struct {
		at time.Time
		by int
	}
	var changes []change
	// What came before may have reached the database this much later.
	const late = time.Second / 2
	until := lease.TTL + lease.Quarantine + late
	for _, p := range all {
		changes = append(changes, change{p.began, 1}, change{p.gone.Add(until), -1})
	}
	for _, at := range lost { // another ID is taken from then on, and the old one free later
		changes = append(changes, change{at, 1}, change{at.Add(until), -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return a.at.Compare(b.at) })
	most, now := 0, 0
	for _, c := range changes {
		now += c.by
		most = max(most, now)
	}
	return most
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
		if row.High < f.record.newest(row.ID) {
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
	r, err := worker.NewRegistry(db, worker.RegistryConfig{})
	require.NoError(t, err)
	require.NoError(t, r.Init(t.Context(), worker.Namespace{Terms: layout.Terms(), Rest: rest}))
}
