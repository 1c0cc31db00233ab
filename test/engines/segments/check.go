package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/uidgen/uid/segment"
)

// A verdict is what came of a run.
type verdict struct {
	issued, takes, kept, lost, given int64
	doubles                          uint64
	next                             int64 // of the row
	holes                            int64 // numbers below next that nobody got
	inHand                           int64 // numbers that processes had at their end, at most
	unexplained                      int64 // holes in no range that a process had at its end
	err                              error // what is wrong
}

// mostTold is how many runs of numbers without a reason are told of one by one.
const mostTold = 10

// judge judges a run all of whose processes have ended, by the row's Next.
func (m *memory) judge(next int64) verdict {
	v := verdict{
		issued: m.issued(), takes: m.takes(), doubles: m.Doubles(), next: next,
		kept:   m.sum(func(p *progress) int64 { return p.keptReplies.Load() }),
		lost:   m.sum(func(p *progress) int64 { return p.lostReplies.Load() }),
		given:  m.sum(func(p *progress) int64 { return p.given.Load() }),
		inHand: m.sum((*progress).inHand),
	}
	var wrong []error
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	left, told := m.left(), 0
	for first, last := range m.Holes(1, next) {
		n := last - first + 1 - covered(first, last, left)
		if n > 0 && told < mostTold {
			fail("numbers from %d to %d were never issued, and no process had %d of them when it ended:%s", first, last, n, m.tell(first, last))
			told++
		}
		v.holes += last - first + 1
		v.unexplained += n
	}
	if v.holes > v.inHand {
		fail("%d numbers were never issued, but processes had only %d when they ended", v.holes, v.inHand)
	}
	if v.doubles > 0 {
		var which []string
		for _, d := range m.Found()[:min(5, len(m.Found()))] {
			which = append(which, fmt.Sprintf("%d by process %d", d.Number(), d.By().Process()-1))
		}
		fail("%d numbers came twice: again were drawn %v", v.doubles, which)
	}
	if n := m.Outside(); n > 0 {
		fail("%d numbers have no bit", n)
	}
	for i := range m.all() {
		if err := m.Processes[i].judge(next); err != nil {
			fail("process %d %w", i, err)
		}
	}
	v.err = errors.Join(wrong...)
	return v
}

// judge judges a process by itself.
func (p *progress) judge(next int64) error {
	switch n := p.newest.Load(); {
	case n >= next:
		return fmt.Errorf("drew %d, but the store's next number is %d", n, next)
	case p.failed.Load() > 0:
		return fmt.Errorf("had %d calls that failed", p.failed.Load())
	case p.lost.Load() > 0:
		return errors.New("found that the store had lost numbers")
	case p.overflow.Load() > 0:
		return errors.New("had more ranges than there is room for")
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
func (m *memory) left() (ranges []segment.Range) {
	for i := range m.all() {
		for _, state := range []int64{isOpen, isTaken, isBack} {
			for _, s := range m.Processes[i].all(state) {
				ranges = append(ranges, segment.Range{First: s.first.Load(), Last: s.last.Load()})
			}
		}
	}
	slices.SortFunc(ranges, func(a, b segment.Range) int { return cmp.Compare(a.First, b.First) })
	return ranges
}

// covered returns how many of the numbers from first to last lie in one of the ranges, which are sorted.
func covered(first, last int64, ranges []segment.Range) (n int64) {
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
