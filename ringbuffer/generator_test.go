package ringbuffer

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// A plan says what a generator's ring is like and how it is looked after.
type plan struct {
	slots, sequenceBits, workerBits int

	first uint64 // tick at which the generator starts
	ticks uint64 // how many it issues, passed over ones included

	starved  bool // one goroutine refills, and not the takers
	restless bool // now and then the ring is shut, opened, and moved on
}

// maxDraw is the most UIDs that one call of a taker takes: those of all slots of the
// rings in these tests, and a few more.
const maxDraw = 5 * 16

// A generator looks after a ring as simply as can be: a lock for the producer's side,
// and takers that refill the ring when it has nothing for them.
type generator struct {
	ring whole
	plan plan

	missed  atomic.Uint64 // claims that turned out void after they were made
	beyond  atomic.Uint64 // claims behind the end
	over    atomic.Bool   // every tick has been published
	stopped chan struct{} // tells refill to end
	ended   sync.WaitGroup

	sync.Mutex // serialises the producer

	rand   *rand.Rand
	passed uint64 // positions passed over
}

func newGenerator(p plan) *generator {
	ring, producer, err := New(Config{Slots: p.slots, SequenceBits: p.sequenceBits, WorkerBits: p.workerBits})
	must(err)
	r := whole{ring, producer}
	g := &generator{ring: r, plan: p, rand: rand.New(rand.NewPCG(p.first, p.ticks)), stopped: make(chan struct{})}
	must(restart(r, p.first, 0))
	r.Open()
	g.over.Store(p.ticks == 1)
	if p.starved {
		g.ended.Go(g.starve)
	}
	return g
}

// must panics when the ring returns an error that it must not.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// end returns the first tick that is not to be published.
func (g *generator) end() uint64 { return g.plan.first + g.plan.ticks }

// size is how many UIDs the generator may give out, passed over ones included.
func (g *generator) size() uint64 { return g.plan.ticks << g.ring.seqBits }

// index numbers the UIDs that the generator may give out, in their order, from 0; it returns size for any other value.
func (g *generator) index(v uint64) uint64 {
	pos := v>>g.ring.valBits<<g.ring.seqBits | v&g.ring.seqMask
	if v>>63 != 0 || v != uidAt(g.ring, pos) || pos < g.plan.first<<g.ring.seqBits {
		return g.size()
	}
	return pos - g.plan.first<<g.ring.seqBits
}

// starve refills the ring, and is always late.
func (g *generator) starve() {
	for !g.over.Load() {
		select {
		case <-g.stopped:
			return
		default:
		}
		g.Lock()
		g.refill()
		g.Unlock()
		runtime.Gosched()
	}
}

// refill fills the ring, and reports whether it has put anything. Where takers wait
// for somebody else to refill, no more is put at a time than they can see before it is
// overwritten. g is locked.
func (g *generator) refill() bool {
	r, before := g.ring, g.ring.Tail()
	if g.plan.restless && g.rand.IntN(64) == 0 && before < g.end() {
		g.move()
	}
	most := g.end()
	if g.plan.starved {
		most = min(most, before+uint64(r.Runs()))
	}
	for r.Tail() < most {
		err := put(r, r.Tail())
		if errors.Is(err, ErrFull) {
			break
		}
		must(err)
	}
	if r.Tail() == g.end() {
		g.over.Store(true)
	}
	return r.Tail() > before
}

// move moves the ring on, or only shuts and opens it. g is locked.
func (g *generator) move() {
	r := g.ring
	r.Shut()
	before, tail := r.Position(), r.Tail()
	switch at := r.Tick(before); g.rand.IntN(3) {
	case 0:
		if tick := at + g.rand.Uint64N(uint64(r.Runs())); tick < tail {
			must(r.Skip(tick, g.rand.Uint64N(r.seqMask+1)))
		}
	case 1:
		if tick := tail + g.rand.Uint64N(2*uint64(r.Runs())); tick < g.end() {
			must(restart(r, tick, g.rand.Uint64N(r.seqMask+1)))
		}
	}
	g.passed += r.Position() - before
	r.Open()
}

