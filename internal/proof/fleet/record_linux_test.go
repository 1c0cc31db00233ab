package fleet

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/worker"
)

// layout has ticks of so few UIDs that one word has a bit for each of them.
var layout = bits.MustLayout(bits.Config{TimeBits: 38, WorkerBits: 7, SequenceBits: 6, Unit: 10 * time.Millisecond})

const (
	recordIDs    = 1 << 7
	recordTicks  = 1 << 16 // about eleven minutes
	recordBefore = 1 << 10 // of these before the record is made
	maxProcesses = 4096
	maxEvents    = 1 << 14
	maxFound     = 32
)

// A record is memory that processes share through a file, and that outlives them. All of
// it is written with atomic operations.
type record struct {
	*page
	first int64 // tick of the first column
}

// page is what the file holds: zeros at first.
type page struct {
	First     int64 // written before the first process starts
	processes [maxProcesses]progress
	events    [maxEvents]event
	eventsN   atomic.Int64
	doublesN  atomic.Int64 // UIDs, and ticks of a worker ID, that were given twice
	doubles   [maxFound]double
	outside   atomic.Int64 // UIDs that there is no cell for
	runs      [recordIDs][recordTicks]run
}

// progress is what a process has come to.
type progress struct {
	issued        atomic.Int64 // UIDs
	noReservation atomic.Int64 // calls that failed with uid.ErrNoReservation
	failed        atomic.Int64 // calls that failed otherwise
	refused       atomic.Int64 // generators that could not be made
}

// A run is a tick of a worker ID.
type run struct {
	owner atomic.Int64  // 1 + the process that was the first to draw from it
	given atomic.Uint64 // a bit for each sequence number
}

// An event is a worker.LeaseEvent of a process.
type event struct {
	process, kind, workerID, at atomic.Int64 // at in nanoseconds since 1970; kind is written last
}

// A double is a UID that was given to the second process though it, or others of its
// tick and worker ID, had been given to the first.
type double struct{ uid, first, second atomic.Int64 }

const pageSize = int64(unsafe.Sizeof(page{}))

// newRecord makes the file.
func newRecord(path string) (*record, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(pageSize); err != nil { // a file with a hole: only what is used takes space
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	r, err := openRecord(path)
	if err != nil {
		return nil, err
	}
	r.First = layout.TickAt(time.Now()) - recordBefore
	r.first = r.First
	return r, nil
}

func openRecord(path string) (*record, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mem, err := unix.Mmap(int(f.Fd()), 0, int(pageSize), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mmap %s: %w", path, err)
	}
	p := (*page)(unsafe.Pointer(unsafe.SliceData(mem)))
	return &record{page: p, first: p.First}, nil
}

func (r *record) close() error {
	mem := unsafe.Slice((*byte)(unsafe.Pointer(r.page)), pageSize)
	r.page = nil
	return unix.Munmap(mem)
}

// note marks a UID as given to a process.
func (r *record) note(process int, u uid.UID) {
	parts, err := layout.Parse(u)
	tick := layout.TickAt(parts.Time) - r.first
	if err != nil || tick < 0 || tick >= recordTicks {
		r.outside.Add(1)
		return
	}
	run := &r.runs[parts.WorkerID][tick]
	me := int64(process) + 1
	if !run.owner.CompareAndSwap(0, me) {
		if owner := run.owner.Load(); owner != me {
			r.found(u, int(owner-1), process)
		}
	}
	if bit := uint64(1) << parts.Sequence; run.given.Or(bit)&bit != 0 {
		r.found(u, int(run.owner.Load()-1), process)
	}
	r.processes[process].issued.Add(1)
}

func (r *record) found(u uid.UID, first, second int) {
	if n := r.doublesN.Add(1) - 1; n < maxFound {
		r.doubles[n].uid.Store(int64(u))
		r.doubles[n].first.Store(int64(first))
		r.doubles[n].second.Store(int64(second))
	}
}

// texts says who got what twice.
func (r *record) logtest.Texts() (lines []string) {
	for i := range min(r.doublesN.Load(), maxFound) {
		d := &r.doubles[i]
		parts, _ := layout.Parse(uid.UID(d.uid.Load()))
		lines = append(lines, fmt.Sprintf("process %d and process %d: %v, tick %d", d.first.Load(), d.second.Load(), parts, layout.TickAt(parts.Time)))
	}
	return lines
}

func (r *record) tell(process int, e worker.LeaseEvent) {
	if n := r.eventsN.Add(1) - 1; n < maxEvents {
		r.events[n].process.Store(int64(process))
		r.events[n].workerID.Store(e.WorkerID)
		r.events[n].at.Store(time.Now().UnixNano())
		r.events[n].kind.Store(int64(e.Kind))
	}
}

// happened returns the events of a kind.
func (r *record) happened(kind worker.LeaseEventKind) (all []*event) {
	for i := range min(r.eventsN.Load(), maxEvents) {
		if e := &r.events[i]; e.kind.Load() == int64(kind) {
			all = append(all, e)
		}
	}
	return all
}

// idOf returns the worker ID that a process got last, or -1.
func (r *record) idOf(process int) int64 {
	id := int64(-1)
	for i := range min(r.eventsN.Load(), maxEvents) {
		e := &r.events[i]
		if e.process.Load() != int64(process) {
			continue
		}
		switch worker.LeaseEventKind(e.kind.Load()) {
		case worker.LeaseAcquired, worker.LeaseTakenOver:
			id = e.workerID.Load()
		}
	}
	return id
}

// newest returns the last tick of a worker ID of which a UID was given, or -1.
func (r *record) newest(id int64) int64 {
	for tick := recordTicks - 1; tick >= 0; tick-- {
		if r.runs[id][tick].owner.Load() != 0 {
			return r.first + int64(tick)
		}
	}
	return -1
}
