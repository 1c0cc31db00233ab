package ringbuffer

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"golang.org/x/sys/cpu"

	"github.com/uidgen/uid"
)

// A Ring is a ring of runs, as takers see it; its [Producer] fills it. Any number of goroutines may call its methods at
// once. A Ring must not be copied.
type Ring struct {
	_ cpu.CacheLinePad

	// While open: the last claimed position (initially one before the first). While
	// shut: at least shut. Takers add to it: the add is the claim, the only step by
	// which a position changes hands. The producer writes it with the ring shut (Open),
	// or to shut it (Shut).
	cursor atomic.Uint64

	_ cpu.CacheLinePad

	// front is a guess at the run that takers are in now: a published run, or noRun.
	// A taker that finds it outdated writes it, and so does the producer before it opens
	// the ring elsewhere. An outdated guess costs the taker a look at the slot, never a
	// wrong UID, because it names its own tick. It shares its cache line with fields that
	// never change.
	front   atomic.Uint64
	slots   []slot // length a power of two; tick t lives in t modulo that
	seqMask uint64 // positions of a run, less one
	seqBits uint8  // a position is tick<<seqBits | sequence
	valBits uint8  // a run is tick<<valBits | worker ID<<seqBits

	_ cpu.CacheLinePad

	// tail is the first tick that is not yet published. The producer writes it after the
	// slot's flag: a reader that sees a tail beyond a tick finds that tick's flag in its
	// slot, or that of a later one.
	tail atomic.Uint64

	_ cpu.CacheLinePad
}

// A slot holds one run.
type slot struct {
	// flag is the run itself: its first UID, whose upper bits are the tick (the lap of
	// the classic ring's flag) and whose middle bits are the worker ID. The producer
	// writes the whole run with one store, and then raises the tail; takers use the run
	// once the tail is beyond its tick. A taker that claimed a position of tick t may use
	// the run only if the flag carries t. If it carries a later tick, the taker was
	// overtaken and drops its claim.
	flag atomic.Uint64
	_    cpu.CacheLinePad
}

// Positions and runs have 63 bits. With the upper one set they are neither, and match none:
//
//	0 ............... 2^63 ............... 2^63 + 2^62 ............... 2^64
//	positions, runs   noRun: a flag        shut: a cursor, and what is claimed from it
const (
	noRun = 1 << 63
	shut  = noRun | 1<<62
)

// Config describes a ring.
type Config struct {
	// Slots is how many runs the ring holds: a power of two from 1 to 65,536.
	Slots int
	// SequenceBits is the base-2 logarithm of a run's length, from 0 to 62.
	SequenceBits int
	// WorkerBits is the width of what stands between tick and sequence in a UID. It must leave the tick at least one of
	// 63 bits.
	WorkerBits int
}

// New returns a ring that is empty and shut, and its producer. It returns uid.ErrConfig when c is out of the ranges
// given there.
func New(c Config) (*Ring, *Producer, error) {
	r := new(Ring)
	p, err := r.Init(c)
	if err != nil {
		return nil, nil, err
	}
	return r, p, nil
}

// Init is New for a Ring that is part of a larger structure, which saves a load. Call it once, before any other method.
func (r *Ring) Init(c Config) (*Producer, error) {
	if c.Slots < 1 || c.Slots > 1<<16 || bits.OnesCount(uint(c.Slots)) != 1 {
		return nil, fmt.Errorf("ringbuffer: %w: %d slots: want a power of two from 1 to %d",
			uid.ErrConfig, c.Slots, 1<<16)
	}
	if c.SequenceBits < 0 || c.WorkerBits < 0 || c.SequenceBits > 62 || c.WorkerBits > 62-c.SequenceBits {
		return nil, fmt.Errorf("ringbuffer: %w: %d sequence bits and %d worker bits: "+
			"want 0 or more each, 62 at most together",
			uid.ErrConfig, c.SequenceBits, c.WorkerBits)
	}
	r.slots = make([]slot, c.Slots)
	r.seqMask = 1<<c.SequenceBits - 1
	r.seqBits = uint8(c.SequenceBits)
	r.valBits = uint8(c.SequenceBits + c.WorkerBits)
	for i := range r.slots {
		r.slots[i].flag.Store(noRun)
	}
	r.front.Store(noRun)
	r.cursor.Store(shut)
	return &Producer{ring: r, isShut: true}, nil
}