// taker returns the i-th taker, for one goroutine. A call of it takes UIDs into buf and returns how many it took, which
// may be none, and whether there may be more. It is one of five kinds of taker: those that take one by one, those that
// are allotted some of a shut ring now and then, those that claim several at once, those that fall asleep between claim
// and take, and those that do not wake before they have been lapped.
func (g *generator) taker(i int) func(buf []uint64) (n int, more bool) {
	single := func(buf []uint64) (int, bool) {
		v, ok := g.one()
		if !ok {
			return 0, false
		}
		buf[0] = v
		return 1, true
	}
	switch i % 8 {
	case 1:
		calls := 0
		return func(buf []uint64) (n int, more bool) {
			if calls++; calls%16 == 0 {
				if n = g.allot(buf[:min(len(buf), 1+calls/16%3)]); n > 0 {
					return n, true
				}
			}
			return single(buf)
		}
	case 3:
		return func(buf []uint64) (n int, more bool) {
			want := min(uint64(len(buf)), g.ring.seqMask+1, 4)
			pos := g.ring.Claim(want)
			return g.settleAll(pos, want, buf)
		}
	case 5:
		return func(buf []uint64) (n int, more bool) {
			pos := g.ring.Claim(1)
			runtime.Gosched()
			return g.settleAll(pos, 1, buf)
		}
	case 7:
		calls := 0
		return func(buf []uint64) (n int, more bool) {
			if calls++; calls%64 != 0 {
				return single(buf)
			}
			pos, more := g.ring.Claim(1), true
			for lapped := g.ring.Tick(pos) + uint64(g.ring.Runs()); more && n < len(buf)-1 &&
				g.ring.Tail() <= lapped; n++ {
				var v uint64
				if v, more = g.one(); !more {
					break
				}
				buf[n] = v
			}
			got, ok := g.settleAll(pos, 1, buf[n:])
			return n + got, ok && more
		}
	}
	return single
}

// allot shuts the ring, takes what it allots, and opens it again.
func (g *generator) allot(buf []uint64) int {
	g.Lock()
	defer g.Unlock()
	g.ring.Shut()
	defer g.ring.Open()
	v, _, got := g.ring.Allot(uint64(len(buf)))
	for i := range got {
		buf[i] = v + i
	}
	return int(got)
}

// one takes a UID, and returns false when there are none left.
func (g *generator) one() (v uint64, ok bool) {
	v, pos, ok := g.ring.Take()
	if ok {
		return v, true
	}
	return g.settle(pos)
}

// settleAll settles n claimed positions.
func (g *generator) settleAll(pos, n uint64, buf []uint64) (got int, more bool) {
	more = true
	for i := range n {
		if v, ok := g.settle(pos + i); ok {
			buf[got] = v
			got++
		} else {
			more = false
		}
	}
	return got, more
}

// settle returns the UID of a claim that Take could not settle, or of one made in its
// place, and false when there are none left.
func (g *generator) settle(pos uint64) (v uint64, ok bool) {
	v, s := g.ring.Resolve(pos)
	if s == Taken {
		return v, true
	}
	if g.plan.starved {
		return g.await(pos)
	}
	g.Lock()
	defer g.Unlock()
	for void := 0; void < hopeless; {
		v, s := g.ring.Resolve(pos)
		switch {
		case s == Taken:
			return v, true
		case s == Missed:
			void++
			g.missed.Add(1)
			pos = g.ring.Claim(1)
		case s == NotOpen && pos >= shut:
			void++
			pos = g.ring.Claim(1)
		case !g.refill():
			g.beyond.Add(1)
			return 0, false
		}
	}
	return 0, false
}

// hopeless is how often in succession a claim of one call is void before it gives up,
// which only a faulty ring brings about.
const hopeless = 1 << 20

// await is settle where somebody else refills.
func (g *generator) await(pos uint64) (v uint64, ok bool) {
	for void := 0; void < hopeless; {
		over := g.over.Load() // before the claim is looked at
		v, s := g.ring.Resolve(pos)
		switch {
		case s == Taken:
			return v, true
		case s == Missed:
			void++
			g.missed.Add(1)
			pos = g.ring.Claim(1)
		case s == NotOpen && pos >= shut:
			if over {
				void++ // for the ring is open by then
			}
			runtime.Gosched()
			pos = g.ring.Claim(1)
		case over:
			g.beyond.Add(1)
			return 0, false
		default:
			runtime.Gosched()
		}
	}
	return 0, false
}

// stop ends what the generator runs and accounts for every UID that it did not give out, once all takers have ended or,
// if some fault cut them short, without.
func (g *generator) stop(issued uint64, complete bool) error {
	close(g.stopped)
	g.ended.Wait()
	if !complete {
		return nil
	}
	missed, beyond := g.missed.Load(), g.beyond.Load()
	if got := issued + missed + g.passed; got != g.size() {
		return fmt.Errorf("%d issued, %d missed and %d passed over are %d of %d UIDs",
			issued, missed, g.passed, got, g.size())
	}
	if got, want := issued+missed+beyond, g.ring.Claimed(); got != want {
		return fmt.Errorf("%d issued, %d missed and %d beyond the end are %d of %d claims",
			issued, missed, beyond, got, want)
	}
	return nil
}
