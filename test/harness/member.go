package harness

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait for something that has to happen.
const patience = time.Minute

// Await waits until ok.
func Await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("waited %v for: %s", patience, what)
		}
	}
}

// Members are the processes of a test, which are killed when it ends. Their methods are called by
// the test's goroutine.
type Members struct {
	Rand *rand.Rand
	All  []*Member

	t   testing.TB
	dir string
}

// NewMembers returns no processes yet.
func NewMembers(t testing.TB) *Members {
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
	*Process
	Number int

	members *Members
	issued  func() int64
	expect  bool // that it ends
	paused  bool
}

// Launch starts a process with a job and a file of memory; see [Ordered]. issued returns how many numbers
// it has drawn.
func (c *Members) Launch(job any, memory *os.File, issued func() int64) *Member {
	c.t.Helper()
	p := &Member{members: c, Number: len(c.All), issued: issued}
	out, err := os.Create(p.logFile())
	if err == nil {
		defer out.Close()
		p.Process, err = Spawn(job, Program{
			Env: []string{"GORACE=atexit_sleep_ms=0", "GOMAXPROCS=2"}, Files: []*os.File{memory}, Output: out,
		})
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.All = append(c.All, p)
	return p
}

// Living are the processes that run, in the order of their start.
func (c *Members) Living() []*Member {
	return slices.DeleteFunc(slices.Clone(c.All), func(p *Member) bool { return p.expect })
}

// Any returns one of the living that draws.
func (c *Members) Any() (p *Member) {
	c.t.Helper()
	Await(c.t, "a process that draws", func() bool {
		living := c.Living()
		p = living[c.Rand.IntN(len(living))]
		return !p.paused && p.issued() > 0
	})
	return p
}

// AwaitAll waits until each of the living has drawn more.
func (c *Members) AwaitAll() {
	c.t.Helper()
	for _, p := range c.Living() {
		p.Await(1)
	}
}

// Idle lets some time go by, up to the given one.
func (c *Members) Idle(most time.Duration) { time.Sleep(time.Duration(c.Rand.Int64N(int64(most)))) }

// Await waits until the process has drawn n more.
func (p *Member) Await(n int64) {
	t := p.members.t
	t.Helper()
	from, began := p.issued(), time.Now()
	for p.issued() < from+n {
		if p.HasEnded() {
			t.Fatalf("process %d ended by itself:\n%s", p.Number, p.Log())
		}
		if time.Since(began) > patience {
			t.Fatalf("waited %v for process %d to draw, whose log ends:\n%s", patience, p.Number, p.dump())
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

// Stop pauses the process until Continue. On Linux it stands still when Stop returns.
func (p *Member) Stop() {
	p.paused = true
	p.Pause()
	Await(p.members.t, "a process to stand still", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
		return err != nil || p.HasEnded() || bytes.Contains(stat, []byte(") T "))
	})
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
