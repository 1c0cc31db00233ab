// Revisions runs the benchmarks of two revisions in turn, and says by how much they differ: those
// of the working tree, which is after, and of a revision before it. It checks that one out into a
// temporary folder and puts today's benchmarks over its own, so these may use only what both
// revisions have. A machine that becomes faster or slower meanwhile does so for both.
//
//	go run ./internal/proof/revisions -before revision [-bench regexp] [-rounds n] [-pgo] [package ...]
//
// With -pgo what is after is built by a profile of the benchmarks (profile-guided optimisation).
//
// The packages are ./cached and ./default if none is named.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// A config is what the command line says.
type config struct {
	before    string
	bench     string
	benchtime string
	metrics   *regexp.Regexp
	rounds    int
	pgo       bool
	packages  []string
}

func main() {
	c, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "revisions:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, c, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "revisions:", err)
		os.Exit(1)
	}
}

func parseFlags(args []string, usage io.Writer) (config, error) {
	var c config
	var metrics string
	f := flag.NewFlagSet("revisions", flag.ContinueOnError)
	f.SetOutput(usage)
	f.StringVar(&c.before, "before", "", "the revision to compare with, as git names it")
	f.StringVar(&c.bench, "bench", ".", "run the benchmarks that match, as in go test")
	f.StringVar(&c.benchtime, "benchtime", "5x", "how long each runs in a round, as in go test")
	f.StringVar(&metrics, "metrics", ".", "show the metrics whose unit matches")
	f.IntVar(&c.rounds, "rounds", 15, "how often each revision runs")
	f.BoolVar(&c.pgo, "pgo", false, "build what is after by a profile of its benchmarks")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if c.packages = f.Args(); len(c.packages) == 0 {
		c.packages = []string{"./cached", "./default"}
	}
	if c.before == "" {
		return c, errors.New("-before names no revision")
	}
	if c.rounds < 1 {
		return c, fmt.Errorf("-rounds %d: want at least 1", c.rounds)
	}
	var err error
	if c.metrics, err = regexp.Compile(metrics); err != nil {
		return c, fmt.Errorf("-metrics: %w", err)
	}
	return c, nil
}

// run compares, writes the table to out and what goes on to progress.
func run(ctx context.Context, c config, out, progress io.Writer) (err error) {
	t, err := checkOut(ctx, c.before)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.remove()) }()
	var programs []pair
	for _, pkg := range c.packages {
		fmt.Fprintln(progress, "building the benchmarks of", pkg)
		p, err := t.build(ctx, pkg)
		if err != nil {
			return err
		}
		if c.pgo {
			fmt.Fprintln(progress, "building them again, by a profile")
			if err := t.optimise(ctx, p.after, c.bench, c.benchtime); err != nil {
				return err
			}
		}
		programs = append(programs, p)
	}
	var rounds []round
	for i := range c.rounds {
		fmt.Fprintf(progress, "round %d of %d\n", i+1, c.rounds)
		r := round{before: map[key]float64{}, after: map[key]float64{}}
		for _, p := range programs {
			// Whichever comes second may find the machine warmer.
			turns := []turn{{p.before, r.before}, {p.after, r.after}}
			if i%2 == 1 {
				turns[0], turns[1] = turns[1], turns[0]
			}
			for _, t := range turns {
				text, err := t.bench(ctx, c.bench, c.benchtime)
				if err != nil {
					return err
				}
				if err := parse(text, t.pkg, t.results, &r.order); err != nil {
					return err
				}
			}
		}
		rounds = append(rounds, r)
	}
	if len(rounds[0].order) == 0 {
		return fmt.Errorf("no benchmark of %q matches %q", c.packages, c.bench)
	}
	return writeTable(out, rounds, c.metrics)
}

// A turn is one run of a program, and where its results go.
type turn struct {
	program
	results map[key]float64
}