// Take claims the next position and returns its UID if that lies in the run in front. Otherwise ok is false, pos is the
// caller's claim, and Resolve says what it is worth.
func (r *Ring) Take() (v, pos uint64, ok bool) {
	// Small enough to be inlined. The guess is read before the claim, so that nothing but two register instructions
	// stands behind the add: an x86 core runs nothing past a locked instruction, and a load there would add its whole
	// latency to every call.
	run, mask := r.front.Load(), r.seqMask
	first := run >> (r.valBits & 63) << (r.seqBits & 63)
	pos = r.cursor.Add(1)
	d := pos ^ first
	return run | d, pos, d <= mask
}

// TakeN is Take for n positions, which follow pos without a gap: v is the UID of the first, and ok says that all lie in
// the run in front. n is as for Claim.
func (r *Ring) TakeN(n uint64) (v, pos uint64, ok bool) {
	run, mask := r.front.Load(), r.seqMask
	first := run >> (r.valBits & 63) << (r.seqBits & 63)
	pos = r.Claim(n)
	d := pos ^ first
	return run | d, pos, d <= mask && mask-d >= n-1
}

// Claim claims n positions at once and returns the first; the others follow without a gap. n must be at least 1, at
// most a run's length, and at most 65,536.
func (r *Ring) Claim(n uint64) (first uint64) {
	return r.cursor.Add(n) - n + 1
}

// A State is what a claimed position is worth.
type State uint8

const (
	// Taken: the position's UID is the caller's.
	Taken State = iota
	// Ahead: the position lies beyond the tail. It stays the caller's, and becomes Taken when its tick is
	// published, or Missed when that is passed over.
	Ahead
	// Missed: the position's tick was passed over, or the caller was overtaken by a whole lap of the ring. The claim is
	// void.
	Missed
	// NotOpen: the ring was shut when the position was claimed, or the position is beyond 63 bits. The claim is void.
	NotOpen
)

// Resolve says what a claimed position is worth, and returns its UID if it is Taken. The caller must have claimed pos,
// and must not use its UID twice.
func (r *Ring) Resolve(pos uint64) (v uint64, s State) {
	if pos>>63 != 0 {
		return 0, NotOpen
	}
	tick := pos >> (r.seqBits & 63)
	// Read the tail before the flag: if the tick was published by then and its flag is
	// gone, it does not come back. For a tick that is not published do not look at flags:
	// after the layout's last tick comes noRun's.
	tail := r.tail.Load()
	if tick >= tail {
		return 0, Ahead
	}
	run := r.slotOf(tick).flag.Load()
	if r.tickOf(run) != tick {
		return 0, Missed
	}
	if r.front.Load() != run {
		r.front.Store(run)
	}
	return run | pos&r.seqMask, Taken
}

// runOf returns the first UID of a tick under a worker ID.
func (r *Ring) runOf(tick, worker uint64) (uint64, error) {
	if tick>>((63-r.valBits)&63) != 0 {
		return 0, fmt.Errorf("ringbuffer: tick %d does not fit into %d bits", tick, 63-r.valBits)
	}
	if worker>>((r.valBits-r.seqBits)&63) != 0 {
		return 0, fmt.Errorf("ringbuffer: worker ID %d does not fit into %d bits", worker, r.valBits-r.seqBits)
	}
	return tick<<(r.valBits&63) | worker<<(r.seqBits&63), nil
}

// tickOf returns the tick of a run, or of a UID.
func (r *Ring) tickOf(run uint64) uint64 { return run >> (r.valBits & 63) }

// slotOf returns the slot in which a tick's run is, or is to be.
func (r *Ring) slotOf(tick uint64) *slot { return &r.slots[tick&uint64(len(r.slots)-1)] }

// Left returns how many positions, pos included, are left in pos's run.
func (r *Ring) Left(pos uint64) uint64 { return r.seqMask - pos&r.seqMask + 1 }

// Enters reports whether pos is the first position of a run. Its claimant alone checks whether to refill the ring.
func (r *Ring) Enters(pos uint64) bool { return pos&r.seqMask == 0 }

// Tail returns the first tick that is not published.
func (r *Ring) Tail() uint64 { return r.tail.Load() }

// Tick returns the tick of a position.
func (r *Ring) Tick(pos uint64) uint64 { return pos >> (r.seqBits & 63) }

// Runs returns how many runs the ring can hold.
func (r *Ring) Runs() int { return len(r.slots) }

// Ready is Buffered for takers: 0 while the ring is shut, and otherwise a guess, since others may claim meanwhile.
func (r *Ring) Ready() uint64 { return r.before(r.cursor.Load() + 1) }

func (r *Ring) before(pos uint64) uint64 {
	if end := r.tail.Load() << (r.seqBits & 63); pos < end {
		return end - pos
	}
	return 0
}
