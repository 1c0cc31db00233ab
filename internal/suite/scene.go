package suite

import (
	"context"
	"sync"
)

// A Way is one in which a client calls a store.
type Way struct {
	Name string
	// Call makes a call whose decision writes something new to all that it has. What at does it does first, once.
	Call func(ctx context.Context, at func()) error
}

// A Scene is a store with something in it, and two clients of that. Each check of a Way makes its own.
type Scene struct {
	Mine   Way
	Theirs []Way // what may happen while Mine decides, or was on its way: to the same data
	Since  []Way // what may happen while Mine is on its way, besides
	Look   func()
	Fault  func(Fault) bool // sets that of my next call, if it can be had
	Lost   func()           // looks whether the store says that it has lost writes; nil for one that need not
}

// once makes a call, whose error has to be one that may pass.
func (p *Probe) once(ctx context.Context, w Way, at func()) error {
	var first sync.Once
	err := w.Call(ctx, func() { first.Do(at) })
	p.MayPass(w.Name, err)
	return err
}

// Between makes a call, and does something once when it has read.
func (p *Probe) Between(w Way, at func()) error {
	defer p.Wait()
	return p.once(p.Ctx, w, at)
}

// Until makes a call until it is stored.
func (p *Probe) Until(w Way) { p.Again(w.Name, func() error { return p.once(p.Ctx, w, func() {}) }) }

// Within makes a call whose context ends, while a decision runs.
func (p *Probe) Within(w Way) error {
	ctx, cancel := context.WithTimeout(p.Ctx, p.Patience)
	defer cancel()
	return p.Soon(w.Name+" while another one decides", func() error { return w.Call(ctx, func() {}) })
}

// Others has somebody else write while a decision runs.
func (p *Probe) Others(stages []func() Scene) {
	for _, stage := range stages {
		for i := range stage().Theirs {
			s := stage()
			_ = p.Between(s.Mine, func() { _ = p.Within(s.Theirs[i]) })
			s.Look()
		}
	}
}

// LostWrites has the store lose what was decided about while a decision runs, and somebody else write again or not.
func (p *Probe) LostWrites(stages []func() Scene, backup func() (restore func())) {
	for _, stage := range stages {
		for _, since := range []bool{false, true} {
			s := stage()
			restore, forget := backup(), p.Model.Backup()
			p.Until(s.Mine)
			s.Look()
			_ = p.Between(s.Mine, func() {
				restore()
				forget()
				if since {
					_ = p.Within(s.Theirs[0])
				}
			})
			s.Look()
			if s.Lost != nil {
				s.Lost()
			}
		}
	}
}

// Faults makes calls with each fault, and with contexts that end while a decision runs.
func (p *Probe) Faults(stages []func() Scene, deliver func()) {
	for _, stage := range stages {
		for _, f := range []Fault{OK, Refuse, LoseWrite, LoseReply, Delay} {
			for _, cancels := range []bool{false, true} {
				s := stage()
				if f != OK && !s.Fault(f) {
					break
				}
				ctx, cancel := context.WithCancel(p.Ctx)
				at := func() {}
				if cancels {
					at = cancel
				}
				_ = p.once(ctx, s.Mine, at)
				s.Look()
				if f == Delay {
					deliver()
					s.Look()
				}
				cancel()
			}
		}
	}
}

// LateWrites lets a write arrive after somebody else has written, or nobody.
func (p *Probe) LateWrites(stages []func() Scene, deliver func()) {
	for _, stage := range stages {
		first := stage()
		for i := range append(first.Theirs, first.Since...) {
			s := stage()
			if !s.Fault(Delay) {
				return
			}
			if err := p.Between(s.Mine, func() {}); err == nil {
				p.Errorf("%s: a write that is late was acknowledged", s.Mine.Name)
			}
			p.Until(append(s.Theirs, s.Since...)[i])
			deliver()
			s.Look()
		}
	}
}

// Contexts makes calls whose contexts have ended, or end while another call decides.
func (p *Probe) Contexts(stages []func() Scene) {
	over, cancel := context.WithCancel(p.Ctx)
	cancel()
	for _, stage := range stages {
		s := stage()
		if p.once(over, s.Mine, func() {}) == nil {
			p.Errorf("%s, whose context had ended, has no error", s.Mine.Name)
		}
		s.Look()
		_ = p.Between(s.Mine, func() { _ = p.Within(s.Theirs[0]) })
		for range 3 { // the clients still work, and nothing of the ended call runs on
			s.Look()
		}
	}
}
