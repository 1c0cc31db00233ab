// Package wrong has what is wrong with a store of any kind in what it makes of a call, for tests of the suites.
package wrong

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
)

// A Call is one that a wrong store makes of a right one.
type Call struct {
	Ctx     context.Context
	Make    func(context.Context) error // calls the right one
	Decided error                       // what decide returned last
}

// Calls are ways to make a call that are wrong, made anew: one has a memory. lost tells the error of a lost reply, and
// secret is what no error may hold.
func Calls(lost func(error) bool, secret string) map[string]func(*Call) error {
	var busy atomic.Bool
	all := map[string]func(k *Call) error{
		"the context does not matter": func(k *Call) error { return k.Make(context.WithoutCancel(k.Ctx)) },
		"it goes on after the context has ended": func(k *Call) error {
			done := make(chan error, 1)
			go func() { done <- k.Make(context.WithoutCancel(k.Ctx)) }()
			select {
			case err := <-done:
				return err
			case <-k.Ctx.Done():
				return k.Ctx.Err()
			}
		},
		"a call that meets another fails for good": func(k *Call) error {
			if !busy.CompareAndSwap(false, true) {
				return errors.New("deadlock found when trying to get lock")
			}
			defer busy.Store(false)
			return k.Make(k.Ctx)
		},
		"a reply that was lost is asked for again": func(k *Call) error {
			err := k.Make(k.Ctx)
			if lost(err) {
				return k.Make(k.Ctx)
			}
			return err
		},
	}
	for name, returns := range map[string]struct {
		when func(k *Call, err error) bool
		then func(err error) error
	}{
		"decide's error is lost": {decided, func(error) error { return nil }},
		"decide's error is told in other words": {decided, func(err error) error {
			return fmt.Errorf("suite: %v", err)
		}},
		"a reply that was lost is acknowledged": {func(_ *Call, err error) bool { return lost(err) },
			func(error) error { return nil }},
		"what may pass is not marked": {passes, func(err error) error { return errors.New(err.Error()) }},
		"an error with the secret": {passes, func(err error) error {
			return fmt.Errorf("dial root:%s@db: %w", secret, err)
		}},
		"the end of a context is for good": {func(k *Call, err error) bool { return err != nil && k.Ctx.Err() != nil },
			func(error) error { return errors.New("i/o timeout") }},
	} {
		all[name] = func(k *Call) error {
			err := k.Make(k.Ctx)
			if returns.when(k, err) {
				return returns.then(err)
			}
			return err
		}
	}
	return all
}

func decided(k *Call, _ error) bool  { return k.Decided != nil }
func passes(_ *Call, err error) bool { return retry.IsTransient(err) }

// Finds runs checks, each on a probe of its own, until the first that finds something, and returns its name. Nothing
// waits in real time: decisions meet, and calls that never return are found, however busy the machine is.
func Finds[P interface {
	Try(check func())
	Found() []string
}](t *testing.T, checks []suite.Check[P], open func(t *testing.T) P) (by string) {
	t.Helper()
	for _, c := range checks {
		synctest.Test(t, func(t *testing.T) {
			p := open(t)
			p.Try(func() { c.Run(p) })
			if found := p.Found(); len(found) > 0 {
				by = c.Name
				t.Logf("%s: %.300s", by, found[0])
			}
		})
		if by != "" {
			break
		}
	}
	return by
}
