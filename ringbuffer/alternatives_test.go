package ringbuffer

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/cpu"
)

// The designs that were measured against the ring's, reduced to their takes: none of
// them minds an empty ring. All hand out the same UIDs, of the default layout.

const (
	altSeqBits = 13
	altValBits = 35
	altRun     = 1 << altSeqBits
	altWorker  = 77 << altSeqBits
)

// alternative is what they have in common: a cursor and eight slots.
type alternative struct {
	_      cpu.CacheLinePad
	cursor atomic.Uint64
	_      cpu.CacheLinePad
	limit  atomic.Uint64
	slots  []slot
	_      cpu.CacheLinePad
	fails  atomic.Uint64 // compare-and-swaps that failed
	_      cpu.CacheLinePad
}

func newAlternative() *alternative {
	a := &alternative{slots: make([]slot, 8)}
	a.limit.Store(1 << 62)
	for t := range uint64(8) {
		a.slots[t].flag.Store(t<<altValBits | altWorker)
	}
	return a
}

// enter does what a refill would: it publishes the run that is four ticks on.
//
//go:noinline
func (a *alternative) enter(tick uint64) {
	a.slots[(tick+4)%8].flag.Store((tick+4)<<altValBits | altWorker)
}

// flagBehind is the shape to start from: an add, then the flag of the slot.
//
//go:noinline
func (a *alternative) flagBehind() (uint64, bool) {
	pos := a.cursor.Add(1)
	tick := pos >> altSeqBits
	if pos%altRun == 0 {
		a.enter(tick)
	}
	run := a.slots[tick%8].flag.Load()
	return run | pos%altRun, run>>altValBits == tick
}

// noSlots compares the cursor with a limit that the producer would publish.
//
//go:noinline
func (a *alternative) noSlots() (uint64, bool) {
	pos := a.cursor.Add(1)
	return pos>>altSeqBits<<altValBits | altWorker | pos%altRun, pos < a.limit.Load()
}

// compareAndSwap reads the flag first, and claims only what is there.
//
//go:noinline
func (a *alternative) compareAndSwap(backOff bool) (uint64, bool) {
	for pause := 1; ; {
		pos := a.cursor.Load() + 1
		tick := pos >> altSeqBits
		run := a.slots[tick%8].flag.Load()
		if run>>altValBits != tick {
			a.enter(tick - 4)
			continue
		}
		if a.cursor.CompareAndSwap(pos-1, pos) {
			if pos%altRun == 0 {
				a.enter(tick)
			}
			return run | pos%altRun, true
		}
		a.fails.Add(1)
		if backOff {
			for range pause {
				spin()
			}
			if pause < 256 {
				pause *= 2
			} else {
				runtime.Gosched()
			}
		}
	}
}

//go:noinline
func spin() {}

// onePerUID is the classic shape: a slot and a padded flag for each UID, claimed by
// compare-and-swap, refilled by the taker that finds the ring half empty.
type onePerUID struct {
	alternative
	uids  []atomic.Uint64
	flags []slot
}

func newOnePerUID() *onePerUID {
	o := &onePerUID{uids: make([]atomic.Uint64, 8*altRun), flags: make([]slot, 8*altRun)}
	for pos := range uint64(8 * altRun) {
		o.put(pos)
	}
	return o
}

func (o *onePerUID) put(pos uint64) {
	i := pos % uint64(len(o.uids))
	o.uids[i].Store(pos>>altSeqBits<<altValBits | altWorker | pos%altRun)
	o.flags[i].flag.Store(pos)
}

//go:noinline
func (o *onePerUID) take() (uint64, bool) {
	for {
		pos := o.cursor.Load() + 1
		if !o.cursor.CompareAndSwap(pos-1, pos) {
			continue
		}
		if pos%altRun == 0 {
			for next := range uint64(altRun) {
				o.put(pos + 4*altRun + next)
			}
		}
		i := pos % uint64(len(o.uids))
		return o.uids[i].Load(), o.flags[i].flag.Load() >= pos
	}
}

// built is the ring of this package, refilled by the taker that enters a run.
func built() func() {
	r, err := New(Config{Slots: 8, SequenceBits: altSeqBits, WorkerBits: altValBits - altSeqBits})
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	fill := func() {
		mu.Lock()
		for r.Put(r.Tail(), altWorker>>altSeqBits) == nil {
		}
		mu.Unlock()
	}
	fill()
	r.Open()
	return func() {
		_, pos, ok := r.Take()
		for !ok {
			var state State
			if _, state = r.Resolve(pos); state == Taken {
				if r.Enters(pos) {
					fill()
				}
				return
			} else if state == Ahead {
				fill()
			} else {
				pos = r.Claim(1)
			}
		}
	}
}

// BenchmarkClaim reports the designs' takes as multiples of a bare atomic add, the
// median of alternating rounds, and how many compare-and-swaps fail for each claim:
// every one is a trip of the cursor's cache line for nothing. Run it with -benchtime=1x.
func BenchmarkClaim(b *testing.B) {
	var add struct {
		_ cpu.CacheLinePad
		n atomic.Uint64
		_ cpu.CacheLinePad
	}
	a, classic, ring := newAlternative(), newOnePerUID(), built()

	designs := []struct {
		name  string
		reset func()
		take  func()
	}{
		{"as-built", func() {}, ring},
		{"flag-behind-add", func() { a = newAlternative() }, func() { a.flagBehind() }},
		{"no-slots", func() { a = newAlternative() }, func() { a.noSlots() }},
		{"compare-and-swap", func() { a = newAlternative() }, func() { a.compareAndSwap(false) }},
		{"compare-and-swap-back-off", func() { a = newAlternative() }, func() { a.compareAndSwap(true) }},
		{"one-slot-per-UID", func() {}, func() { classic.take() }},
	}
	const rounds, n = 11, 2 << 20
	for _, goroutines := range []int{1, 2, 8} {
		for _, d := range designs {
			b.Run(fmt.Sprintf("%s/goroutines=%d", d.name, goroutines), func(b *testing.B) {
				var ratios []float64
				var fails uint64
				for range rounds {
					d.reset()
					base := inParallel(goroutines, n, func() { add.n.Add(1) })
					ratios = append(ratios, float64(inParallel(goroutines, n, d.take))/float64(base))
					fails += a.fails.Swap(0)
				}
				if fails > 0 {
					b.ReportMetric(float64(fails)/rounds/n, "fails/claim")
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[rounds/2], "×add")
				b.ReportMetric(ratios[0], "×add-min")
				b.ReportMetric(ratios[rounds-1], "×add-max")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// inParallel calls f so many times in all. The call through a function value is the same
// for everything that is compared.
func inParallel(goroutines, n int, f func()) time.Duration {
	began := time.Now()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range n / goroutines {
				f()
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}
