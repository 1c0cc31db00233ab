package ringbuffer

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"github.com/uidgen/uid/internal/fake"
)

// withProcs sets GOMAXPROCS for the length of a test.
func withProcs(t testing.TB, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// A ledger marks every UID that was issued.
type ledger struct {
	size  uint64
	words []atomic.Uint64
}

func newLedger(size uint64) *ledger {
	return &ledger{size: size, words: make([]atomic.Uint64, (size+4095)/4096*64)}
}

// mark marks a UID and reports whether it was not yet. Neighbours are kept on
// different cache lines, so that takers meet in the ring and not here.
func (l *ledger) mark(i uint64) bool {
	bit := uint64(1) << (i >> 6 & 63)
	return l.words[i>>12<<6|i&7<<3|i>>3&7].Or(bit)&bit == 0
}

func (l *ledger) count() (n uint64) {
	for i := range l.words {
		n += uint64(bits.OnesCount64(l.words[i].Load()))
	}
	return n
}

// A fault is the first one found by any of many takers.
type fault struct {
	_   cpu.CacheLinePad
	err atomic.Pointer[error]
	_   cpu.CacheLinePad
}

func (f *fault) report(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	f.err.CompareAndSwap(nil, &err)
}

func (f *fault) found() error {
	if p := f.err.Load(); p != nil {
		return *p
	}
	return nil
}

// stress lets takers empty a generator at the same time, and returns how many UIDs they
// got and the first fault:
//   - a UID that was issued before, or that is none of the generator's;
//   - one that is not larger than all that the taker itself, or its neighbour, had
//     when the call began;
//   - UIDs that are missing without an explanation.
func stress(g *generator, takers int) (issued uint64, err error) {
	type progress struct {
		_    cpu.CacheLinePad
		next atomic.Uint64 // index behind the largest one this taker has got
		_    cpu.CacheLinePad
	}
	var (
		found   fault
		all     = newLedger(g.size())
		reached = make([]progress, takers)
		total   atomic.Uint64
		ready   atomic.Int64
		done    sync.WaitGroup
	)
	for i := range takers {
		done.Go(func() {
			draw := g.taker(i)
			own, neighbour := &reached[i].next, &reached[(i+1)%takers].next
			buf := make([]uint64, maxDraw)
			got := uint64(0)
			defer func() { total.Add(got) }()
			for ready.Add(1); ready.Load() < int64(takers); {
				runtime.Gosched()
			}
			for after := 0; after < 3; {
				if found.err.Load() != nil {
					return
				}
				least, mine := neighbour.Load(), own.Load()
				n, more := draw(buf)
				next := mine
				for _, v := range buf[:n] {
					at := g.index(v)
					switch {
					case at >= all.size:
						found.report("%#x is no UID of this generator", v)
						return
					case !all.mark(at):
						found.report("%#x, number %d, was issued twice", v, at)
						return
					case at < mine || at < least:
						found.report("%#x, number %d, came after number %d", v, at, max(mine, least)-1)
						return
					}
					next = max(next, at+1)
				}
				own.Store(next)
				got += uint64(n)
				if !more {
					after++ // what is over stays over
				}
			}
		})
	}
	done.Wait()
	err = found.found()
	if stopErr := g.stop(total.Load(), err == nil); err == nil {
		err = stopErr
	}
	if marked := all.count(); err == nil && marked != total.Load() {
		err = fmt.Errorf("%d UIDs issued, %d marked", total.Load(), marked)
	}
	return total.Load(), err
}

// starts are where a generator's ticks can begin so that something comes to its end:
// nothing, 32-bit positions, 32-bit ticks, and the layout.
var starts = []func(p plan) uint64{
	func(plan) uint64 { return 0 },
	func(p plan) uint64 { return 1<<(32-p.sequenceBits) - 2 },
	func(p plan) uint64 { return min(1<<32-2, endOf(p)-p.ticks) },
	func(p plan) uint64 { return endOf(p) - p.ticks },
}

// endOf returns how many ticks a plan's layout has.
func endOf(p plan) uint64 { return 1 << (63 - p.sequenceBits - p.workerBits) }

// plans are all kinds of tiny rings that are always about to be empty.
func plans() (all []plan) {
	for _, starved := range []bool{false, true} {
		for _, slots := range []int{1, 2, 4} {
			for _, sequenceBits := range []int{0, 1, 4} {
				all = append(all, plan{slots: slots, sequenceBits: sequenceBits, starved: starved})
			}
		}
	}
	return all
}

// variant makes a different one of each plan for each of 16 consecutive numbers.
func (p plan) variant(k int) plan {
	p.workerBits = []int{0, 22}[k&1]
	p.restless = k&2 != 0
	p.first = starts[k/4%len(starts)](p)
	return p
}

// weight is the share of UIDs that a plan is to be tried with: the fewer its takers
// get between two switches of goroutines, the longer each UID takes.
func (p plan) weight() uint64 {
	if !p.starved {
		return 4
	}
	return min(4, max(1, uint64(p.slots)<<p.sequenceBits/2))
}

// TestStress draws UIDs, 5 million or as many as the environment says in
// UID_STRESS_TAKES, from tiny rings, and looks at each.
func TestStress(t *testing.T) {
	goal := uint64(fake.Amount("UID_STRESS_TAKES", defaultTakes))
	const takers = 9
	var issued, missed, weights uint64
	procs := []int{1, 2, 4, 16}
	for _, p := range plans() {
		weights += p.weight() * uint64(len(procs))
	}
	round := 0
	for _, procs := range procs {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			withProcs(t, procs)
			for _, p := range plans() {
				quota := (goal - min(goal, issued)) * p.weight() / weights
				weights -= p.weight()
				begin, got := time.Now(), uint64(0)
				for got < quota {
					p.ticks = max(min(quota-got, 1<<20)>>p.sequenceBits, 64)
					p = p.variant(round)
					round++
					g := newGenerator(p)
					n, err := stress(g, takers)
					require.NoError(t, err, "%+v", p)
					got += n
					missed += g.missed.Load()
				}
				issued += got
				t.Logf("%d slots of %d, starved: %t: %d UIDs at %v each", p.slots, 1<<p.sequenceBits, p.starved, got,
					time.Since(begin)/time.Duration(max(got, 1)))
			}
		})
	}
	t.Logf("%d UIDs, %d claims overtaken or passed over", issued, missed)
	require.GreaterOrEqual(t, issued, goal)
	require.Positive(t, missed, "nobody was ever overtaken")
}

