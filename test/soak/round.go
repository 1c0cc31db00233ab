package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// A round is a memory, a fleet and a schedule.
type round struct {
	schedule schedule
	length   time.Duration
	until    func() bool // nil, or whether it may end before
	*fleet
	operator *operator
}

// margin is how far UIDs may lie before and after the time of a round, but for burns: clocks stray, and
// generators borrow from the future and begin ahead.
const margin = freeStray + maxLead + 8*time.Second

// newRound returns a round without processes, which draw that many UIDs or numbers a second. Its end closes the memory.
func newRound(length time.Duration, plan schedule, w *world, slots []slot, rate float64) (*round, error) {
	now := time.Now()
	g, err := harness.NewGeometry(layout, now.Add(-margin), now.Add(4*length+2*closeLimit+margin+lease.Burn))
	if err != nil {
		return nil, err
	}
	if slots[0].Worker == segments || slots[0].Worker == served {
		g.Numbers = int64(4*rate*length.Seconds()) + 1<<26 // with what is skipped
	}
	m, err := openMemory(g, nil)
	if err != nil {
		return nil, err
	}
	f := newFleet(m, w, slots, rate)
	return &round{schedule: plan, length: length, fleet: f, operator: &operator{fleet: f}}, nil
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
		if r.until != nil && r.until() {
			fail(nil)
			break
		}
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
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
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
		if e.Fault < rename {
			err = r.world.places[e.Place].suffer(e)
		} else {
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
	UIDs                        uint64
	Processes                   int
	Faults                      [faults]int64
	FailedStarts                int64
	LeasesLost, LeasesTaken     uint64
	RefusedCalls                uint64
	RowsVanished, RowsEdited    int64
	LeasesChecked               int
	Found                       [harness.Kinds]uint64 // violations of each kind
	Violations                  []string
	MemoryBytes                 int64
	Took                        time.Duration
	NumbersSkipped, Unexplained int64
}

// judge counts and checks what the processes of a round have left, when all of them have ended.
func (r *round) judge(res *result) error {
	m := r.memory
	res.Processes += len(r.all)
	res.Took += time.Since(r.began)
	res.FailedStarts += r.unready.Load()
	res.RowsVanished += r.operator.vanished.Load()
	res.RowsEdited += r.operator.edited.Load()
	for f, planned := range r.schedule.planned() {
		n := r.injected[f].Load()
		res.Faults[f] += n
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
		r.violation("the processes of slot %d (%s) have drawn %d, and at least %d are wanted: %s",
			i, r.slots[i].Name, m.slots[i].uids.Load(), max(1, r.slots[i].Least), r.lastWords(i))
	}
	for i := range r.slots {
		c := &m.slots[i]
		res.RefusedCalls += c.refused.Load()
		res.LeasesLost += c.lost.Load()
		res.LeasesTaken += c.taken.Load()
	}
	for _, sp := range spaces(r.slots) {
		found, n, err := r.unreserved(sp)
		if err != nil {
			return err
		}
		res.LeasesChecked += n
		r.wrong = append(r.wrong, found...)
	}
	if r.slots[0].Worker == segments {
		row, err := r.tag(nil)
		if err != nil {
			return err
		}
		holes, unexplained, wrong := m.skipped(row.Next)
		res.NumbersSkipped, res.Unexplained = holes, unexplained
		r.wrong = append(r.wrong, wrong...)
	}
	for k := range harness.Kinds {
		res.Found[k] += m.Found(k)
	}
	res.Violations = append(res.Violations, r.violations()...)
	return nil
}

// unreserved asks a space of leases for the worker IDs of which a tick was drawn that it has
// not reserved, and says which. What was reserved by a row that is gone lies below the
// namespace's floor. After a loss of commits a row can tell of its ID only if it was acquired
// since: before that the ticks that the lost commits had reserved were still to be burnt.
func (f *fleet) unreserved(sp space) (found []string, asked int, err error) {
	page, err := f.world.rows(sp)
	if err != nil {
		return nil, 0, fmt.Errorf("soak: read the leases of %s: %w", sp.Share, err)
	}
	byID := map[int64]storage.Lease{}
	for _, r := range page.Rows {
		byID[r.WorkerID] = r
	}
	base := slot{Share: sp.Share}.base()
	lost := f.world.places[sp.Place].lossOf(sp.Share)
	for id := range int64(1) << idBits {
		last := f.memory.Newest(base + id)
		r, ok := byID[id]
		if !ok {
			r = storage.Lease{High: -1, Acquired: page.Namespace.Made}
		}
		if last < 0 || r.Acquired.Before(lost) {
			continue
		}
		asked++
		if reserved := max(r.High, page.Namespace.Floor); last > reserved {
			found = append(found, fmt.Sprintf(
				"worker ID %d: tick %d was drawn, and the lease %d of %s in %s reserves ticks up to %d only",
				base+id, last, id, sp.Share, sp.Place, reserved))
		}
	}
	return found, asked, nil
}
