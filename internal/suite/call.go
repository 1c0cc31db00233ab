package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/uidgen/uid/internal/retry"
)

// A Call is one of a store's method that takes a decision. It checks what holds for all of them, and shows what
// decide saw and wrote to the judge.
type Call struct {
	p     *Probe
	judge judge
	op    *Operation

	mu      sync.Mutex
	runs    int
	running bool
	over    bool
	last    error // what decide returned last
}

// Call begins one of a client.
func (p *Probe) Call(name string, client int) *Call {
	k := &Call{p: p, judge: p.judge, op: &Operation{Name: name, client: client}}
	k.judge.begins(k.op)
	return k
}

// Run is one run of decide.
func (k *Call) Run(decide func() error) (err error) {
	k.mu.Lock()
	if k.running {
		k.p.Errorf("%s runs decide twice at once", k.op.Name)
	}
	if k.over {
		k.p.Errorf("%s runs decide after it has returned", k.op.Name)
	}
	k.runs++
	k.running = true
	if !k.over {
		if k.last == nil && k.runs > 1 {
			k.first(Open, nil)
		}
		k.op.On, k.op.doubts = map[string]Access{}, nil
	}
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running, k.last = false, err
	}()
	return decide()
}

// Doubt notes what is wrong if something comes of this run: if it is stored, or refused by decide.
func (k *Call) Doubt(format string, args ...any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.op.doubts = append(k.op.doubts, fmt.Sprintf(format, args...))
}

// Sees notes what this run is offered under a key.
func (k *Call) Sees(key, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.over {
		k.op.On[key] = Access{Saw: text}
		k.judge.sees(k.op, key)
	}
}

// first shows what the last run had a store write first.
func (k *Call) first(r Result, err error) {
	o := &Operation{Name: k.op.Name + ", first", On: map[string]Access{}, Result: r}
	o.client, o.call = k.op.client, k.op.call
	for key, a := range k.op.On {
		if a.First != "" {
			a.Wrote, a.First = a.First, ""
			o.On[key] = a
		}
	}
	if len(o.On) > 0 {
		k.judge.ends(o, err)
	}
}

// WritesFirst notes what a store has made of it before it writes the rest.
func (k *Call) WritesFirst(key, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a, is := k.op.On[key]; is && !k.over && text != a.Saw {
		a.First = text
		k.op.On[key] = a
	}
}

// Writes notes what this run makes of it.
func (k *Call) Writes(key, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a, is := k.op.On[key]; is && !k.over {
		a.Wrote, a.Writes = text, true
		k.op.On[key] = a
	}
}

// End checks the call's error and returns it.
func (k *Call) End(err error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
	name := k.op.Name
	switch {
	case k.running:
		k.p.Errorf("%s returns while decide runs", name)
	case err == nil && k.runs == 0:
		k.p.Errorf("%s returned nil though decide has not run", name)
	case err == nil && k.last != nil:
		k.p.Errorf("%s returned nil though decide returned: %v", name, k.last)
	case k.last != nil && !errors.Is(err, k.last) && !retry.IsTransient(err):
		k.p.Errorf("%s returned %v, which neither wraps what decide returned nor is marked as one that may pass: %v",
			name, err, k.last)
	}
	k.p.NoSecrets(name, err)
	switch {
	case k.last != nil && !errors.Is(err, k.last):
		return err // it is not known whether what decide saw was there, and nothing is stored
	case k.last != nil:
		k.op.Result = Refused
	case err != nil:
		k.op.Result = Open
	}
	if k.last == nil && k.runs > 0 {
		k.first(k.op.Result, err)
	}
	k.judge.ends(k.op, err)
	return err
}

// Step is a call of a program that sees and writes a part of what is under a key, whatever the rest is. do returns
// what it does to a text, and false where it has failed.
func (p *Probe) Step(name, key string, client int, do func() (step func(text string) (string, bool), done bool)) {
	o := &Operation{Name: name, client: client}
	p.judge.begins(o)
	step, done := do()
	if !done {
		return
	}
	if m, is := p.judge.(*Model); is {
		text, can := step(m.Text(key))
		if !can {
			p.Errorf("%s cannot have met %.200q", name, m.Text(key))
		}
		m.Set(key, text)
		return
	}
	o.On = map[string]Access{key: {Step: step}}
	p.judge.ends(o, nil)
}

// MayPass checks that an error of a call is one that may pass, or of a context.
func (p *Probe) MayPass(name string, err error) {
	if err != nil && !p.Passes(err) {
		p.Errorf("%s came to %v, which neither wraps its context's error nor is marked as one that may pass", name, err)
	}
}

// Passes reports whether an error is one that may pass, or of a context.
func Passes(err error) bool {
	return retry.IsTransient(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Inspect calls a store's Inspect, and looks for the secret in what it returns.
func (p *Probe) Inspect(ctx context.Context, inspect func(context.Context) (lossy []string, err error)) error {
	lossy, err := inspect(ctx)
	p.NoSecret("what Inspect says", strings.Join(lossy, "\n"))
	p.NoSecrets("Inspect", err)
	return err
}

// Named looks for the secret in a name, and returns that.
func (p *Probe) Named(name string) string {
	p.NoSecret("Name", name)
	return name
}

// NoSecrets looks for the secret in an error, and in all that it wraps.
func (p *Probe) NoSecrets(where string, err error) {
	if err == nil {
		return
	}
	p.NoSecret("an error of "+where, err.Error())
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		p.NoSecrets(where, e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			p.NoSecrets(where, err)
		}
	}
}

// NoSecret looks for the secret in a text.
func (p *Probe) NoSecret(where, text string) {
	if p.secret != "" && strings.Contains(text, p.secret) {
		p.Errorf("%s holds the secret: %s", where, strings.ReplaceAll(text, p.secret, "***"))
	}
}
