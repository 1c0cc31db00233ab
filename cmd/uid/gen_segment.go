package main

import (
	"context"
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/segment"
)

// registerSegment registers the flags of gen for numbers of a tag.
func (g *gen) registerSegment(flags *pflag.FlagSet) {
	s := &g.segment
	flags.Var(value[string]{&s.tag, "TAG", func(tag string) (string, error) { return tag, checkTag(tag) }}, "segment",
		"print numbers of this tag, not UIDs")
	flags.BoolVar(&s.daily, "daily", false, "print order numbers: a day, and a number of it")
	flags.Var(value[*time.Location]{&s.zone, "ZONE", readZone}, "zone",
		"where the days are, such as Europe/Berlin (default UTC)")
	flags.BoolVar(&s.create, "create", false, "make the tag's row if there is none")
	flags.Var(countVar(&s.first), "first", "print no number below it")
	flags.Var(countVar(&s.last), "last", "print no number above it")
	flags.Var(countVar(&s.step), "step", "take at most so many numbers at once")
	flags.BoolVar(&s.lossy, lossyFlag, false, lossyUsage)
	registerSegmentTable(flags, &s.segments)
}

// check refuses flags that do not go together.
func (g *gen) check(flags *pflag.FlagSet) error {
	s := &g.segment
	if s.tag == "" {
		return excludes(flags, "%s is for --segment",
			"daily", "zone", "create", "first", "last", "step", "segment-table")
	}
	if err := excludes(flags, "%s is for UIDs, not for --segment", "layout", "namespace"); err != nil {
		return err
	}
	switch {
	case !s.daily && flags.Changed("zone"):
		return badInput("--zone is for --daily")
	case g.format.format != plain || g.format.form.Write != nil:
		return badInput("--format is for UIDs; " +
			"a number of --segment has no time, worker ID or sequence: use --format plain")
	case s.last > 0 && s.last < s.first:
		return badInput("--last %d is below --first %d", s.last, s.first)
	case s.step > segmentstore.MaxStep:
		return badInput("--step %d: want 1 to %d", s.step, int64(segmentstore.MaxStep))
	}
	return nil
}

// excludes returns an error when one of the flags is given.
func excludes(flags *pflag.FlagSet, text string, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) {
			return badInput(text, "--"+name)
		}
	}
	return nil
}

func (g *gen) runSegment(ctx context.Context) error {
	d := &g.segment
	d.n, d.store = g.n, g.store
	d.store.existing = !d.create && !d.daily
	if g.after != 0 {
		d.first = max(d.first, int64(min(g.after, math.MaxInt64-1)+1))
		if d.last > 0 && d.last < d.first {
			return badInput("--last %d is below the first number above --after, %d", d.last, d.first)
		}
	}
	return d.onSegments(ctx, func(ctx context.Context, s segment.Store) error {
		return withCreate(d.run(ctx, s), d.tag, "--create")
	})
}
