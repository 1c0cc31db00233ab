package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/uidgen/uid/internal/storage"
)

// drawers are the ledgers of all processes that a round has had.
func (m *memory) drawers() (all []*ledger) {
	for i := range m.ledgers {
		if l := &m.ledgers[i]; l.noted.Load() > 0 || l.ended.Load() > 0 {
			all = append(all, l)
		}
	}
	return all
}

// skipped judges a round of numbers all of whose processes have ended, by the row's Next: a hole, which nobody got, has
// to be in a range that a process took. It returns how many numbers are in holes, how many of these without a reason,
// and what is wrong.
func (m *memory) skipped(next int64) (holes, unexplained int64, wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	taken := m.taken()
	for first, last := range m.Holes(1, next) {
		holes += last - first + 1
		if n := last - first + 1 - covered(first, last, taken); n > 0 {
			if unexplained += n; len(wrong) < 10 {
				fail("numbers %d to %d were never issued, and no process took %d of them", first, last, n)
			}
		}
	}
	inHand := int64(0)
	for _, l := range m.drawers() {
		inHand += l.inHand()
		if err := l.judge(next); err != nil {
			fail("a process %v", err)
		}
	}
	if holes > inHand {
		unexplained = max(unexplained, holes-inHand)
		fail("%d numbers were never issued, but processes had only %d when they ended", holes, inHand)
	}
	return holes, unexplained, wrong
}

// judge judges a process by itself.
func (l *ledger) judge(next int64) error {
	switch n := l.highest.Load(); {
	case n >= next:
		return fmt.Errorf("drew %d, but the store's next number is %d", n, next)
	case l.lost.Load() > 0:
		return errors.New("found that the store had lost numbers")
	}
	had := l.taken.Load() - l.given.Load() - l.issued.Load()
	if says := l.had.Load(); l.ended.Load() > 0 && had != says {
		return fmt.Errorf("closed with %d numbers that it had not issued, and says that it had %d", had, says)
	}
	return nil
}

// taken returns all ranges that a process may have taken, and not given back, sorted.
func (m *memory) taken() (ranges []storage.Numbers) {
	for _, l := range m.drawers() {
		for _, state := range []int64{isOpen, isTaken, isBack} {
			for _, s := range l.all(state) {
				ranges = append(ranges, storage.Numbers{First: s.first.Load(), Last: s.last.Load()})
			}
		}
	}
	slices.SortFunc(ranges, func(a, b storage.Numbers) int { return cmp.Compare(a.First, b.First) })
	return ranges
}

// covered returns how many of the numbers from first to last lie in one of the ranges, which are sorted.
func covered(first, last int64, ranges []storage.Numbers) (n int64) {
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
