package debug

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/settings"
)

// Config says what a page shows: a generator, the workers or a layout at least.
type Config struct {
	// Title is the page's heading, in at most 128 characters. The default is "Unique IDs".
	Title string

	// Generators are shown in this order, those that are not ready first.
	Generators []Generator

	// Workers lists who holds which worker ID; make it with [Workers]. Nil lists the store in which the first generator
	// that leases has its ID, if any does. One goroutine at a time calls it while somebody looks: at most twice a
	// second, for at most a tenth of the time, and with a context of ten seconds.
	Workers func(context.Context) (registry.Overview, error)

	// Layout is what the field for UIDs takes them apart by. The default are the layouts of the Generators.
	Layout bits.Layout

	// HideHosts leaves out the holders of the worker IDs, and the texts of failures.
	HideHosts bool

	// Now is the wall clock; nil is time.Now. Any number of goroutines may call it at once.
	Now func() time.Time
}

// A Generator is one that the page shows.
type Generator struct {
	// Name is what it is for, in 1 to 128 characters. No two have the same.
	Name string

	// Generator is a *cached.Generator, a *uncached.Generator or a *segment.Generator. It may be closed while the page
	// is in use.
	Generator uid.Generator

	// Namespace is that of its worker's lease, which is shown beside it. The default is the only lease of the
	// generator's worker ID and layout among the Workers.
	Namespace string
}

const maxName = 128 // characters

func (c Config) withDefaults() (Config, error) {
	if c.Title == "" {
		c.Title = "Unique IDs"
	}
	if err := checkName("Title", c.Title); err != nil {
		return c, err
	}
	if len(c.Generators) == 0 && c.Workers == nil && c.Layout.IsZero() {
		return c, fmt.Errorf("debug: %w: there is nothing to show: no Generators, no Workers, no Layout", uid.ErrConfig)
	}
	seen := map[string]bool{}
	for i, g := range c.Generators {
		if err := checkName(fmt.Sprintf("Name of generator %d", i), g.Name); err != nil {
			return c, err
		}
		if seen[g.Name] {
			return c, fmt.Errorf("debug: %w: two generators have the Name %q", uid.ErrConfig, g.Name)
		}
		seen[g.Name] = true
	}
	c.Now = settings.Clock(c.Now)
	return c, nil
}

func checkName(what, name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > maxName {
		return fmt.Errorf("debug: %w: the %s has %d characters: want 1 to %d", uid.ErrConfig, what, n, maxName)
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("debug: %w: the %s %q is not valid UTF-8", uid.ErrConfig, what, name)
	}
	return nil
}
