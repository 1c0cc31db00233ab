package main

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/record"
)

// maxProcesses is how many processes a run can have, one after another.
const maxProcesses = 1024

// A memory is what the processes of a run share.
type memory struct {
	*record.Numbers
	*page
}

// A page is what is beside the numbers.
type page struct {
	pause     atomic.Int64 // how long processes rest between two chunks, in nanoseconds
	started   atomic.Int64 // how many processes there are, or were
	Processes [maxProcesses]progress
}

// A progress is what a process has come to. Only the process writes it.
type progress struct {
	issued  atomic.Int64 // numbers that were drawn and marked
	newest  atomic.Int64 // the highest of them
	refused atomic.Int64 // calls that failed with uid.ErrNoReservation
	lost    atomic.Int64 // calls that failed with segment.ErrLost
	revived atomic.Int64 // calls that returned a number after that
	failed  atomic.Int64 // calls that failed otherwise

	stats struct{ closed, taken, given, buffered, dropped atomic.Int64 } // after Close, if closed is 1

	ledger
}

// newMemory makes an empty memory for the numbers below most.
func newMemory(most int64) (*memory, error) {
	n, p, err := record.NewNumbers[page](most)
	return &memory{n, p}, err
}

func openMemory(most int64, file *os.File) (*memory, error) {
	n, p, err := record.OpenNumbers[page](most, file)
	return &memory{n, p}, err
}

// note marks numbers, in ascending order, as drawn by a process.
func (m *memory) note(process int, drawn []uid.UID) {
	if len(drawn) == 0 {
		return
	}
	p, by := &m.Processes[process], record.NewDrawer(uint32(process)+1, 0)
	for rest := drawn; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n] == rest[n-1]+1 {
			n++
		}
		m.Mark(int64(rest[0]), int64(rest[n-1]), by)
		rest = rest[n:]
	}
	record.Raise(&p.newest, int64(drawn[len(drawn)-1]))
	p.issued.Add(int64(len(drawn)))
}

// ended notes the Stats of a generator that was closed.
func (p *progress) ended(st segment.Stats) {
	p.stats.taken.Store(int64(st.Taken))
	p.stats.given.Store(int64(st.GivenBack))
	p.stats.buffered.Store(st.Buffered)
	p.stats.dropped.Store(int64(st.Dropped))
	p.stats.closed.Store(1)
}

func (m *memory) rest() time.Duration { return time.Duration(m.pause.Load()) }

// all returns what the processes have come to, in the order of their start.
func (m *memory) all() []progress { return m.Processes[:m.started.Load()] }

// sum adds up a count of all processes.
func (m *memory) sum(of func(*progress) int64) (n int64) {
	for i := range m.all() {
		n += of(&m.Processes[i])
	}
	return n
}

func (m *memory) issued() int64 { return m.sum(func(p *progress) int64 { return p.issued.Load() }) }
func (m *memory) takes() int64  { return m.sum(func(p *progress) int64 { return p.takes.Load() }) }
