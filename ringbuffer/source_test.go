package ringbuffer

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// A source is where the takers of a stress test or a history get their UIDs from: the
// ring, or something that is to be found out.
type source interface {
	// Lock stops the source's own goroutine for a while, until Unlock. No taker may be
	// under way.
	sync.Locker
	// taker returns the i-th taker, for one goroutine. A call of it takes UIDs into buf
	// and returns how many it took, which may be none, and whether there may be more.
	taker(i int) func(buf []uint64) (n int, more bool)
	// index numbers the UIDs that the source may give out, in their order, from 0 to
	// size; it returns size or more for any other value.
	index(v uint64) uint64
	size() uint64
	// stop ends what the source runs and accounts for every UID that it did not give
	// out, once all of its takers have ended or, if some fault cut them short, without.
	stop(issued uint64, complete bool) error
}

// A taking is the part of a Ring that takers use, so that faulty ones can be put in its
// place.
type taking interface {
	Take() (v, pos uint64, ok bool)
	Resolve(pos uint64) (v uint64, s State)
}

// A plan says what a generator's ring is like and how it is looked after.
type plan struct {
	slots, sequenceBits, workerBits int

	first uint64 // tick at which the generator starts
	ticks uint64 // how many it issues, passed over ones included

	starved  bool // one goroutine refills, and not the takers
	restless bool // now and then the ring is shut, opened, and moved on
	// mutant puts a faulty part in the place of the ring's.
	mutant func(g *generator) taking
}

// maxDraw is the most UIDs that one call of a taker takes: those of all slots of the
// rings in these tests, and a few more.
const maxDraw = 5 * 16

// A generator looks after a ring as simply as can be: a lock for the producer's side,
// and takers that refill the ring when it has nothing for them.
type generator struct {
	ring   *Ring
	plan   plan
	mutant taking

	missed  atomic.Uint64 // claims that turned out void after they were made
	beyond  atomic.Uint64 // claims behind the end
	over    atomic.Bool   // every tick has been published
	stopped chan struct{} // tells refill to end
	ended   sync.WaitGroup

	sync.Mutex // serialises the producer

	rand   *rand.Rand
	passed uint64 // positions passed over
	// moved, if not nil, lets a mutant spoil a move from a position.
	moved func(from uint64)
}

func newGenerator(p plan) *generator {
	r, err := New(Config{Slots: p.slots, SequenceBits: p.sequenceBits, WorkerBits: p.workerBits})
	if err != nil {
		panic(err)
	}
	g := &generator{ring: r, plan: p, rand: rand.New(rand.NewPCG(p.first, p.ticks)), stopped: make(chan struct{})}
	if p.mutant != nil {
		g.mutant = p.mutant(g)
	}
	g.expect(restart(r, p.first, 0))
	r.Open()
	g.over.Store(p.ticks == 1)
	if p.starved {
		g.ended.Go(g.starve)
	}
	return g
}

// expect panics when a sound ring returns an error that it must not.
func (g *generator) expect(err error) {
	if err != nil && g.mutant == nil {
		panic(err)
	}
}

// end returns the first tick that is not to be published.
func (g *generator) end() uint64 { return g.plan.first + g.plan.ticks }

func (g *generator) size() uint64 { return g.plan.ticks << g.ring.seqBits }

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
		if err := r.Put(r.Tail(), workerOf(r)); errors.Is(err, ErrFull) {
			break
		} else if g.expect(err); err != nil {
			break
		}
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
			g.expect(r.Skip(tick, g.rand.Uint64N(r.seqMask+1)))
		}
	case 1:
		if tick := tail + g.rand.Uint64N(2*uint64(r.Runs())); tick < g.end() {
			g.expect(restart(r, tick, g.rand.Uint64N(r.seqMask+1)))
		}
	}
	g.passed += r.Position() - before
	if g.moved != nil {
		g.moved(before)
	}
	r.Open()
}

// taker returns one of five kinds of taker: those that take one by one, those that are
// allotted some of a shut ring now and then, those that claim several at once, those that
// fall asleep between claim and take, and those that do not wake before they have been
// lapped.
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
	v, pos, ok := g.take()
	if ok {
		return v, true
	}
	return g.settle(pos)
}

// take is Ring.Take, inlined as it is in real use, or the mutant's.
func (g *generator) take() (v, pos uint64, ok bool) {
	if g.mutant != nil {
		return g.mutant.Take()
	}
	return g.ring.Take()
}

func (g *generator) resolve(pos uint64) (v uint64, s State) {
	if g.mutant != nil {
		return g.mutant.Resolve(pos)
	}
	return g.ring.Resolve(pos)
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
	v, s := g.resolve(pos)
	if s == Taken {
		return v, true
	}
	if g.plan.starved {
		return g.await(pos)
	}
	g.Lock()
	defer g.Unlock()
	for void := 0; void < hopeless; {
		v, s := g.resolve(pos)
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
		v, s := g.resolve(pos)
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
