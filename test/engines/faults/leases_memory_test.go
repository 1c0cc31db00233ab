package faults

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// layout has few UIDs a tick, so that a process is soon in the next one.
var layout = bits.MustLayout(bits.Config{TimeBits: 38, WorkerBits: 7, SequenceBits: 6, Unit: 10 * time.Millisecond})

const (
	maxProcesses = 4096
	maxEvents    = 1 << 14
)

// A memory is what the processes share: the record of all UIDs, and what they have come to.
type memory struct {
	*harness.Record
	*page
}

type page struct {
	issued        [maxProcesses]atomic.Int64 // UIDs
	noReservation atomic.Int64               // calls that failed with uid.ErrNoReservation
	failed        atomic.Int64               // calls that failed otherwise
	refused       atomic.Int64               // generators that could not be made
	events        [maxEvents]event
	eventsN       atomic.Int64
}

// An event is a lease.Event of a process. Kind is written last.
type event struct{ process, kind, workerID atomic.Int64 }

func openMemory(g harness.Geometry, file *os.File) (*memory, error) {
	r, p, err := harness.OpenRecord[page](g, file)
	return &memory{r, p}, err
}

// note marks a UID as given to a process.
func (m *memory) note(process int, u uid.UID) {
	m.Mark(u, harness.NewDrawer(uint32(process)+1, 0))
	m.issued[process].Add(1)
}

// doubles returns how many UIDs, and how many ticks of a worker ID, were given twice.
func (m *memory) doubles() uint64 { return m.Found(harness.Duplicate) + m.Found(harness.SharedTick) }

// texts say who got what twice.
func (m *memory) texts() (lines []string) {
	process := func(d harness.Drawer) string { return fmt.Sprintf("process %d", int(d.Process())-1) }
	for _, v := range m.Violations() {
		lines = append(lines, m.Describe(v, process))
	}
	return lines
}

// tell adds an event.
func (m *memory) tell(process int, e lease.Event) {
	if n := m.eventsN.Add(1) - 1; n < maxEvents {
		m.events[n].process.Store(int64(process))
		m.events[n].workerID.Store(e.WorkerID)
		m.events[n].kind.Store(kindOf(e.Kind))
	}
}

// kindOf is a kind of event in memory, from 1.
func kindOf(kind string) int64 {
	return int64(slices.Index([]string{"acquired", "taken over", "lost", "low"}, kind)) + 1
}

// happened returns how many events of a kind a process had, or all had for -1, and the worker ID of the last.
func (m *memory) happened(process int, kinds ...string) (n int, id int64) {
	id = -1
	for i := range min(m.eventsN.Load(), maxEvents) {
		for _, kind := range kinds {
			if e := &m.events[i]; e.kind.Load() == kindOf(kind) && (process < 0 || e.process.Load() == int64(process)) {
				n, id = n+1, e.workerID.Load()
			}
		}
	}
	return n, id
}

// idOf returns the worker ID that a process got last, or -1.
func (m *memory) idOf(process int) int64 {
	_, id := m.happened(process, "acquired", "taken over")
	return id
}

func (m *memory) lostBy(process int) int { n, _ := m.happened(process, "lost"); return n }
func (m *memory) takenOver() int         { n, _ := m.happened(-1, "taken over"); return n }
