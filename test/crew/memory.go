package crew

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/record"
	"github.com/uidgen/uid/worker/lease"
)

// Layout has few UIDs a tick, so that a process is soon in the next one.
var Layout = bits.MustLayout(bits.Config{TimeBits: 38, WorkerBits: 7, SequenceBits: 6, Unit: 10 * time.Millisecond})

const (
	memoryBefore = 10 * time.Second // that its ticks begin before it is made
	memorySpan   = 11 * time.Minute
	maxProcesses = 4096
	maxEvents    = 1 << 14
)

// A Memory is what the processes of a crew share: the record of all UIDs, and what the
// processes have come to.
type Memory struct {
	*record.Record
	*Page
}

// A Page is what is beside the record.
type Page struct {
	Processes [maxProcesses]Progress
	events    [maxEvents]Event
	eventsN   atomic.Int64
}

// Progress is what a process has come to.
type Progress struct {
	Issued        atomic.Int64 // UIDs
	NoReservation atomic.Int64 // calls that failed with uid.ErrNoReservation
	Failed        atomic.Int64 // calls that failed otherwise
	Refused       atomic.Int64 // generators that could not be made
}

// An Event is a lease.Event of a process.
type Event struct {
	Process, Kind, WorkerID, At atomic.Int64 // At in nanoseconds since 1970; Kind is written last
}

// NewMemory makes an empty memory, for the next minutes.
func NewMemory() (*Memory, error) {
	now := time.Now()
	g, err := record.NewGeometry(Layout, now.Add(-memoryBefore), now.Add(memorySpan))
	if err != nil {
		return nil, err
	}
	r, p, err := record.New[Page](g)
	return &Memory{r, p}, err
}

// OpenMemory maps the memory of another process.
func OpenMemory(g record.Geometry, file *os.File) (*Memory, error) {
	r, p, err := record.Open[Page](g, file)
	return &Memory{r, p}, err
}

// Note marks a UID as given to a process.
func (m *Memory) Note(process int, u uid.UID) {
	m.Mark(u, drawer(process))
	m.Processes[process].Issued.Add(1)
}

func drawer(process int) record.Drawer { return record.NewDrawer(uint32(process)+1, 0) }

// Doubles returns how many UIDs, and how many ticks of a worker ID, were given twice.
func (m *Memory) Doubles() uint64 { return m.Found(record.Duplicate) + m.Found(record.SharedTick) }

// Texts says who got what twice.
func (m *Memory) Texts() (lines []string) {
	for _, v := range m.Violations() {
		lines = append(lines, m.Describe(v, func(d record.Drawer) string { return fmt.Sprintf("process %d", int(d.Process())-1) }))
	}
	return lines
}

// Tell adds an event.
func (m *Memory) Tell(process int, e lease.Event) {
	if n := m.eventsN.Add(1) - 1; n < maxEvents {
		m.events[n].Process.Store(int64(process))
		m.events[n].WorkerID.Store(e.WorkerID)
		m.events[n].At.Store(time.Now().UnixNano())
		m.events[n].Kind.Store(int64(e.Kind))
	}
}

// Happened returns the events of a kind.
func (m *Memory) Happened(kind lease.EventKind) (all []*Event) {
	for i := range min(m.eventsN.Load(), maxEvents) {
		if e := &m.events[i]; e.Kind.Load() == int64(kind) {
			all = append(all, e)
		}
	}
	return all
}

// IDOf returns the worker ID that a process got last, or -1.
func (m *Memory) IDOf(process int) int64 {
	id := int64(-1)
	for i := range min(m.eventsN.Load(), maxEvents) {
		e := &m.events[i]
		if e.Process.Load() != int64(process) {
			continue
		}
		switch lease.EventKind(e.Kind.Load()) {
		case lease.Acquired, lease.TakenOver:
			id = e.WorkerID.Load()
		}
	}
	return id
}
