package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// A trial is a planted fault that has to be found.
type trial struct {
	fault string
	find  harness.Kind // the violation by which it shows
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
	return slot{Name: "planted", Planted: fault, Cached: true, Draw: draw, Worker: workers, Store: store,
		MaxLead: maxLead, Weight: 1}
}

// trials are the faults, of which two are none at all.
func trials() []trial {
	plain := planted("", static, "", strict, fill)
	behind := planted(plantedBehind, static, "", strict)
	behind.MaxLead = tickUnit // so that what is borrowed does not make up for it
	unstored := planted(plantedUnstored, leased, embedded, fill)
	unstored.MaxLead = 10 * time.Second
	oblivious := planted(plantedOblivious, leased, embedded, fill)
	oblivious.MaxLead = lease.Burn
	burning := oblivious
	burning.Planted = ""
	twin := planted(plantedCopy, static, "", strict)
	unguarded := planted(plantedUnguarded, static, "", strict)
	lost := planted(plantedLost, throwaway, embedded, strict)
	return []trial{
		{plantedCopy, harness.Duplicate, []slot{twin, planted(plantedCopy, static, "", lane)}, nil, nil, false},
		{"the copied worker ID of a process that was killed", harness.Duplicate,
			[]slot{planted(plantedCopy, static, "", fill)}, nil,
			oneAfterTheOther(3*time.Second, func(*fleet) error { return nil }), false},
		{plantedUnstored, harness.Duplicate, []slot{unstored}, nil, oneAfterTheOther(7*time.Second, untilFree), true},
		{plantedUnguarded, harness.Duplicate, []slot{unguarded}, stepsBack(), nil, false},
		{plantedLost, harness.Duplicate, []slot{lost}, nil, loseCommit, false},
		{plantedOblivious, harness.Duplicate, []slot{oblivious}, nil, setBack, false},
		{plantedForeign, harness.ForeignID, []slot{planted(plantedForeign, static, "", strict)}, nil, nil, false},
		{plantedBeyond, harness.Unreserved, []slot{planted(plantedBeyond, leased, embedded, fill)}, nil, nil, false},
		{plantedBehind, harness.Late, []slot{behind}, nil, nil, false},
		{plantedAhead, harness.Early, []slot{planted(plantedAhead, static, "", strict)}, nil, nil, false},
		{plantedDisorder, harness.Disorder, []slot{planted(plantedDisorder, static, "", strict)}, nil, nil, false},
		{"", 0, []slot{burning}, nil, setBack, false},
		{"", 0, []slot{plain, plain}, nil, nil, false},
	}
}

// stepsBack go back by 200 ms every 300 ms.
func stepsBack() (steps []step) {
	for at := time.Duration(0); at < trialLimit; at += 300 * time.Millisecond {
		steps = append(steps, step{time.Now().Add(at), -at * 2 / 3})
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
		verdict := "NOT FOUND"
		if f.Found {
			verdict = "found"
		}
		if f.Found == (t.fault == "") {
			missed++
			verdict += ", WHICH IS WRONG"
		}
		fmt.Fprintf(w, "self-test: %s: %s in %v\n  %s\n",
			cmp.Or(f.Fault, "no fault"), verdict, f.After.Round(time.Millisecond), f.Violation)
	}
	if missed > 0 {
		return findings, fmt.Errorf("soak: the self-test failed in %d of %d trials: nothing would follow from a run",
			missed, len(findings))
	}
	return findings, nil
}

func (t *trial) run(path string) (res finding, err error) {
	// Of so few IDs a row is made alone, and the second process gets what the first had.
	st := &stores{path: path, ids: lease.Range{Last: 7}}
	r, err := newRound(trialLimit, nil, st, t.slots, 40e6)
	if err != nil {
		return res, err
	}
	m := r.memory
	defer m.Close()
	if err := st.foundAll(t.slots); err != nil {
		return res, err
	}
	for i := range r.clocks {
		r.clocks[i] = t.clock
	}
	defer r.killAll()
	for i := range r.slots {
		if t.script != nil {
			err = t.script(r.fleet)
			break
		}
		if _, err = r.start(i); err != nil {
			break
		}
	}
	if err != nil {
		return res, err
	}
	limit, found := trialLimit, func() bool { return m.Found(t.find) > 0 }
	if t.fault == "" {
		limit, found = grace+time.Second, m.AnyFound
	}
	for scripted := time.Now(); !found() && time.Since(scripted) < limit; {
		time.Sleep(5 * time.Millisecond)
	}
	r.killAll()
	res = finding{Fault: t.fault, Found: found(), After: time.Since(r.began)}
	for _, v := range m.Violations() {
		if res.Violation == "" && (t.fault == "" || v.Kind() == t.find) {
			res.Violation = m.Describe(v, r.name)
		}
	}
	if t.asks && res.Found {
		table, _ := t.slots[0].leases()
		tell, _, err := st.unreserved(m, table)
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
	for _, in := range f.all {
		if !in.HasEnded() {
			f.kill(in)
		}
	}
}

// startUp starts a process, and waits until it has a generator.
func (f *fleet) startUp() (*incarnation, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	in, err := f.start(0)
	for err == nil && !f.up(in) {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-in.Done():
			err = fmt.Errorf("soak: a process ended (%v): %s", in.State(), in.stderr.String())
		case <-time.After(time.Millisecond):
		}
	}
	return in, err
}

// oneAfterTheOther kills a process when it has drawn that far ahead of the clock, and starts another one after
// something else.
func oneAfterTheOther(ahead time.Duration, between func(*fleet) error) func(*fleet) error {
	return func(f *fleet) error {
		in, err := f.startUp()
		if err != nil {
			return err
		}
		number, _ := f.slots[0].shareOf()
		for f.memory.Newest(number<<idBits) < soakLayout.TickAt(time.Now().Add(ahead)) {
			if time.Since(f.began) > trialLimit {
				return fmt.Errorf("soak: the first process is not %v ahead of the clock after %v", ahead, trialLimit)
			}
			time.Sleep(time.Millisecond)
		}
		f.kill(in)
		if err := between(f); err != nil {
			return err
		}
		_, err = f.start(0)
		return err
	}
}

// untilFree waits until the ID of a process that was killed may be leased again.
func untilFree(*fleet) error {
	time.Sleep(2 * leaseTTL)
	return nil
}

// setBack has another file, with a namespace that has no leases yet, take the place of one from which a process has
// leased and drawn.
func setBack(f *fleet) error {
	before, err := os.ReadFile(f.stores.path)
	if err != nil {
		return err
	}
	return oneAfterTheOther(10*time.Second, func(f *fleet) error { // further than a start takes
		_ = os.Remove(f.stores.path + "-journal") // of the write under which the process was killed
		if err := os.WriteFile(f.stores.path+".before", before, 0o600); err != nil {
			return err
		}
		return os.Rename(f.stores.path+".before", f.stores.path)
	})(f)
}

// loseCommit starts two processes on a database from which the first one's commit is gone
// when the second one comes: the file is what it was before.
func loseCommit(f *fleet) error {
	before, err := f.startUp()
	if err != nil {
		return err
	}
	f.kill(before)
	file, err := os.ReadFile(f.stores.path)
	if err != nil {
		return err
	}
	if _, err := f.startUp(); err != nil {
		return err
	}
	if err := os.WriteFile(f.stores.path, file, 0o600); err != nil {
		return err
	}
	_, err = f.start(0)
	return err
}
