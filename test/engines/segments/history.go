package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/segment"
)

// A history is what a process has last decided, for people who have to find out where numbers went. It is
// written as the ledger is.
type history struct {
	made      atomic.Int64 // how many decisions, ever
	decisions [128]decision
}

// A decision is to take a range, or to give it back.
type decision struct {
	what, outcome, first, last atomic.Int64
	at                         atomic.Int64 // Unix time in milliseconds
}

// What was decided.
const (
	toTake = iota
	toGive
)

// Outcomes of a decision.
const (
	sent    = iota // the process has not heard of it
	stored         // it was acknowledged
	unknown        // the call failed
	raced          // it was refused, for another one was faster
)

// decided notes a decision.
func (h *history) decided(what, first, last int64) *decision {
	d := &h.decisions[h.made.Load()%int64(len(h.decisions))]
	d.what.Store(what)
	d.outcome.Store(sent)
	d.first.Store(first)
	d.last.Store(last)
	d.at.Store(time.Now().UnixMilli())
	h.made.Add(1)
	return d
}

// about returns the decisions about any of the numbers from first to last that are remembered.
func (h *history) about(first, last int64) (some []*decision) {
	for i := range min(h.made.Load(), int64(len(h.decisions))) {
		if d := &h.decisions[i]; d.first.Load() <= last && d.last.Load() >= first {
			some = append(some, d)
		}
	}
	return some
}

func (d *decision) String() string {
	what := [...]string{toTake: "took", toGive: "gave back"}[d.what.Load()]
	outcome := [...]string{sent: "no answer", stored: "stored", unknown: "failed", raced: "refused"}[d.outcome.Load()]
	return fmt.Sprintf("%s %d to %d at %s (%s)", what, d.first.Load(), d.last.Load(), time.UnixMilli(d.at.Load()).UTC().Format("15:04:05.000"), outcome)
}

// tell returns who has decided about the numbers from first to last, when, and what the ledgers
// of those processes say.
func (m *memory) tell(first, last int64) string {
	var b strings.Builder
	var deciders []int
	var all []*decision
	by := map[*decision]int{}
	for i := range m.all() {
		for n, d := range m.Processes[i].about(first, last) {
			all = append(all, d)
			by[d] = i
			if n == 0 {
				deciders = append(deciders, i)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *decision) int { return cmp.Compare(a.at.Load(), b.at.Load()) })
	for _, d := range all {
		fmt.Fprintf(&b, "\n  process %d %v", by[d], d)
	}
	for _, i := range deciders {
		fmt.Fprintf(&b, "\n  the ledger of process %d: %v", i, &m.Processes[i])
	}
	if len(all) == 0 {
		b.WriteString("\n  no process remembers that it has decided about them")
	}
	return b.String()
}

// String returns what the ledger says.
func (p *progress) String() string {
	ranges := func(state int64) (all []segment.Range) {
		for _, s := range p.all(state) {
			all = append(all, segment.Range{First: s.first.Load(), Last: s.last.Load()})
		}
		return all
	}
	var drawing []string
	for i := range p.drawing {
		if since := p.drawing[i].Load(); since != idle {
			drawing = append(drawing, fmt.Sprint("since take ", since))
		}
	}
	return fmt.Sprintf("%d takes of %d numbers, %d given back, %d issued; open %v, taken %v, back %v; drawing %v; %d replies lost, %d calls refused for want of room; closed: %v",
		p.takes.Load(), p.taken.Load(), p.given.Load(), p.issued.Load(), ranges(isOpen), ranges(isTaken), ranges(isBack), drawing,
		p.lostReplies.Load(), p.noRoom.Load(), p.stats.closed.Load() == 1)
}
