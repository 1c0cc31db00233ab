package suite

import (
	"errors"
	"strings"
	"sync"

	"github.com/uidgen/uid/internal/retry"
)

// A Call is one of a store's method that takes a decision. It checks what holds for all of them.
type Call struct {
	p    *Probe
	name string

	mu      sync.Mutex
	runs    int
	running bool
	over    bool
	last    error // what decide returned last
}

// Call begins one.
func (p *Probe) Call(name string) *Call { return &Call{p: p, name: name} }

// Name returns the name of the method.
func (k *Call) Name() string { return k.name }

// Run is one run of decide.
func (k *Call) Run(decide func() error) (err error) {
	k.mu.Lock()
	if k.running {
		k.p.Errorf("%s runs decide twice at once", k.name)
	}
	if k.over {
		k.p.Errorf("%s runs decide after it has returned", k.name)
	}
	k.runs++
	k.running = true
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running, k.last = false, err
	}()
	return decide()
}

// End checks the call's error and returns it.
func (k *Call) End(err error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
	switch {
	case k.running:
		k.p.Errorf("%s returns while decide runs", k.name)
	case err == nil && k.runs == 0:
		k.p.Errorf("%s returned nil though decide has not run", k.name)
	case err == nil && k.last != nil:
		k.p.Errorf("%s returned nil though decide returned: %v", k.name, k.last)
	case k.last != nil && !errors.Is(err, k.last) && !retry.IsTransient(err):
		k.p.Errorf("%s returned %v, which neither wraps what decide returned nor is marked as one that may pass: %v", k.name, err, k.last)
	}
	k.p.NoSecrets(k.name, err)
	return err
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
