package fleet

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/proof/record"
	"github.com/uidgen/uid/worker/lease"
)

// layout has few UIDs a tick, so that a process is soon in the next one.
var layout = bits.MustLayout(bits.Config{TimeBits: 38, WorkerBits: 7, SequenceBits: 6, Unit: 10 * time.Millisecond})

const (
	memoryBefore = 10 * time.Second // that its ticks begin before it is made
	memorySpan   = 11 * time.Minute
	maxProcesses = 4096
	maxEvents    = 1 << 14
)

// A memory is what the processes of a fleet share: the record of all UIDs, and what the
// processes have come to.
type memory struct {
	*record.Record
	*page
}

// page is what is beside the record.
type page struct {
	processes [maxProcesses]progress
	events    [maxEvents]event
	eventsN   atomic.Int64
}

// progress is what a process has come to.
type progress struct {
	issued        atomic.Int64 // UIDs
	noReservation atomic.Int64 // calls that failed with uid.ErrNoReservation
	failed        atomic.Int64 // calls that failed otherwise
	refused       atomic.Int64 // generators that could not be made
}

// An event is a lease.Event of a process.
type event struct {
	process, kind, workerID, at atomic.Int64 // at in nanoseconds since 1970; kind is written last
}

func newMemory() (*memory, error) {
	now := time.Now()
	g, err := record.NewGeometry(layout, now.Add(-memoryBefore), now.Add(memorySpan))
	if err != nil {
		return nil, err
	}
	r, p, err := record.New[page](g)
	return &memory{r, p}, err
}

func openMemory(g record.Geometry, file *os.File) (*memory, error) {
	r, p, err := record.Open[page](g, file)
	return &memory{r, p}, err
}

// note marks a UID as given to a process.
func (m *memory) note(process int, u uid.UID) {
	m.Mark(u, drawer(process))
	m.processes[process].issued.Add(1)
}

func drawer(process int) record.Drawer { return record.NewDrawer(uint32(process)+1, 0) }

// doubles returns how many UIDs, and how many ticks of a worker ID, were given twice.
func (m *memory) doubles() uint64 { return m.Found(record.Duplicate) + m.Found(record.SharedTick) }

// texts says who got what twice.
func (m *memory) texts() (lines []string) {
	for _, v := range m.Violations() {
		lines = append(lines, m.Describe(v, func(d record.Drawer) string { return fmt.Sprintf("process %d", int(d.Process())-1) }))
	}
	return lines
}

func (m *memory) tell(process int, e lease.Event) {
	if n := m.eventsN.Add(1) - 1; n < maxEvents {
		m.events[n].process.Store(int64(process))
		m.events[n].workerID.Store(e.WorkerID)
		m.events[n].at.Store(time.Now().UnixNano())
		m.events[n].kind.Store(int64(e.Kind))
	}
}

// happened returns the events of a kind.
func (m *memory) happened(kind lease.EventKind) (all []*event) {
	for i := range min(m.eventsN.Load(), maxEvents) {
		if e := &m.events[i]; e.kind.Load() == int64(kind) {
			all = append(all, e)
		}
	}
	return all
}

// idOf returns the worker ID that a process got last, or -1.
func (m *memory) idOf(process int) int64 {
	id := int64(-1)
	for i := range min(m.eventsN.Load(), maxEvents) {
		e := &m.events[i]
		if e.process.Load() != int64(process) {
			continue
		}
		switch lease.EventKind(e.kind.Load()) {
		case lease.Acquired, lease.TakenOver:
			id = e.workerID.Load()
		}
	}
	return id
}
