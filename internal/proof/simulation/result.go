package simulation

import (
	"slices"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// A Result is what became of a region.
type Result struct {
	Name  string
	Range lease.Range
	Days  []daily

	Starts, Rollings, AtOnces, Crashes, Pauses, Steps int
	Outages, Blackouts, Failovers                     int
	Lost                                              int // calls whose reply or write was lost, or came late
	Refused                                           int // calls while the database was down
	NoneFree, WrongClock                              int // attempts of starts that failed for that
	TakenOver, LostLeases                             int

	Rows       int   // worker IDs used at most
	Ticks      int64 // that were drawn
	Duplicates int64 // of these, drawn before

	// How long starts waited for their first ticks: all those that no outage, failover or wrong
	// clock had to do with, and the others.
	Calm, Troubled []time.Duration

	second int64 // of the last call
	counts [2]int
}

// A daily is what a day was like.
type daily struct {
	Takes, Changes         int // calls of the database
	MostTakes, MostChanges int // in a second
	Held                   int // IDs leased or in quarantine, at most
	// Wait is the longest of a start that has got its first ticks, unless its clock was wrong.
	Wait time.Duration
}

func (d *daily) take(inSecond int)   { d.Takes++; d.MostTakes = max(d.MostTakes, inSecond) }
func (d *daily) change(inSecond int) { d.Changes++; d.MostChanges = max(d.MostChanges, inSecond) }

func (r *region) today() *daily { return &r.Days[r.now/int64(day)] }

// takes and changes count calls.
func (r *region) takes()   { r.today().take(r.inSecond(0)) }
func (r *region) changes() { r.today().change(r.inSecond(1)) }

// inSecond returns how many calls of a kind there were in this second.
func (r *region) inSecond(kind int) int {
	if s := r.now / int64(time.Second); s != r.second {
		r.second, r.counts = s, [2]int{}
	}
	r.counts[kind]++
	return r.counts[kind]
}

// most returns the largest of the days.
func most[T int | time.Duration](days []daily, of func(daily) T) (m T) {
	for _, d := range days {
		m = max(m, of(d))
	}
	return m
}

// sum adds up the days.
func sum(days []daily, of func(daily) int) (n int) {
	for _, d := range days {
		n += of(d)
	}
	return n
}

// percentile returns that of some waits, which it sorts; 0 for none.
func percentile(waits []time.Duration, p float64) time.Duration {
	if len(waits) == 0 {
		return 0
	}
	slices.Sort(waits)
	return waits[min(int(float64(len(waits))*p/100), len(waits)-1)]
}
