package measure

import (
	"runtime"
	"slices"
	"time"
)

// A Profile says how much to measure.
type Profile struct {
	Rounds int

	Cell       time.Duration // how long a rate is measured
	Goroutines []int         // for GOMAXPROCS as it is
	Procs      []int         // for which both so many goroutines and the most are measured

	Latency        time.Duration // how long calls are timed at least,
	LatencySamples int           // until there are so many,
	LatencyMost    time.Duration // but no longer

	Idle    time.Duration // how long idle generators are watched
	Windows int           // and how often

	LeadFor   time.Duration // how long UIDs are drawn at each
	LeadRates []float64     // of the rates; 0 is as fast as it goes

	PacedFor time.Duration // how long numbers are drawn from servers in a round
	Paces    []float64     // at each of the paces; 0 is as fast as it goes

	FairFor time.Duration // how long calls compete at the ceiling in a round

	UniqueRounds int
	UniqueIDs    int // at most, of each subject

	Rows int // in each table, an equal part of which is inserted in each round
}

// Full is the profile of the published results.
func Full() Profile {
	return Profile{
		Rounds: 10,
		Cell:   80 * time.Millisecond, Goroutines: powers(64), Procs: powers(runtime.GOMAXPROCS(0)),
		Latency: 60 * time.Millisecond, LatencySamples: 20000, LatencyMost: 500 * time.Millisecond,
		Idle: time.Second, Windows: 10,
		LeadFor: 400 * time.Millisecond, LeadRates: []float64{1e3, 1e5, 1e6, 1e7, 1e8, 0},
		PacedFor: time.Second, Paces: []float64{1e4, 1e6, 0},
		FairFor:      time.Second,
		UniqueRounds: 3, UniqueIDs: 48e6,
		Rows: 1e6,
	}
}

// Quick takes less than three minutes.
func Quick() Profile {
	p := Full()
	p.Cell, p.Goroutines, p.Procs = 30*time.Millisecond, []int{1, 8, 64}, nil
	p.Latency, p.LatencySamples, p.LatencyMost = 20*time.Millisecond, 10000, 50*time.Millisecond
	p.Idle, p.Windows = 200*time.Millisecond, 5
	p.LeadFor, p.LeadRates = 100*time.Millisecond, []float64{1e5, 1e7, 0}
	p.PacedFor = 120 * time.Millisecond // more than a thousand calls at the slowest pace
	p.FairFor = 300 * time.Millisecond
	p.UniqueRounds, p.UniqueIDs = 1, 32e6
	p.Rows = 1e5
	return p
}

// Smoke runs everything once, to see that it works; its numbers mean nothing.
func Smoke() Profile {
	p := Full()
	p.Rounds = 2
	p.Cell, p.Goroutines, p.Procs = 2*time.Millisecond, []int{1, 2}, []int{1}
	p.Latency, p.LatencySamples, p.LatencyMost = 2*time.Millisecond, 100, 20*time.Millisecond
	p.Idle, p.Windows = 20*time.Millisecond, 1
	p.LeadFor, p.LeadRates = 10*time.Millisecond, []float64{1e6, 0}
	p.PacedFor = 20 * time.Millisecond
	p.FairFor = 60 * time.Millisecond
	p.UniqueRounds, p.UniqueIDs = 1, 1e5
	p.Rows = 2000
	return p
}

// powers returns 1, 2, 4 … up to most, and most.
func powers(most int) []int {
	var out []int
	for n := 1; n < most; n *= 2 {
		out = append(out, n)
	}
	return append(out, most)
}

// A load is a number of goroutines on a number of processors.
type load struct{ procs, goroutines int }

// loads returns the loads for rates, without repetitions.
func (p Profile) loads() []load {
	all := runtime.GOMAXPROCS(0)
	var out []load
	add := func(l load) {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	for _, n := range p.Procs {
		add(load{n, n})
		add(load{n, slices.Max(p.Goroutines)})
	}
	for _, n := range p.Goroutines {
		add(load{all, n})
	}
	return out
}
