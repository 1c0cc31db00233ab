package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/uidgen/uid/test/record"
	"github.com/uidgen/uid/worker/lease"
)

// A trial is a planted fault that has to be found.
type trial struct {
	fault string
	find  record.Kind // the violation by which it shows
	slots []slot
	clock []step // of all processes
	// script, if there is one, starts the processes; else there is one for each slot.
	script func(f *fleet) error
	// asks is for a fault that the database has to tell of, too.
	asks bool
}

// A finding is what came of a trial.
type finding struct {
	Fault     string        `json:"fault"`
	Found     bool          `json:"found"`
	After     time.Duration `json:"afterNs"`
	Violation string        `json:"violation"`
}

// trialLimit is how long a fault may stay unfound.
const trialLimit = 2 * time.Minute

func planted(fault, workers, store string, draw ...string) slot {
	return slot{Name: "planted", Cached: true, Draw: draw, Worker: workers, Store: store, MaxLead: maxLead, Weight: 1, Planted: fault}
}

func trials() []trial {
	plain := planted("", static, "", strict, fill)
	behind := planted(plantedBehind, static, "", strict)
	behind.MaxLead = tickUnit // so that what is borrowed does not make up for it
	unstored := planted(plantedUnstored, leased, embedded, fill)
	unstored.MaxLead = 10 * time.Second // the next owner begins more than 3 s ahead of the clock
	all := []trial{
		{fault: plantedCopy, find: record.Duplicate,
			slots: []slot{planted(plantedCopy, static, "", strict), planted(plantedCopy, static, "", lane)}},
		{fault: "the copied worker ID of a process that was killed", find: record.Duplicate,
			slots: []slot{planted(plantedCopy, static, "", fill)}, script: oneAfterTheOther(time.Second, 0, nil)},
		{fault: plantedUnstored, find: record.Duplicate,
			slots: []slot{unstored}, script: oneAfterTheOther(7*time.Second, leaseTTL+leaseQuarantine, nil), asks: true},
		{fault: plantedRacy, find: record.Duplicate,
			slots: []slot{planted(plantedRacy, static, "", strict, strict, strict, strict)}},
		{fault: plantedUnguarded, find: record.Duplicate,
			slots: []slot{planted(plantedUnguarded, static, "", strict)}, clock: stepsBack()},
		{fault: plantedLost, find: record.Duplicate,
			slots: []slot{planted(plantedLost, throwaway, embedded, strict)}, script: loseCommit},
		{fault: plantedForeign, find: record.ForeignID, slots: []slot{planted(plantedForeign, static, "", strict)}},
		{fault: plantedBeyond, find: record.Unreserved, slots: []slot{planted(plantedBeyond, leased, embedded, fill)}},
		{fault: plantedBehind, find: record.Late, slots: []slot{behind}},
		{fault: plantedAhead, find: record.Early, slots: []slot{planted(plantedAhead, static, "", strict)}},
		{fault: plantedDisorder, find: record.Disorder, slots: []slot{planted(plantedDisorder, static, "", strict)}},
	}
	all = append(all, operatorTrials()...)
	return append(all, trial{fault: "", slots: []slot{plain, plain}})
}

// stepsBack go back by 200 ms every 300 ms.
func stepsBack() (steps []step) {
	for at := time.Duration(0); at < trialLimit; at += 300 * time.Millisecond {
		steps = append(steps, step{at, -at * 2 / 3})
	}
	return steps
}

