package main

import (
	"fmt"
	"os"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/record"
)

// The faults that an operator's hands could cause if the leases had no guards against
// them. Each is planted by its effect: in the rows that the next owner finds, or in what a
// worker grants.

// operatorTrials are the faults, by how they came about.
func operatorTrials() []trial {
	owner := planted("", leased, embedded, fill)
	owner.Durable = true
	owner.MaxLead = 10 * time.Second // so that the next one is not too late for what it left
	next := owner
	next.Draw = []string{strict}
	with := func(s slot, fault string) slot { s.Planted = fault; return s }
	const over = leaseTTL + leaseQuarantine
	revoked := with(owner, plantedUndone)
	revoked.Window = 2 * time.Second

	long, short := owner, next
	long.Durable, short.Durable = false, false
	// The second one has about as long as that to start: later it begins above what the first has
	// issued, and there is nothing to find.
	long.Window, short.Window = 8*time.Second, 500*time.Millisecond

	turning := planted(plantedTurns, static, "", strict)
	turning.Cached = false

	return []trial{
		{fault: "a table of leases that an owner makes anew while it is renamed", find: record.Duplicate,
			slots: []slot{owner, next}, script: oneAfterTheOther(ahead, 0, makeAnew)},
		{fault: plantedForgotten, find: record.Duplicate,
			slots:  []slot{owner, with(next, plantedForgotten)},
			script: oneAfterTheOther(2*time.Second, over, forget)},
		{fault: plantedUndone, find: record.Duplicate,
			slots: []slot{revoked, next}, script: oneBesideTheOther(leaseQuarantine)},
		{fault: plantedNames, find: record.Duplicate,
			slots: []slot{with(owner, plantedNames), with(next, plantedNames)}, script: twoNames},
		{fault: plantedTurns, find: record.Duplicate,
			slots: []slot{planted("", static, "", strict), turning}, script: turn},
		{fault: "a database file under two names", find: record.Duplicate,
			slots: []slot{owner, next}, script: twoFiles},
		{fault: "a last tick that is stored smaller than it is", find: record.Duplicate,
			slots: []slot{owner, next}, script: oneAfterTheOther(ahead, over, clamp)},
		{fault: "a table that is truncated without a rest, among leases of different windows", find: record.Duplicate,
			slots: []slot{long, short}, script: oneAfterTheOther(0, 0, truncateAtOnce)},
		{fault: "a durable store that loses acknowledged commits", find: record.Duplicate,
			slots: []slot{owner, next}, script: loseLease},
	}
}

// ahead is how far ahead of the clock the first of two processes gets.
const ahead = 7 * time.Second

// table opens the database of a trial, for its first slot's table.
func (f *fleet) table(do func(*sqlx.DB, leaseTable) error) error {
	t, _ := f.slots[0].leases()
	db, err := f.stores.open(t.store)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(db, t)
}

// makeAnew replaces the table by a new one with the namespace, in which nothing tells of
// former owners.
func makeAnew(f *fleet) error {
	return f.table(func(db *sqlx.DB, t leaseTable) error {
		if err := renameTable(db, t.name, t.name+"_AWAY"); err != nil {
			return err
		}
		return f.stores.found(db, t, 0)
	})
}

// forget removes rows and what the namespace knows of them, and sets the next process's clock behind.
func forget(f *fleet) error {
	if err := setBehind(f); err != nil {
		return err
	}
	return f.table(func(db *sqlx.DB, t leaseTable) error {
		return execAll(db, fmt.Sprintf("DELETE FROM %s WHERE WORKER_ID <> %d", t.name, controlID),
			"UPDATE "+t.name+" SET HOLDER = ''")
	})
}

// setBehind sets the clock of the second slot's processes.
func setBehind(f *fleet) error {
	f.clocks[1] = clockText(f.began, []step{{offset: -2500 * time.Millisecond}})
	return nil
}

// clamp makes a column hold no larger ticks than the clock's.
func clamp(f *fleet) error {
	return f.table(func(db *sqlx.DB, t leaseTable) error {
		return execAll(db, fmt.Sprintf("UPDATE %s SET HIGH = MIN(HIGH, %d)", t.name, soakLayout.TickAt(time.Now())))
	})
}

// truncateAtOnce removes all rows, the largest REACH included, and lets the namespace begin
// at once.
func truncateAtOnce(f *fleet) error {
	return f.table(func(db *sqlx.DB, t leaseTable) error {
		if err := execAll(db, "DELETE FROM "+t.name); err != nil {
			return err
		}
		return f.stores.found(db, t, 0)
	})
}

// loseLease is oneAfterTheOther on a database that loses everything since before the first
// process, when that is killed.
func loseLease(f *fleet) error {
	before, err := os.ReadFile(f.stores.path)
	if err != nil {
		return err
	}
	return oneAfterTheOther(ahead, 0, func(f *fleet) error {
		_ = os.Remove(f.stores.path + "-journal")
		return os.WriteFile(f.stores.path, before, 0o600)
	})(f)
}

// twoFiles starts two processes on a file and its copy. That is what one file under two
// names amounts to: journal and locks go by the name, so neither sees what the other does.
func twoFiles(f *fleet) error {
	before, err := os.ReadFile(f.stores.path)
	if err != nil {
		return err
	}
	if _, err := f.start(0); err != nil {
		return err
	}
	f.stores.path += ".linked"
	if err := os.WriteFile(f.stores.path, before, 0o600); err != nil {
		return err
	}
	_, err = f.start(1)
	return err
}

// oneBesideTheOther starts a process when the first one has been up for a while.
func oneBesideTheOther(after time.Duration) func(*fleet) error {
	return func(f *fleet) error {
		in, err := f.start(0)
		if err != nil {
			return err
		}
		if err := f.awaitUp(in); err != nil {
			return err
		}
		time.Sleep(after)
		_, err = f.start(1)
		return err
	}
}

// twoNames starts two processes that use one name of a namespace, under which the database
// stores two.
func twoNames(f *fleet) error {
	err := f.table(func(db *sqlx.DB, t leaseTable) error {
		for incarnation := range uint32(2) {
			t.namespace = storedName(incarnation + 1)
			if err := f.stores.found(db, t, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return oneBesideTheOther(0)(f)
}

// storedName is the name of a planted namespace as it comes to the database by the charset
// of a process's connection.
func storedName(incarnation uint32) string { return fmt.Sprintf("b?cher, charset %d", incarnation) }

// turnBits count the steps back of a clock, in the upper bits of the worker ID.
const turnBits = storeBits + 1

// turningLayout is as wide as soakLayout, and worker ID 0 after one step back is firstTurn
// there.
var turningLayout = bits.MustLayout(bits.Config{
	TimeBits: soakLayout.TimeBits(), WorkerBits: soakLayout.WorkerBits(), SequenceBits: soakLayout.SequenceBits(), Unit: tickUnit,
})

const firstTurn = 1 << (storeBits + idBits - turnBits)

// turn starts a process with the worker ID that another one gets after a step back.
func turn(f *fleet) error {
	f.statics = firstTurn
	if _, err := f.start(0); err != nil {
		return err
	}
	f.statics = 0
	// The first step back that the process sees is the turn. It may be long until it runs.
	var steps []step
	for at := 500 * time.Millisecond; at < trialLimit; at += 10 * time.Second {
		steps = append(steps, step{at: time.Since(f.began) + at, offset: -time.Duration(len(steps)+1) * 300 * time.Millisecond})
	}
	f.clocks[1] = clockText(f.began, steps)
	_, err := f.start(1)
	return err
}
