package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// A round is a memory, a fleet and a schedule.
type round struct {
	schedule schedule
	length   time.Duration
	*fleet
	operator *operator
}

// margin is how far UIDs may lie before and after the time of a round, but for burns: clocks stray, and
// generators borrow from the future and begin ahead.
const margin = freeStray + maxLead + 8*time.Second

// newRound returns a round without processes. Its end closes the memory.
func newRound(length time.Duration, plan schedule, st *stores, slots []slot, rate float64) (*round, error) {
	now := time.Now()
	g, err := harness.NewGeometry(soakLayout, now.Add(-margin), now.Add(4*length+2*closeLimit+margin+lease.Burn))
	if err != nil {
		return nil, err
	}
	m, err := openMemory(g, nil)
	if err != nil {
		return nil, err
	}
	f := newFleet(m, st, slots, rate)
	return &round{plan, length, f, &operator{stores: st, fleet: f}}, nil
}

// run lets the round happen. It goes on until as many UIDs have been drawn as are wanted, but not for longer than twice
// the length, unless a slot has drawn none: a slow machine has as long as the record reaches.
func (r *round) run(ctx context.Context, wanted uint64) error {
	interrupted := ctx
	ctx, fail := context.WithCancelCause(context.WithoutCancel(ctx))
	defer fail(nil)
	defer context.AfterFunc(interrupted, func() { fail(errors.New("soak: interrupted")) })()
	stop := make(chan struct{})
	var tending, disturbing sync.WaitGroup
	attempt := func(all *sync.WaitGroup, do func() error) {
		all.Go(func() {
			if err := do(); err != nil {
				fail(err)
			}
		})
	}
	for i := range r.slots {
		var events []event
		events, r.clocks[i] = r.schedule.of(i, r.began)
		attempt(&tending, func() error { return r.tend(ctx, i, events, stop) })
	}
	// One goroutine for each thing that can have one fault at a time.
	queues := map[string]schedule{}
	for _, e := range r.schedule {
		if e.Fault > setClock {
			queues[e.queue()] = append(queues[e.queue()], e)
		}
	}
	for _, own := range queues {
		attempt(&disturbing, func() error { return r.disturb(ctx, own) })
	}
	r.injected[setClock].Store(int64(r.schedule.planned()[setClock])) // as told at their start
	for ctx.Err() == nil {
		drawn, silent := r.drawn()
		passed := time.Since(r.began)
		enough := passed >= r.length && drawn >= wanted || passed >= 2*r.length
		if enough && silent == nil || passed >= r.longest() {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	disturbing.Wait() // so that the databases are there for the processes that end
	close(stop)
	tending.Wait()
	return context.Cause(ctx)
}

// longest is how long a round may last: the record reaches further.
func (r *round) longest() time.Duration { return 3*r.length + closeLimit }

// disturb lets events happen to databases and connections. A machine that is too slow for them gets no further than
// the record does.
func (r *round) disturb(ctx context.Context, own schedule) error {
	for _, e := range own {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(r.began.Add(e.At))):
		}
		if time.Since(r.began) > r.longest() {
			return nil // judge says which faults are missing
		}
		var err error
		switch e.Fault {
		case serverKill:
			err = r.stores.killServer(e.For)
		case failover:
			err = r.stores.failover()
		case cut, delay, swallowReply, swallowCommit:
			r.stores.disturb(e)
		default:
			err = r.operator.act(e)
		}
		if err != nil {
			return err
		}
		r.injected[e.Fault].Add(1)
		if e.Kill {
			time.Sleep(e.By)
			r.killOwners(e)
		}
	}
	return nil
}

// A result is what came of all rounds.
type result struct {
	Seed          uint64            `json:"seed"`
	For           time.Duration     `json:"forNs"`
	SelfTest      []finding         `json:"selfTest"`
	Rounds        int               `json:"rounds"`
	UIDs          uint64            `json:"uids"`
	Processes     int               `json:"processes"`
	Faults        map[string]int64  `json:"faults"`
	FailedStarts  int64             `json:"failedStarts"`
	KilledDrawing int64             `json:"killedDrawing"` // kills of a process that had a generator
	LeasesLost    uint64            `json:"leasesLost"`
	LeasesTaken   uint64            `json:"leasesTakenOver"`
	RefusedCalls  uint64            `json:"refusedCalls"`
	RowsVanished  int64             `json:"rowsVanished"`
	RowsEdited    int64             `json:"rowsEdited"`
	LeasesChecked int               `json:"leasesChecked"`
	Found         map[string]uint64 `json:"found"` // violations of each kind
	Violations    []string          `json:"violations"`
	SlowestCall   time.Duration     `json:"slowestCallNs"`
	LongestStall  time.Duration     `json:"longestStallNs"`
	MemoryBytes   int64             `json:"memoryBytes"`
	Took          time.Duration     `json:"tookNs"`
	OK            bool              `json:"ok"`
}

// judge counts and checks what the processes of a round have left, when all of them have ended.
func (r *round) judge(res *result) error {
	m := r.memory
	res.Rounds++
	res.Processes += len(r.all)
	res.Took += time.Since(r.began)
	res.FailedStarts += r.unready.Load()
	res.KilledDrawing += r.drawing.Load()
	res.RowsVanished += r.operator.vanished.Load()
	res.RowsEdited += r.operator.edited.Load()
	for f, planned := range r.schedule.planned() {
		n := r.injected[f].Load()
		res.Faults[fault(f).String()] += n
		if n < int64(planned) {
			r.violation("of %d planned faults of the kind %v only %d happened", planned, fault(f), n)
		}
		none := map[fault]bool{vanish: r.operator.vanished.Load() == 0, edit: r.operator.edited.Load() == 0}
		if planned > 0 && none[fault(f)] {
			r.violation("%v: no row at all", fault(f))
		}
	}
	set, bytes, err := m.Count()
	if err != nil {
		return err
	}
	res.UIDs += set
	res.MemoryBytes = max(res.MemoryBytes, bytes)
	drawn, silent := r.drawn()
	if marked := set + m.Found(harness.Duplicate) + m.Found(harness.Outside); marked < drawn {
		r.violation("%d UIDs were drawn, and only %d marked", drawn, marked)
	}
	for _, i := range silent {
		r.violation("the processes of slot %d (%s) have drawn no UID at all: %s", i, r.slots[i].Name, r.lastWords(i))
	}
	for i := range r.slots {
		c := &m.slots[i]
		res.RefusedCalls += c.refused.Load()
		res.LeasesLost += c.lost.Load()
		res.LeasesTaken += c.taken.Load()
		res.SlowestCall = max(res.SlowestCall, time.Duration(c.slowest.Load()))
		res.LongestStall = max(res.LongestStall, time.Duration(c.stalled.Load()))
	}
	for _, t := range leaseTables(r.slots) {
		found, n, err := r.stores.unreserved(m, t)
		if err != nil {
			return err
		}
		res.LeasesChecked += n
		for _, text := range found {
			r.violation("%s", text)
		}
	}
	for k := range harness.Kinds {
		if n := m.Found(k); n > 0 {
			res.Found[k.String()] += n
		}
	}
	res.Violations = append(res.Violations, r.violations()...)
	return nil
}