// selfTest runs trials, says what came of them, and fails if one did not go as it has to.
func selfTest(w io.Writer, all []trial) (findings []finding, err error) {
	dir, err := os.MkdirTemp("", "uid-soak-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	missed := 0
	for i, t := range all {
		f, err := t.run(filepath.Join(dir, fmt.Sprintf("%d.db", i)))
		if err != nil {
			return findings, fmt.Errorf("soak: self-test, %s: %w", t.fault, err)
		}
		findings = append(findings, f)
		switch {
		case t.fault == "" && !f.Found:
			fmt.Fprintf(w, "self-test: nothing is found where nothing is planted\n")
		case t.fault == "":
			missed++
			fmt.Fprintf(w, "self-test: FOUND, THOUGH NOTHING IS PLANTED: %s\n", f.Violation)
		case f.Found:
			fmt.Fprintf(w, "self-test: %s: found in %v:\n  %s\n", f.Fault, f.After.Round(time.Millisecond), f.Violation)
		default:
			missed++
			fmt.Fprintf(w, "self-test: %s: NOT FOUND in %v\n", f.Fault, f.After.Round(time.Millisecond))
		}
	}
	if missed > 0 {
		return findings, fmt.Errorf("soak: the self-test failed in %d of %d trials: nothing would follow from a run", missed, len(findings))
	}
	return findings, nil
}

func (t *trial) run(path string) (finding, error) {
	now := time.Now()
	g, err := record.NewGeometry(soakLayout, now.Add(-margin), now.Add(2*trialLimit+margin))
	if err != nil {
		return finding{}, err
	}
	m, err := newMemory(g)
	if err != nil {
		return finding{}, err
	}
	defer m.Close()
	// Of so few IDs a row is made alone, and the second process gets what the first had.
	f := newFleet(m, &stores{path: path, ids: lease.Range{Last: 7}}, t.slots, 40e6)
	if err := f.stores.foundAll(t.slots); err != nil {
		return finding{}, err
	}
	for i := range f.clocks {
		f.clocks[i] = clockText(f.began, t.clock)
	}
	defer f.killAll()
	if t.script != nil {
		err = t.script(f)
	} else {
		for i := range f.slots {
			if _, err = f.start(i); err != nil {
				break
			}
		}
	}
	if err != nil {
		return finding{}, err
	}
	limit := trialLimit
	if t.fault == "" {
		limit = grace + time.Second
	}
	found, scripted := false, time.Now()
	for !found && time.Since(scripted) < limit {
		time.Sleep(5 * time.Millisecond)
		found = m.Found(t.find) > 0
		if t.fault == "" {
			found = m.AnyFound()
		}
	}
	f.killAll()
	res := finding{Fault: t.fault, Found: found, After: time.Since(f.began)}
	if found {
		res.Violation = "more violations than could be recorded"
		for _, v := range m.Violations() {
			if t.fault == "" || v.Kind() == t.find {
				res.Violation = m.Describe(v, f.name)
				break
			}
		}
	}
	if t.asks && found {
		tell, _, err := f.stores.unreserved(m, t.slots[0])
		if err != nil {
			return res, err
		}
		if res.Found = len(tell) > 0; res.Found {
			res.Violation += "; " + tell[0]
		}
	}
	return res, nil
}

func (f *fleet) killAll() {
	f.mu.Lock()
	all := f.all
	f.mu.Unlock()
	for _, in := range all {
		if !in.HasEnded() {
			f.kill(in)
		}
	}
}

// awaitUp waits until a process has a generator.
func (f *fleet) awaitUp(in *incarnation) error {
	for !f.up(in) {
		select {
		case <-in.Done():
			return fmt.Errorf("soak: a process ended (%v): %s", in.State(), in.stderr.String())
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// oneAfterTheOther kills a process of the first slot when it has drawn that far ahead of the
// clock, and starts one of the last slot after a pause, and after what happens in between.
func oneAfterTheOther(ahead, pause time.Duration, between func(*fleet) error) func(*fleet) error {
	return func(f *fleet) error {
		in, err := f.start(0)
		if err != nil {
			return err
		}
		if err := f.awaitUp(in); err != nil {
			return err
		}
		m := f.memory
		number, _ := f.slots[0].shareOf()
		for m.Newest(number<<idBits) < m.Layout.TickAt(time.Now().Add(ahead)) {
			if time.Since(f.began) > trialLimit {
				return fmt.Errorf("soak: the first process is not %v ahead of the clock after %v", ahead, trialLimit)
			}
			time.Sleep(time.Millisecond)
		}
		f.kill(in)
		time.Sleep(pause)
		if between != nil {
			if err := between(f); err != nil {
				return err
			}
		}
		_, err = f.start(len(f.slots) - 1)
		return err
	}
}

// loseCommit starts two processes on a database from which the first one's commit is gone
// when the second one comes: the file is what it was before.
func loseCommit(f *fleet) error {
	before, err := f.start(0)
	if err != nil {
		return err
	}
	if err := f.awaitUp(before); err != nil {
		return err
	}
	f.kill(before)
	file, err := os.ReadFile(f.stores.path)
	if err != nil {
		return err
	}
	in, err := f.start(0)
	if err != nil {
		return err
	}
	if err := f.awaitUp(in); err != nil {
		return err
	}
	if err := os.WriteFile(f.stores.path, file, 0o600); err != nil {
		return err
	}
	_, err = f.start(0)
	return err
}
