// Package suite is what the suites for authors of stores share: internal/storetest and
// internal/segmenttest. It knows nothing of what a store keeps.
package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uidgen/uid/internal/retry"
)

const (
	// Limit bounds the histories of a check, and each of its waits.
	Limit = time.Minute
	// longest bounds a check, which may write hundreds of rows on a slow disk.
	longest = 5 * Limit
	// soon is when a call returns at the latest after its context has ended.
	soon = 5 * time.Second
	// most is how many violations a check reports.
	most = 10
)

// Settings say how much a suite tries. The zero value suits a test that may take some seconds with a database.
type Settings struct {
	// Histories is how many random histories are recorded; the default is 20. Each is some 40
	// calls by four clients.
	Histories int

	// Seed repeats the calls and faults of the histories, though not their timing. By default
	// each run has its own, and logs it when a check fails.
	Seed uint64

	// Patience is how long a decision waits for another one to meet it; with a store that locks,
	// none ever does. Set it above the duration of a call. The default is 20 ms; above half a
	// second a store may take its client for dead.
	Patience time.Duration
}

// OrDefaults returns the settings with a default for each that is 0.
func (s Settings) OrDefaults() Settings {
	return Settings{cmp.Or(s.Histories, 20), cmp.Or(s.Seed, rand.Uint64()), cmp.Or(s.Patience, 20*time.Millisecond)}
}

// A Check tries some sentences of a contract, on a probe of type P.
type Check[P any] struct {
	Name     string
	Contract string // those sentences, in short
	Run      func(P)
}

// A Probe is one run of a check. All methods may be called by any number of goroutines at once.
type Probe struct {
	Ctx context.Context
	Settings
	// Model judges all calls but those of histories.
	Model *Model
	// Passes reports whether an error of a call is none for good; the default is the function Passes.
	Passes func(error) bool
	// Brief returns the part of a text that histories are about; nil stands for all of it.
	Brief func(text string) string

	secret string
	judge  judge
	met    chan struct{} // lets two decisions meet

	mu         sync.Mutex
	behind     int        // what runs yet of Soon and Meanwhile
	fewer      *sync.Cond // of behind
	violations []string
	notes      []string
	tokens     int
}

// NewProbe returns one that looks for the secret, if it is not empty, in all that it is shown.
func NewProbe(ctx context.Context, s Settings, secret string) *Probe {
	p := &Probe{Ctx: ctx, Settings: s, Passes: Passes, secret: secret, met: make(chan struct{})}
	p.fewer, p.Model = sync.NewCond(&p.mu), &Model{p: p, now: map[string]held{}}
	p.judge = p.Model
	return p
}

// Alone reports whether a Model judges, and no history.
func (p *Probe) Alone() bool { return p.judge == judge(p.Model) }

func (p *Probe) brief(text string) string {
	if p.Brief == nil {
		return text
	}
	return p.Brief(text)
}

// stopped ends a check that cannot go on.
type stopped struct{}

// Try runs a check, until its end, a stop, or its longest time.
func (p *Probe) Try(check func()) {
	ctx, cancel := context.WithTimeout(p.Ctx, longest)
	defer cancel()
	p.Ctx = ctx
	p.Guarded(check)
	p.Wait()
}

// Run runs each check in a subtest of its own, on a probe of its own.
func Run[P interface {
	Try(check func())
	Report(t *testing.T, contract string)
}](t *testing.T, checks []Check[P], open func(t *testing.T) P) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) {
			p := open(t)
			p.Try(func() { c.Run(p) })
			p.Report(t, c.Contract)
		})
	}
}

// Finds runs a check in a bubble, where nothing waits in real time, and returns what it finds: decisions meet, and
// calls that never return are found, however busy the machine is.
func Finds[P interface {
	Try(check func())
	Found() []string
}](t *testing.T, c Check[P], open func(t *testing.T) P) (found []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := open(t)
		p.Try(func() { c.Run(p) })
		found = p.Found()
	})
	return found
}

// Report passes what was found to the test.
func (p *Probe) Report(t *testing.T, contract string) {
	t.Helper()
	for _, note := range p.notes {
		t.Log(note)
	}
	for _, v := range p.Found() {
		t.Error(v)
	}
	if t.Failed() {
		t.Logf("the contract: %s\nseed %d", contract, p.Seed)
	}
}

// Guarded runs part of a check, until its end or a stop.
func (p *Probe) Guarded(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stopped); !ok {
				panic(r)
			}
		}
	}()
	f()
}

// Errorf records that the store breaks the contract.
func (p *Probe) Errorf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.violations) < most {
		p.violations = append(p.violations, fmt.Sprintf(format, args...))
	}
}

// Fatalf does so too, and ends the check, or the part of it that Each or Guarded runs.
func (p *Probe) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	panic(stopped{})
}

// Notef records what the author of a store should know.
func (p *Probe) Notef(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// Can reports whether a check can try something, and notes that it cannot.
func (p *Probe) Can(can bool, what string) bool {
	if !can {
		p.Notef("not tried: %s", what)
	}
	return can
}

// Found returns the violations.
func (p *Probe) Found() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.violations)
}

// Each runs f n times at once, and waits for all.
func (p *Probe) Each(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { p.Guarded(func() { f(i) }) })
	}
	all.Wait()
}

// Token returns a text that the check has not used, of the form of a nonce.
func (p *Probe) Token() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens++
	return fmt.Sprintf("%026d", p.tokens)
}

// Again repeats a call while its errors may pass. Any other error ends the check.
func (p *Probe) Again(doing string, do func() error) {
	for err := do(); err != nil; err = do() {
		if !retry.IsTransient(err) || p.Ctx.Err() != nil {
			p.Fatalf("%s came to: %v", doing, err)
		}
	}
}

// ErrLook is returned by decisions that only look.
var ErrLook = errors.New("only a look")

// Soon makes a call whose context ends within Patience, checks that it returns soon after that, and returns its
// error. It does not wait longer; Wait does.
func (p *Probe) Soon(what string, call func() error) error {
	returned := make(chan error, 1)
	p.leave(func() { returned <- call() })
	timer := time.NewTimer(p.Patience + soon)
	defer timer.Stop()
	select {
	case err := <-returned:
		p.MayPass(what, err)
		return err
	case <-timer.C:
		p.Errorf("%s: %v after its context has ended it has not returned", what, soon)
		return context.DeadlineExceeded
	}
}

// Meanwhile does something while a decision runs. A store that locks lets nobody else write, so it does not
// wait for longer than Patience; Wait does.
func (p *Probe) Meanwhile(do func()) {
	done := make(chan struct{})
	p.leave(func() {
		defer close(done)
		do()
	})
	p.wait(p.Patience, nil, done)
}

// leave runs f in the background. A wrong store may still do so while Wait waits, as with a sync.WaitGroup nobody may.
func (p *Probe) leave(f func()) {
	p.mu.Lock()
	p.behind++
	p.mu.Unlock()
	go func() {
		defer func() {
			p.mu.Lock()
			p.behind--
			p.mu.Unlock()
			p.fewer.Broadcast()
		}()
		p.Guarded(f)
	}()
}

// Wait waits for all that Soon and Meanwhile have left behind.
func (p *Probe) Wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.behind > 0 {
		p.fewer.Wait()
	}
}

// Look calls do, whose decision only looks. That has no outcome, so it tries again while the
// store's errors may pass.
func (p *Probe) Look(do func() error) {
	p.Again("a look", func() error {
		err := do()
		if errors.Is(err, ErrLook) {
			return nil
		}
		return err
	})
}
