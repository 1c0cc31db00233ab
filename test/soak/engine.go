package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/test/report"
	"github.com/uidgen/uid/worker/lease"
)

// played are the engines to run on.
var played = map[string]func(*settings, context.Context, *tables) error{"serve": (*settings).serve}

func init() {
	for _, e := range []engines.Engine{
		engines.Postgres, engines.MariaDB, engines.MySQL9, engines.Galera, engines.Etcd, engines.ZooKeeper,
		engines.Kubernetes,
		engines.Redis("--appendfsync=always"), engines.Valkey("--appendfsync=always"), engines.SQLite,
	} {
		played[e.Name] = func(s *settings, ctx context.Context, t *tables) error { return s.engine(ctx, e, t) }
	}
}

// tables are what came of all engines, which go to a document if everything ran.
type tables struct {
	leases, numbers report.Table
	servers         []string
}

// evidence is the document with the tables.
const evidence = "docs/evidence/engines.md"

// shown are the faults in the table of leases, by columns.
var shown = []struct {
	column string
	faults []fault
}{
	{"clients killed", []fault{kill}},
	{"clients paused", []fault{pause}},
	{"servers killed", []fault{serverKill}},
	{"servers paused", []fault{serverPause}},
	{"network cut", []fault{isolate, cut, delay, refuse, mute, swallowReply, swallowCommit}},
	{"failover with loss", []fault{failover}},
}

// runOn runs on engines, one after the other.
func (s *settings) runOn(ctx context.Context) error {
	on := s.on
	if slices.Equal(on, []string{"all"}) {
		on = slices.DeleteFunc(names(), func(name string) bool { return name == "serve" })
	}
	var t tables
	t.leases.Header = table.Row{"engine"}
	for _, c := range shown {
		t.leases.Header = append(t.leases.Header, c.column)
	}
	t.leases.Header = append(t.leases.Header,
		"UIDs", "duplicates", "of blind processes", "of those blind for histories")
	t.numbers.Header = table.Row{"engine", "numbers", "servers killed", "numbers skipped",
		"of these without a reason", "duplicates", "after losses: stopped, went on"}
	var failed []error
	for _, name := range on {
		play := played[name]
		if play == nil {
			return fmt.Errorf("soak: --on %s: want some of %s, or all", name, strings.Join(names(), ", "))
		}
		layout = newLayout(narrow)
		fmt.Fprintf(s.out, "\non %s, seed %d\n", name, s.seed)
		if err := play(s, ctx, &t); err != nil {
			failed = append(failed, fmt.Errorf("on %s: %w", name, err))
			fmt.Fprintln(s.out, failed[len(failed)-1])
		}
	}
	for _, of := range []*report.Table{&t.leases, &t.numbers} {
		if of.Len() > 0 {
			fmt.Fprintf(s.out, "\n%v\n", of)
		}
	}
	fmt.Fprintf(s.out, "\nservers: %s\n", strings.Join(t.servers, ", "))
	if err := errors.Join(failed...); err != nil || !s.publish || len(t.servers) < len(played)-1 {
		return err
	}
	servers := fmt.Sprintf("Servers: %s. %d processors, shared by servers and clients.\n\n",
		strings.Join(t.servers, ", "), runtime.NumCPU())
	return errors.Join(report.Fill(evidence, "faults", servers+t.leases.Markdown()),
		report.Fill(evidence, "segments", servers+t.numbers.Markdown()))
}

// Places of an engine.
const servers = "servers"

// engine runs on one: each draw is played as it should be, and then with planted faults, or losses, which have to be
// found.
func (s *settings) engine(ctx context.Context, e engines.Engine, t *tables) error {
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.start(servers, e, false); err != nil {
		if e.Optional {
			fmt.Fprintf(s.out, "NOT TESTED: %v\n", err)
			return nil
		}
		return err
	}
	version, err := w.places[servers].d.Version()
	if err != nil {
		return err
	}
	version, _, _ = strings.Cut(version, " (") // by whom it was packed
	t.servers = append(t.servers, e.Name+" "+version)
	if e.Pair != nil {
		if err := w.start(pair, e, true); err != nil && !errors.Is(err, engines.ErrOthers) {
			return err
		} else if err == nil {
			w.places[pair].often = 0.3
		}
	}
	s.rate = 200e3
	if slices.Contains(s.draw, "leases") {
		if err := s.leases(ctx, w, e.Name, t); err != nil {
			return err
		}
	}
	if slices.Contains(s.draw, "numbers") {
		s.rate = 2e6
		return s.numbers(ctx, w, e.Name, t)
	}
	return nil
}

// leases has leaseholders draw, and then blind ones, and where a failover can lose writes those that do not see it.
func (s *settings) leases(ctx context.Context, w *world, name string, t *tables) error {
	w.ids = lease.Range{Last: 47} // so few that they are used again soon
	slots := leaseSlots(6, servers, "burning", "")
	if w.places[pair] != nil {
		slots = append(slots, leaseSlots(4, pair, "pair", "")...)
	}
	var res result
	if err := s.round(ctx, w, slots, s.length, 0, &res); err != nil {
		return err
	}
	res.write(s.out)
	if err := res.err(); err != nil {
		return err
	}
	row := []any{name}
	for _, c := range shown {
		n := int64(0)
		for _, f := range c.faults {
			n += res.Faults[f]
		}
		row = append(row, n)
	}
	row = append(row, res.UIDs, res.Found[harness.Duplicate])
	blind, err := s.planted(ctx, w, leaseSlots(6, servers, "burning", plantedBlind))
	if err != nil {
		return err
	}
	row = append(row, blind)
	if w.places[pair] == nil {
		row = append(row, "–")
	} else {
		oblivious, err := s.planted(ctx, w, leaseSlots(4, pair, "pair", plantedOblivious))
		if err != nil {
			return err
		}
		row = append(row, oblivious)
	}
	t.leases.Add(0, row...)
	return nil
}

// planted plays slots with a fault, whose duplicates have to be found, and returns how many were.
func (s *settings) planted(ctx context.Context, w *world, slots []slot) (duplicates uint64, err error) {
	w.ids = lease.Range{Last: 7}
	if err := w.renew(slots); err != nil {
		return 0, err
	}
	length := 2 * s.length
	t := trial{fault: slots[0].Planted, slots: slots}
	t.plan = newSchedule(s.seed, w.round, length, slots, w.places)
	return s.play(ctx, w, t, length, s.rate)
}

// numbers has processes draw the numbers of a tag, and then a store lose what it has acknowledged.
func (s *settings) numbers(ctx context.Context, w *world, name string, t *tables) error {
	var res result
	if err := s.round(ctx, w, numberSlots(8, servers, false), s.length, 0, &res); err != nil {
		return err
	}
	res.write(s.out)
	if err := res.err(); err != nil {
		return err
	}
	stopped, wentOn := 0, 0
	for range max(1, int(s.length/time.Minute)) {
		lost, kept, err := s.lose(w)
		if err != nil {
			return fmt.Errorf("soak: a loss: %w", err)
		}
		stopped, wentOn = stopped+lost, wentOn+kept
	}
	fmt.Fprintf(s.out, "losses: %d generators noticed and stopped, %d had lost nothing and went on\n", stopped, wentOn)
	t.numbers.Add(0, name, res.UIDs, res.Faults[serverKill], res.NumbersSkipped, res.Unexplained,
		res.Found[harness.Duplicate], fmt.Sprintf("%d, %d", stopped, wentOn))
	return nil
}
