package faults

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/test/harness"
)

// maxDrawers is how many processes a run can have, one after another.
const maxDrawers = 1024

// numbers are what the processes of a run share.
type numbers struct {
	*harness.Bits
	*numbersPage
}

// A numbersPage is what is beside the numbers.
type numbersPage struct {
	pause     atomic.Int64 // how long processes rest between two chunks, in nanoseconds
	started   atomic.Int64 // how many processes there are, or were
	processes [maxDrawers]progress
}

// A progress is what a process has come to. Only the process writes it.
type progress struct {
	issued  atomic.Int64 // numbers that were drawn and marked
	highest atomic.Int64 // of them
	refused atomic.Int64 // calls that failed with uid.ErrNoReservation
	lost    atomic.Int64 // calls that failed with segment.ErrLost
	revived atomic.Int64 // calls that returned a number after that
	failed  atomic.Int64 // calls that failed otherwise

	stats struct{ closed, taken, given, buffered, dropped atomic.Int64 } // after Close, if closed is 1

	ledger
}

func openNumbers(most int64, file *os.File) (*numbers, error) {
	n, p, err := harness.OpenNumbers[numbersPage](most, file)
	return &numbers{n, p}, err
}

// note marks numbers, in ascending order, as drawn by a process.
func (m *numbers) note(process int, drawn []uid.UID) {
	if len(drawn) == 0 {
		return
	}
	p, by := &m.processes[process], harness.NewDrawer(uint32(process)+1, 0)
	for rest := drawn; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n] == rest[n-1]+1 {
			n++
		}
		m.MarkAll(int64(rest[0]), int64(rest[n-1]), by)
		rest = rest[n:]
	}
	harness.Raise(&p.highest, int64(drawn[len(drawn)-1]))
	p.issued.Add(int64(len(drawn)))
}

// ended notes the Health of a generator that was closed.
func (p *progress) ended(h health.Health) {
	p.stats.taken.Store(int64(h.Counts[telemetry.NumbersTaken]))
	p.stats.given.Store(int64(h.Counts[telemetry.NumbersGivenBack]))
	p.stats.buffered.Store(h.Buffered)
	p.stats.dropped.Store(int64(h.Counts[telemetry.NumbersDropped]))
	p.stats.closed.Store(1)
}

// all returns what the processes have come to, in the order of their start.
func (m *numbers) all() []progress { return m.processes[:m.started.Load()] }

// sum adds up a count of all processes.
func (m *numbers) sum(of func(*progress) int64) (n int64) {
	for i := range m.all() {
		n += of(&m.processes[i])
	}
	return n
}

func (m *numbers) issued() int64   { return m.sum(func(p *progress) int64 { return p.issued.Load() }) }
func (m *numbers) takes() int64    { return m.sum(func(p *progress) int64 { return p.takes.Load() }) }
func (m *numbers) doubles() uint64 { return m.Found(harness.Duplicate) }

// inHand returns at most how many numbers are taken and were not issued. Of those that may
// have been taken, it counts all.
func (p *progress) inHand() (n int64) {
	n = p.taken.Load() - p.given.Load() - p.issued.Load()
	for _, s := range p.ledger.all(isOpen) {
		n += s.len()
	}
	return n
}

// A holes is a run of numbers without a reason.
type hole struct{ first, last int64 }

// A verdict is what came of a run.
type verdict struct {
	issued, holes int64
	unexplained   []hole // in no range that a process had at its end
	err           error  // what is wrong
}

// judge judges a run all of whose processes have ended, by the row's Next.
func (m *numbers) judge(next int64) verdict {
	v := verdict{issued: m.issued()}
	var wrong []error
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	left := m.left()
	for first, last := range m.Holes(1, next) {
		v.holes += last - first + 1
		if n := last - first + 1 - covered(first, last, left); n > 0 {
			v.unexplained = append(v.unexplained, hole{first, last})
			if len(v.unexplained) <= 10 {
				fail("numbers %d to %d were never issued, and no process had %d of them when it ended", first, last, n)
			}
		}
	}
	if inHand := m.sum((*progress).inHand); v.holes > inHand {
		fail("%d numbers were never issued, but processes had only %d when they ended", v.holes, inHand)
	}
	for i, d := range m.Violations() {
		if i < 5 {
			fail("%v: again was drawn %d by process %d", d.Kind(), d.Number(), int(d.Drawn().Process())-1)
		}
	}
	for i := range m.all() {
		if err := m.processes[i].judge(next); err != nil {
			fail("process %d %w", i, err)
		}
	}
	v.err = errors.Join(wrong...)
	return v
}

// judge judges a process by itself.
func (p *progress) judge(next int64) error {
	switch n := p.highest.Load(); {
	case n >= next:
		return fmt.Errorf("drew %d, but the store's next number is %d", n, next)
	case p.failed.Load() > 0:
		return fmt.Errorf("had %d calls that failed", p.failed.Load())
	case p.lost.Load() > 0:
		return errors.New("found that the store had lost numbers")
	}
	if p.stats.closed.Load() == 0 {
		return nil
	}
	had := p.stats.taken.Load() - p.stats.given.Load() - p.issued.Load()
	if says := p.stats.buffered.Load() + p.stats.dropped.Load(); had != says {
		return fmt.Errorf("closed with %d numbers that it had not issued, and says that it had %d", had, says)
	}
	return nil
}

// left returns all ranges of which a process may have had numbers when it ended, sorted.
func (m *numbers) left() (ranges []segmentstore.Range) {
	for i := range m.all() {
		for _, state := range []int64{isOpen, isTaken, isBack} {
			for _, s := range m.processes[i].ledger.all(state) {
				ranges = append(ranges, segmentstore.Range{First: s.first.Load(), Last: s.last.Load()})
			}
		}
	}
	slices.SortFunc(ranges, func(a, b segmentstore.Range) int { return cmp.Compare(a.First, b.First) })
	return ranges
}

// covered returns how many of the numbers from first to last lie in one of the ranges, which are sorted.
func covered(first, last int64, ranges []segmentstore.Range) (n int64) {
	at := first
	for _, r := range ranges {
		from, to := max(at, r.First), min(last, r.Last)
		if from <= to {
			n += to - from + 1
			at = to + 1
		}
	}
	return n
}
