package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/uidgen/uid/test/record"
)

// A round is a geometry, a memory, a fleet and a schedule.
type round struct {
	number   int
	length   time.Duration
	schedule schedule
	fleet    *fleet
	stores   *stores
	operator *operator // made by run
}

// margin is how far UIDs may lie before and after the time of a round: clocks stray, and
// generators borrow from the future and begin ahead.
const margin = freeStray + maxLead + 8*time.Second

// A result is what came of a round, or of all.
type result struct {
	Rounds        int               `json:"rounds"`
	UIDs          uint64            `json:"uids"`
	Slots         int               `json:"processesAtOnce"`
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
	Duplicates    uint64            `json:"duplicates"`
	Found         map[string]uint64 `json:"found"` // violations of each kind, duplicates included
	Violations    []string          `json:"violations"`
	SlowestCall   time.Duration     `json:"slowestCallNs"`
	LongestStall  time.Duration     `json:"longestStallNs"`
	MemoryBytes   int64             `json:"memoryBytes"`
	BySlot        []slotResult      `json:"bySlot"`
	Took          time.Duration     `json:"tookNs"`
}

// A slotResult is what the processes of one slot have done.
type slotResult struct {
	Slot         string        `json:"slot"`
	UIDs         uint64        `json:"uids"`
	RefusedCalls uint64        `json:"refusedCalls"`
	SlowestCall  time.Duration `json:"slowestCallNs"`
	LongestStall time.Duration `json:"longestStallNs"`
}

// run lets the round happen. It goes on until as many UIDs have been drawn as are wanted,
// but not for longer than twice the length.
func (r *round) run(ctx context.Context, wanted uint64, show *progress) (result, error) {
	f := r.fleet
	r.operator = &operator{stores: r.stores, fleet: f}
	stop := make(chan struct{})
	failed := make(chan error, len(f.slots)+8)
	var tending, disturbing sync.WaitGroup
	for i := range f.slots {
		f.clocks[i] = clockText(f.began, r.schedule.clock(i))
		tending.Go(func() {
			if err := f.tend(i, r.schedule.of(i), stop); err != nil {
				failed <- err
			}
		})
	}
	// One goroutine for each thing that can have one fault at a time.
	queues := map[string]schedule{}
	for _, e := range r.schedule {
		if e.Fault > setClock {
			queues[e.queue()] = append(queues[e.queue()], e)
		}
	}
	for _, own := range queues {
		disturbing.Go(func() {
			if err := r.disturb(own, stop); err != nil {
				failed <- err
			}
		})
	}
	f.injected[setClock].Store(int64(r.schedule.planned()[setClock])) // as told at their start
	var err error
	for err == nil {
		passed := time.Since(f.began)
		show.update(r.number, passed, r.drawn(), f)
		if passed >= r.length && r.drawn() >= wanted || passed >= 2*r.length {
			break
		}
		select {
		case err = <-failed:
		case <-ctx.Done():
			err = errors.New("soak: interrupted")
		case <-time.After(200 * time.Millisecond):
		}
	}
	if err == nil {
		disturbing.Wait() // so that the databases are there for the processes that end
	}
	close(stop)
	tending.Wait()
	disturbing.Wait()
	if err == nil && len(failed) > 0 {
		err = <-failed
	}
	if err != nil {
		return result{}, err
	}
	return r.result()
}

func (r *round) drawn() (n uint64) {
	for i := range r.fleet.slots {
		n += r.fleet.memory.slots[i].uids.Load()
	}
	return n
}

// disturb lets events happen to databases and connections.
func (r *round) disturb(own schedule, stop <-chan struct{}) error {
	for _, e := range own {
		at := e.At
		if e.Fault == failover {
			at -= failoverSpan
		}
		select {
		case <-stop:
			return nil
		case <-time.After(time.Until(r.fleet.began.Add(at))):
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
		r.fleet.injected[e.Fault].Add(1)
	}
	return nil
}

// result counts and checks what the processes have left, when all of them have ended.
func (r *round) result() (result, error) {
	f, m := r.fleet, r.fleet.memory
	res := result{
		Rounds: 1, Slots: len(f.slots), Processes: len(f.all), FailedStarts: f.unready.Load(), KilledDrawing: f.drawing.Load(),
		Faults: map[string]int64{}, Found: map[string]uint64{}, Took: time.Since(f.began),
	}
	planned := r.schedule.planned()
	res.RowsVanished, res.RowsEdited = r.operator.vanished.Load(), r.operator.edited.Load()
	if planned[vanish] > 0 && res.RowsVanished == 0 {
		f.violation("no row at all has vanished")
	}
	if planned[edit] > 0 && res.RowsEdited == 0 {
		f.violation("no row at all was edited")
	}
	for i := range faults {
		n := f.injected[i].Load()
		res.Faults[i.String()] = n
		if n < int64(planned[i]) {
			f.violation("of %d planned faults of the kind %v only %d happened", planned[i], i, n)
		}
	}
	var err error
	if res.UIDs, res.MemoryBytes, err = m.Count(); err != nil {
		return res, err
	}
	var drawn uint64
	for i, s := range f.slots {
		c := &m.slots[i]
		slot := slotResult{
			Slot: s.Name, UIDs: c.uids.Load(), RefusedCalls: c.refused.Load(),
			SlowestCall: time.Duration(c.slowest.Load()), LongestStall: time.Duration(c.stalled.Load()),
		}
		res.BySlot = append(res.BySlot, slot)
		drawn += slot.UIDs
		res.RefusedCalls += slot.RefusedCalls
		res.LeasesLost += c.lost.Load()
		res.LeasesTaken += c.taken.Load()
		res.SlowestCall = max(res.SlowestCall, slot.SlowestCall)
		res.LongestStall = max(res.LongestStall, slot.LongestStall)
		if slot.UIDs == 0 {
			f.violation("the processes of slot %d (%s) have drawn no UID at all: %s", i, s.Name, f.lastWords(i))
		}
	}
	if marked := res.UIDs + m.Found(record.Duplicate) + m.Found(record.Outside); marked < drawn {
		f.violation("%d UIDs were drawn, and only %d marked", drawn, marked)
	}
	asked := map[string]bool{}
	for _, s := range f.slots {
		t, leases := s.leases()
		if !leases || asked[t.name] {
			continue
		}
		asked[t.name] = true
		found, n, err := r.stores.unreserved(m, s)
		if err != nil {
			return res, err
		}
		res.LeasesChecked += n
		for _, text := range found {
			f.violation("%s", text)
		}
	}
	for k := range record.Kinds {
		if n := m.Found(k); n > 0 {
			res.Found[k.String()] = n
		}
	}
	res.Duplicates = m.Found(record.Duplicate)
	res.Violations = f.violations()
	return res, nil
}
