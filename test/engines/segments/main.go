package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines"
)

// all are the engines whose segments are tested, those first that take longest. Redis and Valkey keep what
// they acknowledge.
var all = []engines.Engine{
	engines.Galera, engines.MySQL9, engines.ZooKeeper, engines.Etcd, engines.MariaDB, engines.Postgres, engines.SQLite,
	engines.Redis("--appendfsync=always"), engines.Valkey("--appendfsync=always"),
}

// A plan is how much a run does.
type plan struct {
	numbers       int64
	processes     int
	chunk         int   // numbers that are asked for at once
	maxStep       int64 // numbers that are taken at once
	kills, closes int   // of processes
	pauses        int   // of processes
	cuts          int   // of the network
	outages       int   // of servers
	between       time.Duration
	release       time.Duration // how often a process gives numbers back
	losses        int
}

var (
	short = plan{
		numbers: 20e6, processes: 8, chunk: 2000, maxStep: 50_000,
		kills: 14, closes: 5, pauses: 4, cuts: 2, outages: 3, between: 150 * time.Millisecond, release: 300 * time.Millisecond, losses: 1,
	}
	full = plan{
		numbers: 1e9, processes: 8, chunk: 20_000, maxStep: 1_000_000,
		kills: 150, closes: 50, pauses: 30, cuts: 15, outages: 24, between: 250 * time.Millisecond, release: 300 * time.Millisecond, losses: 5,
	}
)

func main() {
	crew.Ordered(job.do)
	long := flag.Bool("full", false, "a billion numbers, and many faults")
	only := flag.String("engine", "", "the engines' names, with commas; all if empty")
	together := flag.Int("together", 2, "how many engines are tested at once")
	flag.Parse()
	go func() { // servers and processes die with this one
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
		<-interrupted
		os.Exit(1)
	}()
	p := short
	if *long {
		p = full
	}
	r := report{out: os.Stdout}
	var tests sync.WaitGroup
	room := make(chan struct{}, *together)
	for _, e := range all {
		if *only == "" || slices.Contains(strings.Split(*only, ","), e.Name) {
			room <- struct{}{}
			tests.Go(func() {
				defer func() { <-room }()
				r.engine(e, p)
			})
		}
	}
	tests.Wait()
	if !r.end() {
		os.Exit(1)
	}
	if *long && *only == "" && len(r.lacking) == 0 {
		if err := r.write("docs/segments.md"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// engine tests an engine.
func (r *report) engine(e engines.Engine, p plan) {
	l := line{engine: e.Name}
	began := time.Now()
	d, err := e.Start()
	if err != nil {
		r.missing(e, err)
		return
	}
	defer d.Close()
	if l.version, err = d.Version(); err != nil {
		r.missing(e, err)
		return
	}
	l.started = time.Since(began)
	l.err = errors.Join(l.draw(d, p), l.plant(d), l.forget(e, d, p))
	l.took = time.Since(began)
	r.line(l)
}

// draw has processes draw the plan's numbers, with its faults.
func (l *line) draw(d *engines.Deployment, p plan) error {
	began := time.Now()
	defer func() { l.drew = time.Since(began) }()
	t := &engines.Trial{Output: d.Output}
	return t.Do(func() {
		r := newRun(t, d, job{
			Most: 4*p.numbers + 1<<26, MinStep: 1000, MaxStep: p.maxStep, Chunk: p.chunk, Release: p.release,
		})
		l.lossy = r.inspect()
		r.start(p.processes)
		r.AwaitAll()
		l.counts = r.disturb(p)
		l.verdict = r.finish()
		t.Must(l.verdict.err)
	})
}

// plant has processes draw from stores that are wrong on purpose, and sees that they are found out.
func (l *line) plant(d *engines.Deployment) error {
	for _, wrong := range []string{refusedTaken, givenTwice, skipping} {
		t := &engines.Trial{Output: d.Output}
		err := t.Do(func() {
			r := newRun(t, d, job{Most: 1 << 26})
			r.inspect()
			v := r.plant(wrong)
			switch wrong {
			case refusedTaken:
				l.refusedTaken = v.doubles
			case givenTwice:
				l.givenTwice = v.doubles
			case skipping:
				l.skipped = v.unexplained
				if v.unexplained == 0 || v.err == nil {
					t.Fatalf("%d numbers were not issued, and all are explained", v.holes)
				}
			}
			if v.err == nil {
				t.Fatalf("nothing is said to be wrong")
			}
		})
		if err != nil {
			return fmt.Errorf("with a store that %s: %w", wrong, err)
		}
	}
	return nil
}

// forget has servers lose what they have acknowledged.
func (l *line) forget(e engines.Engine, d *engines.Deployment, p plan) error {
	lost := restore()
	if e.Pair != nil {
		pair, err := e.Pair()
		switch {
		case errors.Is(err, engines.ErrOthers):
		case err != nil:
			return err
		default:
			defer pair.Close()
			d = engines.One(nil, pair.Addr(), pair.URL, pair.Version, nil)
			lost = failover(pair)
		}
	}
	t := &engines.Trial{Output: d.Output}
	l.loss = lost.unit
	err := t.Do(func() {
		r := newRun(t, d, job{Most: 1 << 26})
		r.inspect()
		l.losses = r.forget(lost, p.losses)
	})
	if err != nil {
		return fmt.Errorf("with %s: %w", lost.unit, err)
	}
	return nil
}