// A claim that nobody can overtake is never missed: a run is seen before the tail that
// says so, and as a whole. The taker resolves the first position of each run before
// anybody claims the second, so that the run cannot lose its slot.
func TestPublished(t *testing.T) {
	withProcs(t, 2)
	runs := uint64(fake.Amount("UID_STRESS_TAKES", defaultTakes)) / 50
	for _, slots := range []int{1, 2, 4} {
		r := newRing(t, slots, 1, 22)
		startAt(t, r, 0, 0)
		var done sync.WaitGroup
		var failed atomic.Bool
		done.Go(func() {
			for r.Tail() < runs && !failed.Load() {
				if put(r, r.Tail()) != nil {
					runtime.Gosched()
				}
			}
		})
		for pos := uint64(0); pos < 2*runs && !failed.Load(); pos++ {
			r.Claim(1)
			v, s := r.Resolve(pos)
			for spins := 0; s == Ahead; spins++ {
				if spins > 100 {
					runtime.Gosched()
				}
				v, s = r.Resolve(pos)
			}
			if pos&1 == 0 && s == Missed || s == Taken && v != uidAt(r, pos) || s == NotOpen {
				assert.Fail(t, "wrong take", "%#x at %#x is %d", v, pos, s)
				failed.Store(true)
			}
		}
		done.Wait()
	}
}
