package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/test/harness"
)

// An incarnation is one process of a slot.
type incarnation struct {
	*harness.Process
	number uint32
	slot   int
	stderr harness.Tail
	how    string // it came to its end
}

// A fleet is the processes of a round, which the parent starts, and what has happened to
// them. Methods that end a process are called by one goroutine for each slot.
type fleet struct {
	memory *memory
	world  *world
	slots  []slot
	rate   float64 // UIDs a second of all of them
	began  time.Time
	clocks [][]step        // of each slot
	kills  []chan struct{} // of each slot's process, beside its events

	injected [faults]atomic.Int64
	unready  atomic.Int64 // processes that could not make a generator, and ended

	mu      sync.Mutex
	all     []*incarnation // by number, less 1
	statics int64          // how many static IDs have been given out
	wrong   []string       // violations that are not in the memory
}

func newFleet(m *memory, w *world, slots []slot, rate float64) *fleet {
	f := &fleet{memory: m, world: w, slots: slots, rate: rate, began: time.Now(), clocks: make([][]step, len(slots))}
	for range slots {
		f.kills = append(f.kills, make(chan struct{}, 100))
	}
	return f
}

// start starts the next process of a slot.
func (f *fleet) start(slot int) (*incarnation, error) {
	sl := f.slots[slot]
	var weights float64
	for _, s := range f.slots {
		weights += s.Weight
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	in := &incarnation{number: uint32(len(f.all)) + 1, slot: slot}
	p := job{
		Slot: sl, Index: slot, Incarnation: in.number, SequenceBits: layout.SequenceBits(),
		First: f.memory.First, Ticks: f.memory.Ticks, Numbers: f.memory.Numbers, Namespace: f.world.namespace(sl.Share),
		State: f.world.state(slot), StaticID: f.statics, Rate: f.rate * sl.Weight / weights, Clock: f.clocks[slot],
	}
	if sl.Worker == static && sl.Planted != plantedCopy {
		f.statics++
	}
	if at := f.world.places[sl.Place]; at != nil {
		p.URL = at.url(at.ways[slot%2].Addrs(0), slot/2, sl.Share)
	}
	var err error
	in.Process, err = harness.Spawn(p, harness.Program{Files: []*os.File{f.memory.File()}, Output: &in.stderr})
	if err == nil {
		f.all = append(f.all, in)
	}
	return in, err
}

// isGone reports whether a lease's holder, a host and a process ID, is a process that has ended.
func (f *fleet) isGone(holder string) (gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, in := range f.all { // the last one of the ID counts
		if strings.HasSuffix(holder, fmt.Sprint("/", in.PID())) {
			gone = in.HasEnded()
		}
	}
	return gone
}

// ended judges a process that has ended by itself.
func (f *fleet) ended(in *incarnation) {
	<-in.Done()
	switch in.State().ExitCode() {
	case exitDone:
		in.how = "ended"
	case exitNoStart:
		in.how = "could not start"
		f.unready.Add(1)
	default:
		in.how = "failed"
		drawer := f.name(harness.NewDrawer(in.number, 0))
		f.violation("%s ended by itself (%v):\n%s", drawer, in.State(), in.stderr.String())
	}
}

// killAll ends all processes.
func (f *fleet) killAll() {
	for _, in := range f.all {
		if !in.HasEnded() {
			f.kill(in)
		}
	}
}

func (f *fleet) violation(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
}

// kill ends a process with SIGKILL.
func (f *fleet) kill(in *incarnation) {
	in.how = "killed"
	in.Kill()
}

// closeLimit is how long a process may take to end in good order: as long as it waits for
// its database, and more.
const closeLimit = 40 * time.Second

// end ends a process in good order.
func (f *fleet) end(in *incarnation) {
	in.Quit()
	select {
	case <-in.Done():
		f.ended(in)
	case <-time.After(closeLimit):
		f.violation("%s did not end within %v", f.name(harness.NewDrawer(in.number, 0)), closeLimit)
		f.kill(in)
	}
}

// suspend stops a process for some time. What the process measures meanwhile does not
// count, so it can see itself that it was stopped.
func (f *fleet) suspend(in *incarnation, d time.Duration, kill bool) {
	pauses := &f.memory.slots[in.slot].pauses
	pauses.Add(1)
	in.Pause()
	select {
	case <-time.After(d):
	case <-in.Done():
	}
	if kill { // before it runs again
		f.kill(in)
	}
	pauses.Add(1)
	in.Resume()
}

// tend keeps a slot filled and plays its events, until it is told to stop and has played them.
func (f *fleet) tend(ctx context.Context, slot int, events []event, stop <-chan struct{}) error {
	in, err := f.start(slot)
	for err == nil {
		due, end := time.Hour, stop
		if len(events) > 0 {
			due, end = time.Until(f.began.Add(events[0].At)), nil
		}
		select {
		case <-ctx.Done():
			f.kill(in)
			return nil
		case <-end:
			// Half of them leave their leases as a crash would.
			if slot%2 == 0 {
				f.kill(in)
			} else {
				f.end(in)
			}
			return nil
		case <-in.Done():
			f.ended(in)
			time.Sleep(100 * time.Millisecond)
		case <-f.kills[slot]:
			f.kill(in)
			f.injected[kill].Add(1)
		case <-time.After(due):
			f.happen(in, events[0])
			events = events[1:]
		}
		if in.HasEnded() {
			in, err = f.start(slot)
		}
	}
	return err
}

// happen plays an event on a process.
func (f *fleet) happen(in *incarnation, e event) {
	switch e.Fault {
	case pause:
		f.suspend(in, e.For, e.Kill)
	case kill:
		f.kill(in)
		time.Sleep(e.For)
	case restart:
		f.end(in)
		time.Sleep(e.For)
	}
	f.injected[e.Fault].Add(1)
}

// killOwners kills the processes whose leases an event has taken away.
func (f *fleet) killOwners(e event) {
	for i, s := range f.slots {
		if sp, leases := s.leases(); leases && (e.Fault == failover && sp.Place == e.Place || sp == e.Space) {
			f.kills[i] <- struct{}{}
		}
	}
}

// name says who a drawer is.
func (f *fleet) name(d harness.Drawer) string {
	if d == 0 {
		return "nobody"
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := d.Process()
	if n == 0 || int(n) > len(f.all) {
		return fmt.Sprintf("process %d, which is not known", n)
	}
	in := f.all[n-1]
	sl := f.slots[in.slot]
	state := "still running"
	if in.HasEnded() {
		state = fmt.Sprintf("%s at %.3f s", in.how, in.Ended().Sub(f.began).Seconds())
	}
	way := "?"
	if n := len(sl.Draw); n > 0 {
		way = sl.Draw[d.Goroutine()%n]
	}
	return fmt.Sprintf("process %d (slot %d, %s: %v; started at %.3f s, %s) by its goroutine %d (%s)",
		n, in.slot, sl.Name, sl, in.Began().Sub(f.began).Seconds(), state, d.Goroutine(), way)
}

// violations are all that were found, in words.
func (f *fleet) violations() []string {
	texts := slices.Clone(f.wrong)
	for _, v := range f.memory.Violations() {
		texts = append(texts, f.memory.Describe(v, f.name))
	}
	return texts
}

// lastWords returns what the last process of a slot wrote to standard error.
func (f *fleet) lastWords(slot int) string {
	for _, in := range slices.Backward(f.all) {
		if in.slot == slot {
			return in.stderr.String()
		}
	}
	return ""
}

// drawn returns how many UIDs were drawn, as the processes say, and the slots that have drawn too few.
func (f *fleet) drawn() (n uint64, silent []int) {
	for i := range f.slots {
		of := f.memory.slots[i].uids.Load()
		if n += of; of < max(1, f.slots[i].Least) {
			silent = append(silent, i)
		}
	}
	return n, silent
}
