package ringbuffer

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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

// funnel is the counter of Aggregating Funnels (Roh, Wei, Ruppert, Fatourou, Jayanti and Shun,
// PPoPP 2025): goroutines add to one of several aggregators, and the first of each batch adds the
// batch to the main counter. It keeps what was published of all batches, up to 2,097,152, since
// somebody who was asleep may need it yet. A generator would have to find out who does.
type funnel struct {
	_           cpu.CacheLinePad
	main        atomic.Uint64
	_           cpu.CacheLinePad
	aggregators []aggregator
}

const funnelBatches = 2 << 20

type aggregator struct {
	_ cpu.CacheLinePad
	// added is how many calls came here.
	added atomic.Uint64
	_     cpu.CacheLinePad
	// done is how many of them belong to a batch that was published, and batches how many
	// batches were.
	done, batches atomic.Uint64
	published     []batch
}

// A batch begins with the aggregator's call from, which gets base of the main counter.
type batch struct{ from, base atomic.Uint64 }

func newFunnel(aggregators int) *funnel {
	f := &funnel{aggregators: make([]aggregator, aggregators)}
	for i := range f.aggregators {
		f.aggregators[i].published = make([]batch, funnelBatches)
	}
	return f
}

func (f *funnel) reset() {
	f.main.Store(0)
	for i := range f.aggregators {
		a := &f.aggregators[i]
		a.added.Store(0)
		a.done.Store(0)
		a.batches.Store(0)
	}
}

// take adds one by way of the aggregator i, and makes a UID of what the main counter was then.
//
//go:noinline
func (f *funnel) take(i int) (uint64, bool) {
	a := &f.aggregators[i]
	mine := a.added.Add(1) - 1
	for pause := 1; a.done.Load() < mine; pause++ { // an earlier batch, or mine, is on its way
		if pause%64 == 0 {
			runtime.Gosched()
		}
	}
	var pos uint64
	if a.done.Load() == mine { // nobody counted me: I am the first of the next batch
		end := a.added.Load()
		pos = f.main.Add(end-mine) - (end - mine)
		n := a.batches.Load()
		b := &a.published[n]
		b.from.Store(mine)
		b.base.Store(pos)
		a.batches.Store(n + 1)
		a.done.Store(end)
	} else {
		n := a.batches.Load() - 1
		for a.published[n].from.Load() > mine {
			n--
		}
		b := &a.published[n]
		pos = b.base.Load() + mine - b.from.Load()
	}
	return pos>>altSeqBits<<altValBits | altWorker | pos%altRun, true
}

// built is the ring of this package, refilled by the taker that enters a run.
func built() func(int) (uint64, bool) {
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
	return func(int) (uint64, bool) {
		v, pos, ok := r.Take()
		for !ok {
			var state State
			if v, state = r.Resolve(pos); state == Taken {
				if r.Enters(pos) {
					fill()
				}
				break
			} else if state == Ahead {
				fill()
			} else {
				pos = r.Claim(1)
			}
		}
		return v, true
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
	one, two := newFunnel(1), newFunnel(2)

	designs := []struct {
		name  string
		reset func()
		take  func(goroutine int) (uint64, bool)
	}{
		{"as-built", func() {}, ring},
		{"flag-behind-add", func() { a = newAlternative() }, func(int) (uint64, bool) { return a.flagBehind() }},
		{"no-slots", func() { a = newAlternative() }, func(int) (uint64, bool) { return a.noSlots() }},
		{"compare-and-swap", func() { a = newAlternative() }, func(int) (uint64, bool) { return a.compareAndSwap(false) }},
		{"compare-and-swap-back-off", func() { a = newAlternative() }, func(int) (uint64, bool) { return a.compareAndSwap(true) }},
		{"one-slot-per-UID", func() {}, func(int) (uint64, bool) { return classic.take() }},
		{"funnel-of-1", one.reset, func(int) (uint64, bool) { return one.take(0) }},
		{"funnel-of-2", two.reset, func(goroutine int) (uint64, bool) { return two.take(goroutine % 2) }},
	}
	const rounds, n = 11, 2 << 20
	for _, goroutines := range []int{1, 2, 8} {
		for _, d := range designs {
			b.Run(fmt.Sprintf("%s/goroutines=%d", d.name, goroutines), func(b *testing.B) {
				var ratios []float64
				var fails uint64
				for range rounds {
					d.reset()
					base := inParallel(goroutines, n, func(int) (uint64, bool) { return add.n.Add(1), true })
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

// inParallel calls f so many times in all, and adds up what it returns, lest it is computed for
// nothing. The call through a function value is the same for everything that is compared.
func inParallel(goroutines, n int, f func(goroutine int) (uint64, bool)) time.Duration {
	began := time.Now()
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			var sum uint64
			for range n / goroutines {
				v, _ := f(i)
				sum += v
			}
			drawn.Add(sum)
		})
	}
	wg.Wait()
	return time.Since(began)
}

var drawn atomic.Uint64

// TestFunnel: the prototype that is measured hands out each number once, and to each goroutine in
// order.
func TestFunnel(t *testing.T) {
	const goroutines, each = 4, 20_000
	f := newFunnel(2)
	got := make([][]uint64, goroutines)
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for range each {
				v, _ := f.take(i % 2)
				got[i] = append(got[i], v)
			}
		})
	}
	wg.Wait()
	for _, of := range got {
		require.True(t, slices.IsSorted(of))
	}
	all := slices.Concat(got...)
	slices.Sort(all)
	for i, v := range all {
		i := uint64(i)
		require.EqualValues(t, i>>altSeqBits<<altValBits|altWorker|i%altRun, v)
	}
}
