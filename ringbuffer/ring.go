package ringbuffer

import (
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"golang.org/x/sys/cpu"

	"github.com/uidgen/uid"
)

// A Ring is a ring of runs. Take, TakeN, Claim, Resolve, Ready and Tail may be called by any number of goroutines at
// once. The producer's methods must not be called by two goroutines at once. A Ring must not be copied.
type Ring struct {
	_ cpu.CacheLinePad

	// While open: the last claimed position (initially one before the first). While
	// shut: at least shut. Takers add to it: the add is the claim, the only step by
	// which a position changes hands. The producer writes it with the ring shut (Open),
	// or to shut it (Shut); it never moves an open cursor.
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

	// What follows belongs to the producer alone.

	isShut bool
	// resume is the next position to be claimed once a shut ring is opened. Every
	// position before it was claimed or skipped.
	resume uint64
	// opened is the position at which the ring was last opened, and claimed the
	// number of positions claimed in the times it was open before that.
	opened, claimed uint64
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

const (
	// shut is added to by the claims on a shut ring. It leaves room for 2^62 of them,
	// and differs from every position and from noRun's in a bit above any sequence.
	shut = 3 << 62
	// noRun is a flag that carries a tick beyond every layout's.
	noRun = 1 << 63
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

// New returns a ring that is empty and shut. It returns uid.ErrConfig when c is out of the ranges given there.
func New(c Config) (*Ring, error) {
	r := new(Ring)
	if err := r.Init(c); err != nil {
		return nil, err
	}
	return r, nil
}

// Init is New for a Ring that is part of a larger structure, which saves a load. Call it before any other method.
func (r *Ring) Init(c Config) error {
	if c.Slots < 1 || c.Slots > 1<<16 || bits.OnesCount(uint(c.Slots)) != 1 {
		return fmt.Errorf("ringbuffer: %w: %d slots: want a power of two from 1 to %d", uid.ErrConfig, c.Slots, 1<<16)
	}
	if c.SequenceBits < 0 || c.WorkerBits < 0 || c.SequenceBits > 62 || c.WorkerBits > 62-c.SequenceBits {
		return fmt.Errorf("ringbuffer: %w: %d sequence bits and %d worker bits: "+
			"want 0 or more each, 62 at most together",
			uid.ErrConfig, c.SequenceBits, c.WorkerBits)
	}
	r.slots = make([]slot, c.Slots)
	r.seqMask = 1<<c.SequenceBits - 1
	r.seqBits = uint8(c.SequenceBits)
	r.valBits = uint8(c.SequenceBits + c.WorkerBits)
	r.isShut = true
	for i := range r.slots {
		r.slots[i].flag.Store(noRun)
	}
	r.front.Store(noRun)
	r.cursor.Store(shut)
	return nil
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
	// Ahead: the position lies beyond the tail. It is the caller's for good, and becomes Taken when its tick is
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
	// gone, it is gone for good. For a tick that is not published do not look at flags:
	// after the layout's last tick comes noRun's.
	tail := r.tail.Load()
	if tick >= tail {
		return 0, Ahead
	}
	run := r.slotOf(tick).flag.Load()
	if run>>(r.valBits&63) != tick {
		return 0, Missed
	}
	if r.front.Load() != run {
		r.front.Store(run)
	}
	return run | pos&r.seqMask, Taken
}

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

// Position returns the position that will be claimed next. Producer only.
func (r *Ring) Position() uint64 {
	if r.isShut {
		return r.resume
	}
	return r.cursor.Load() + 1
}

// IsShut reports whether the ring is shut. Producer only.
func (r *Ring) IsShut() bool { return r.isShut }

// Claimed returns how many positions have been claimed of the open ring, whatever they were worth, or allotted.
// Producer only.
func (r *Ring) Claimed() uint64 {
	if r.isShut {
		return r.claimed
	}
	return r.claimed + r.Position() - r.opened
}

// Buffered returns how many positions lie between the cursor and the tail. Producer only.
func (r *Ring) Buffered() uint64 { return r.before(r.Position()) }

// Ready is Buffered for takers: 0 while the ring is shut, and otherwise a guess, since others may claim meanwhile.
func (r *Ring) Ready() uint64 { return r.before(r.cursor.Load() + 1) }

func (r *Ring) before(pos uint64) uint64 {
	if end := r.tail.Load() << (r.seqBits & 63); pos < end {
		return end - pos
	}
	return 0
}

// hasRoom reports whether no position of the run in the tail's slot is left to be claimed. Producer only.
func (r *Ring) hasRoom() bool { return r.tail.Load() < r.Tick(r.Position())+uint64(len(r.slots)) }

// ErrFull is returned by Put when no slot is free.
var ErrFull = errors.New("ring is full")

// Put publishes the run of a tick, which must be the tail, under a worker ID. It returns ErrFull while positions of the
// run in its slot are left to be claimed, and another error when the tick is not the tail or a number is beyond the
// layout. A failed Put changes nothing. Producer only.
func (r *Ring) Put(tick, worker uint64) error {
	run, err := r.runOf(tick, worker)
	if err != nil {
		return err
	}
	if tail := r.tail.Load(); tick != tail {
		return fmt.Errorf("ringbuffer: put of tick %d at tail %d", tick, tail)
	}
	if !r.hasRoom() {
		return ErrFull
	}
	r.publish(run)
	return nil
}

// Shut stops the takers: no position is claimed until Open. It does nothing if the ring is shut. Producer only.
func (r *Ring) Shut() {
	if r.isShut {
		return
	}
	r.isShut = true
	r.resume = r.cursor.Swap(shut) + 1
	r.claimed += r.resume - r.opened
}

// Open lets takers go on after the last claimed position, or where Skip or Restart moved the ring. It does nothing if
// the ring is open or never held a run. Producer only.
func (r *Ring) Open() {
	if !r.isShut || r.tail.Load() == 0 {
		return
	}
	r.isShut = false
	r.opened = r.resume
	r.cursor.Store(r.resume - 1)
}

// Allot claims positions of a shut ring for a call that waits: up to n, as many as are left in the tick at which the
// ring would be opened. It returns the first of them, its UID and how many they are: 0 when the ring is open, when that
// tick is not published yet, and when n is 0. Producer only.
func (r *Ring) Allot(n uint64) (v, pos, got uint64) {
	if !r.isShut || r.Tick(r.resume) >= r.tail.Load() {
		return 0, 0, 0
	}
	pos = r.resume
	got = min(n, r.Left(pos))
	v, _ = r.Resolve(pos) // Taken: no run that is in use, or to be, is overwritten
	r.resume += got
	r.claimed += got
	return v, pos, got
}

// Skip moves a shut ring on to the given sequence of a published tick, but never back behind claims. It fails, and
// changes nothing, when the ring is open, the tick is not in it or the sequence is beyond a run's length. Producer
// only.
func (r *Ring) Skip(tick, sequence uint64) error {
	run := r.slotOf(tick).flag.Load()
	if tail := r.tail.Load(); tick >= tail || run>>(r.valBits&63) != tick {
		return fmt.Errorf("ringbuffer: skip to tick %d, which is not in the ring; tail %d", tick, tail)
	}
	return r.moveTo(run, sequence, false)
}

// Restart publishes the run of a tick after a gap, under a worker ID, and moves a shut ring on to the given sequence in
// it. It fails, and changes nothing, when the ring is open, the tick lies below the tail, or a number is beyond the
// layout. Producer only.
func (r *Ring) Restart(tick, worker, sequence uint64) error {
	run, err := r.runOf(tick, worker)
	if err != nil {
		return err
	}
	if tail := r.tail.Load(); tick < tail {
		return fmt.Errorf("ringbuffer: restart at tick %d, below tail %d", tick, tail)
	}
	return r.moveTo(run, sequence, true)
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

func (r *Ring) publish(run uint64) {
	tick := run >> (r.valBits & 63)
	r.slotOf(tick).flag.Store(run)
	if r.front.Load() == noRun {
		// An open ring has a front: claims beyond the last tick come to where noRun is.
		r.front.Store(run)
	}
	r.tail.Store(tick + 1)
}

func (r *Ring) moveTo(run, sequence uint64, publish bool) error {
	if !r.isShut {
		return errors.New("ringbuffer: an open ring cannot be moved")
	}
	if sequence > r.seqMask {
		return fmt.Errorf("ringbuffer: sequence %d, the largest is %d", sequence, r.seqMask)
	}
	if publish {
		r.publish(run)
	}
	if pos := run>>(r.valBits&63)<<(r.seqBits&63) | sequence; pos >= r.resume {
		r.resume = pos
		r.front.Store(run)
	}
	return nil
}
