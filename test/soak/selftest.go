package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// A trial is a planted fault that has to be found.
type trial struct {
	fault string       // "" for none
	find  harness.Kind // the violation by which it shows
	slots []slot
	plan  schedule // until the fault is found
	// asks is for a fault that the database has to tell of, too.
	asks bool
}

const (
	// trialLimit is how long a fault may stay unfound.
	trialLimit = 2 * time.Minute
	// trialTurn is how long one turn of a trial's events takes.
	trialTurn = 9 * time.Second
)

func planted(fault, workers, place string, draw ...string) slot {
	return slot{Name: "planted", Planted: fault, Cached: true, Draw: draw, Worker: workers, Place: place,
		Share:   map[string]string{static: "static", throwaway: "throwaway_embedded", leased: "embedded"}[workers],
		MaxLead: maxLead, Weight: 1}
}

// trials are the faults, of which two are none at all.
func trials() []trial {
	const s, ms = time.Second, time.Millisecond
	plain := planted("", static, "", strict, fill)
	behind := planted(plantedBehind, static, "", strict)
	behind.MaxLead = tickUnit // so that what is borrowed does not make up for it
	unstored := planted(plantedUnstored, leased, embedded, fill)
	unstored.MaxLead = 10 * time.Second
	oblivious := planted(plantedOblivious, leased, embedded, fill)
	oblivious.MaxLead = lease.Burn
	burning := oblivious
	burning.Planted = ""
	copied := planted(plantedCopy, static, "", strict)
	lost := planted(plantedLost, throwaway, embedded, strict)
	killed := schedule{{At: 3 * s, Fault: kill}, {At: 7 * s, Fault: kill}}
	// The next owner of the ID comes when the lease is over.
	untilFree := schedule{{At: 5 * s, Fault: kill, For: 2 * leaseTTL}}
	older := schedule{{At: s, Fault: setBack, Place: embedded, For: 4 * s},
		{At: 4500 * ms, Fault: kill, For: 2 * leaseTTL}}
	// What the first process takes is lost, and taken again by the second.
	loseCommit := schedule{{At: s, Fault: setBack, Place: embedded, For: 2 * s, Row: 1}, {At: 2 * s, Fault: kill},
		{At: 4 * s, Fault: kill, Slot: 1}}
	var stepsBack schedule
	for at := time.Duration(0); at < trialTurn; at += 300 * ms {
		stepsBack = append(stepsBack, event{At: at, Fault: setClock, By: -at * 2 / 3})
	}
	return []trial{
		{fault: plantedCopy, slots: []slot{copied, planted(plantedCopy, static, "", lane)}},
		{fault: "the copied worker ID of a process that was killed",
			slots: []slot{planted(plantedCopy, static, "", fill)}, plan: again(killed)},
		{fault: plantedUnstored, slots: []slot{unstored}, plan: again(untilFree), asks: true},
		{fault: plantedUnguarded, slots: []slot{planted(plantedUnguarded, static, "", strict)}, plan: again(stepsBack)},
		{fault: plantedLost, slots: []slot{lost, lost}, plan: again(loseCommit)},
		{fault: plantedOblivious, slots: []slot{oblivious}, plan: again(older)},
		{fault: plantedForeign, find: harness.ForeignID, slots: []slot{planted(plantedForeign, static, "", strict)}},
		{fault: plantedBeyond, find: harness.Unreserved, slots: []slot{planted(plantedBeyond, leased, embedded, fill)}},
		{fault: plantedBehind, find: harness.Late, slots: []slot{behind}},
		{fault: plantedAhead, find: harness.Early, slots: []slot{planted(plantedAhead, static, "", strict)}},
		{fault: plantedDisorder, find: harness.Disorder, slots: []slot{planted(plantedDisorder, static, "", strict)}},
		{slots: []slot{burning}, plan: again(older)},
		{slots: []slot{plain, plain}},
	}
}

// again has events happen in turn after turn. A clock goes on from where it is.
func again(events schedule) (all schedule) {
	for began := time.Duration(0); began < trialLimit; began += trialTurn {
		for _, e := range events {
			if e.Fault == setClock {
				e.By -= began * 2 / 3
			}
			e.At += began
			all = append(all, e)
		}
	}
	return all
}

// selfTest runs trials in worlds of their own, and fails if one did not go as it has to.
func (s *settings) selfTest(ctx context.Context, all []trial) error {
	for _, t := range all {
		w, err := newWorld()
		if err != nil {
			return err
		}
		defer w.close()
		// Of so few IDs a row is made alone, and the next process gets what the one before had.
		w.ids = lease.Range{Last: 7}
		if err := w.start(embedded, engines.SQLite, false); err != nil {
			return err
		}
		if err := w.renew(t.slots); err != nil {
			return err
		}
		length := trialLimit
		if t.fault == "" {
			length = grace + time.Second + min(trialTurn, time.Duration(len(t.plan))*trialTurn)
		}
		if _, err := s.play(ctx, w, t, length, 40e6); err != nil {
			return err
		}
	}
	return nil
}

// play plays a trial until its fault is found, and returns how often it was. It says what came of it, and fails if it
// did not go as it has to.
func (s *settings) play(ctx context.Context, w *world, t trial, length time.Duration, rate float64) (uint64, error) {
	name := cmp.Or(t.fault, "no fault")
	r, err := newRound(length, t.plan, w, t.slots, rate)
	if err != nil {
		return 0, err
	}
	m := r.memory
	defer m.Close()
	wrong := func() bool { return m.Found(t.find) > 0 || t.fault == "" && m.AnyFound() }
	r.until = func() bool { return wrong() || time.Since(r.began) > length }
	if err := r.run(ctx, 0); err != nil {
		return 0, fmt.Errorf("soak: %s: %w", name, err)
	}
	found, violation := wrong(), ""
	for _, v := range m.Violations() {
		if violation == "" && (t.fault == "" || v.Kind() == t.find) {
			violation = m.Describe(v, r.name)
		}
	}
	if t.asks {
		sp, _ := t.slots[0].leases()
		tell, _, err := r.unreserved(sp)
		if err != nil {
			return 0, err
		}
		found = found && len(tell) > 0
		violation += "; " + strings.Join(tell, "; ")
	}
	verdict := map[bool]string{true: "found", false: "NOT FOUND"}[found]
	after := time.Since(r.began).Round(time.Millisecond)
	fmt.Fprintf(s.out, "planted: %s: %s in %v\n  %s\n", name, verdict, after, violation)
	if found == (t.fault == "") {
		return 0, fmt.Errorf("soak: %s: %s, which is wrong: nothing would follow from a run", name, verdict)
	}
	return m.Found(t.find), nil
}
