package crew

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/uidgen/uid/test/process"
)

// A T is the part of a testing.TB that a crew needs. Fatalf does not return.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
	// TempDir returns a folder that is removed when the test ends.
	TempDir() string
	Cleanup(func())
}

// patience bounds every wait for something that has to happen.
const patience = time.Minute

// Await waits until ok.
func Await(t T, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("waited %v for: %s", patience, what)
		}
	}
}

// jobEnv, with a job, makes the program a process of a test.
const jobEnv = "UID_CREW_JOB"

// memoryFD is where a process finds the memory.
const memoryFD = 3

// Members are the processes of a test, which are killed when it ends. Their methods are called by
// the test's goroutine.
type Members struct {
	Rand *rand.Rand
	All  []*Member

	t   T
	dir string
}

// NewMembers returns no processes yet.
func NewMembers(t T) *Members {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := &Members{t: t, Rand: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir()}
	t.Cleanup(func() {
		for _, p := range c.All {
			p.Kill()
		}
	})
	return c
}

// A Member is a process, alive or not.
type Member struct {
	*process.Process
	Number int

	members *Members
	issued  func() int64
	expect  bool // that it ends
	paused  bool
}

// Launch starts the test's own program, with a job and a file of memory; see [Ordered]. issued
// returns how many UIDs the process has drawn.
func (c *Members) Launch(job any, memory *os.File, issued func() int64) *Member {
	c.t.Helper()
	p := &Member{members: c, Number: len(c.All), issued: issued}
	if err := p.start(job, memory); err != nil {
		c.t.Fatalf("%v", err)
	}
	c.All = append(c.All, p)
	return p
}

func (p *Member) start(job any, memory *os.File) error {
	text, err := json.Marshal(job)
	if err != nil {
		return err
	}
	out, err := os.Create(p.logFile())
	if err != nil {
		return err
	}
	defer out.Close()
	p.Process, err = process.Start(process.Config{
		Env:   []string{jobEnv + "=" + string(text), "GORACE=atexit_sleep_ms=0", "GOMAXPROCS=2"},
		Files: []*os.File{memory}, Output: out,
	})
	return err
}

// Ordered is for the started process. If there is a job, it does it with the memory, and exits. Else it
// does nothing.
func Ordered[Job any](do func(j Job, memory *os.File) error) {
	text := os.Getenv(jobEnv)
	if text == "" {
		return
	}
	var j Job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = do(j, os.NewFile(memoryFD, "memory"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Living are the processes that run, in the order of their start.
func (c *Members) Living() (ps []*Member) {
	for _, p := range c.All {
		if !p.expect {
			ps = append(ps, p)
		}
	}
	return ps
}

// Any returns one of the living that draws UIDs.
func (c *Members) Any() (p *Member) {
	c.t.Helper()
	Await(c.t, "a process that draws UIDs", func() bool {
		living := c.Living()
		p = living[c.Rand.IntN(len(living))]
		return !p.paused && p.Issued() > 0
	})
	return p
}

// AwaitAll waits until each of the living has drawn more UIDs.
func (c *Members) AwaitAll() {
	c.t.Helper()
	for _, p := range c.Living() {
		p.AwaitUIDs(1)
	}
}

// CloseAll ends the living.
func (c *Members) CloseAll() {
	c.t.Helper()
	for _, p := range c.Living() {
		p.Close()
	}
}

// Idle lets some time go by, up to the given one.
func (c *Members) Idle(most time.Duration) { time.Sleep(time.Duration(c.Rand.Int64N(int64(most)))) }

// Issued returns how many UIDs the process has drawn.
func (p *Member) Issued() int64 { return p.issued() }

// AwaitUIDs waits until the process has drawn n UIDs more.
func (p *Member) AwaitUIDs(n int64) {
	t := p.members.t
	t.Helper()
	from, began := p.Issued(), time.Now()
	for p.Issued() < from+n {
		if p.HasEnded() {
			t.Fatalf("process %d ended by itself:\n%s", p.Number, p.Log())
		}
		if time.Since(began) > patience {
			t.Fatalf("waited %v for UIDs of process %d, whose log ends:\n%s", patience, p.Number, p.dump())
		}
		time.Sleep(time.Millisecond)
	}
}

// End ends the process without its doing.
func (p *Member) End() { p.end(p.Kill) }

// Close has the process close its generator and end.
func (p *Member) Close() { p.end(p.Quit) }

func (p *Member) end(do func()) {
	t := p.members.t
	t.Helper()
	if p.HasEnded() {
		t.Fatalf("process %d ended by itself:\n%s", p.Number, p.Log())
	}
	p.expect = true
	do()
	select {
	case <-p.Done():
	case <-time.After(patience):
		t.Fatalf("process %d does not end:\n%s", p.Number, p.dump())
	}
}

// Stop pauses the process until Continue.
func (p *Member) Stop() {
	p.paused = true
	p.Pause()
}

// Continue undoes Stop.
func (p *Member) Continue() {
	p.Resume()
	p.paused = false
}

// dump ends the process, which is stuck, and returns its log, with what its goroutines were doing.
func (p *Member) dump() string {
	p.Signal(syscall.SIGQUIT)
	select {
	case <-p.Done():
	case <-time.After(5 * time.Second):
	}
	return p.Log()
}

// Log returns what the process has logged.
func (p *Member) Log() string {
	text, _ := os.ReadFile(p.logFile())
	return string(text)
}

func (p *Member) logFile() string {
	return filepath.Join(p.members.dir, fmt.Sprintf("%d.log", p.Number))
}
