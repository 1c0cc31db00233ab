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

// all are the engines whose leases are tested.
var all = []engines.Engine{
	engines.Postgres, engines.MariaDB, engines.MySQL9, engines.Galera, engines.Etcd, engines.ZooKeeper, engines.Redis(), engines.Valkey(),
}

func main() {
	crew.Child(openPlace)
	full := flag.Bool("full", false, "inject each fault many times")
	only := flag.String("engine", "", "the engines' names, with commas; all if empty")
	which := flag.String("fault", "", "the faults' names, with commas; all if empty")
	together := flag.Int("together", 2, "how many engines are tested at once")
	flag.Parse()
	go func() { // servers and processes die with this one
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
		<-interrupted
		os.Exit(1)
	}()
	r := report{out: os.Stdout}
	var tests sync.WaitGroup
	room := make(chan struct{}, *together)
	for _, e := range all {
		if chosen(*only, e.Name) {
			room <- struct{}{}
			tests.Go(func() {
				defer func() { <-room }()
				r.engine(e, *full, func(fault string) bool { return chosen(*which, fault) })
			})
		}
	}
	tests.Wait()
	if !r.end() {
		os.Exit(1)
	}
	if *full && *only == "" && *which == "" && len(r.lacking) == 0 {
		if err := r.write("docs/engines.md"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// chosen reports whether a name is in a list, which has all names if it is empty.
func chosen(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// brisk is [crew.Brisk] for engines that answer late when two processors have all to do.
var brisk = func() crew.Timing {
	t := crew.Brisk
	t.Window, t.TTL = 2*t.Window, 2*t.TTL
	return t
}()

// engine injects the faults into the servers of an engine.
func (r *report) engine(e engines.Engine, full bool, chosen func(fault string) bool) {
	began := time.Now()
	d, err := e.Start()
	if err != nil {
		r.missing(e, err)
		return
	}
	defer d.Close()
	version, err := d.Version()
	if err != nil {
		r.missing(e, err)
		return
	}
	r.tested(e, version, time.Since(began))
	for _, f := range faults {
		if chosen(f.name) && (f.applies == nil || f.applies(d)) {
			r.line(inject(e, f, d, full))
		}
	}
	if e.Pair == nil || !chosen(failovers.name) {
		return
	}
	p, err := e.Pair()
	if errors.Is(err, engines.ErrOthers) {
		return
	}
	if err != nil {
		r.line(line{engine: e.Name, fault: failovers, err: err})
		return
	}
	defer p.Close()
	f := failovers
	f.inject = failover(p)
	r.line(inject(e, f, engines.One(nil, p.Addr(), p.URL, p.Version, nil), full))
}

// inject injects a fault, with processes as they should be and then with blind ones.
func inject(e engines.Engine, f fault, d *engines.Deployment, full bool) line {
	n := f.few
	if full {
		n = f.many
	}
	l := line{engine: e.Name, fault: f}
	began := time.Now()
	for _, blind := range []bool{false, true} {
		t := &engines.Trial{Output: d.Output}
		err := t.Do(func() {
			run := newRun(t, d, brisk, blind)
			count := f.inject(run, n)
			run.finish(f.loses)
			if sum := run.Sum(); blind {
				l.blindFaults, l.blindFound = count, sum.Doubles
			} else {
				l.faults, l.sum = count, sum
			}
		})
		if err != nil {
			l.err = fmt.Errorf("%s%w", map[bool]string{true: "with blind processes: "}[blind], err)
			break
		}
	}
	l.took = time.Since(began)
	return l
}
