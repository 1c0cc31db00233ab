package ringbuffer

import (
	"errors"
	"fmt"
)

// A Producer fills a [Ring], and moves it. No two goroutines may call its methods at once.
type Producer struct {
	ring   *Ring
	isShut bool
	// resume is the next position to be claimed once a shut ring is opened. Every
	// position before it was claimed or skipped.
	resume uint64
	// opened is the position at which the ring was last opened, and claimed the
	// number of positions claimed in the times it was open before that.
	opened, claimed uint64
}

// Position returns the position that will be claimed next.
func (p *Producer) Position() uint64 {
	if p.isShut {
		return p.resume
	}
	return p.ring.cursor.Load() + 1
}

// IsShut reports whether the ring is shut.
func (p *Producer) IsShut() bool { return p.isShut }

// Claimed returns how many positions have been claimed of the open ring, whatever they were worth, or allotted.
func (p *Producer) Claimed() uint64 {
	if p.isShut {
		return p.claimed
	}
	return p.claimed + p.Position() - p.opened
}

// Buffered returns how many positions lie between the cursor and the tail.
func (p *Producer) Buffered() uint64 { return p.ring.before(p.Position()) }

// hasRoom reports whether no position of the run in the tail's slot is left to be claimed.
func (p *Producer) hasRoom() bool {
	return p.ring.tail.Load() < p.ring.Tick(p.Position())+uint64(len(p.ring.slots))
}

// ErrFull is returned by Put when no slot is free.
var ErrFull = errors.New("ring is full")

// Put publishes the run of a tick, which must be the tail, under a worker ID. It returns ErrFull while positions of the
// run in its slot are left to be claimed, and another error when the tick is not the tail or a number is beyond the
// layout. A failed Put changes nothing.
func (p *Producer) Put(tick, worker uint64) error {
	run, err := p.ring.runOf(tick, worker)
	if err != nil {
		return err
	}
	if tail := p.ring.tail.Load(); tick != tail {
		return fmt.Errorf("ringbuffer: put of tick %d at tail %d", tick, tail)
	}
	if !p.hasRoom() {
		return ErrFull
	}
	p.publish(run)
	return nil
}

// Shut stops the takers: no position is claimed until Open. It does nothing if the ring is shut.
func (p *Producer) Shut() {
	if p.isShut {
		return
	}
	p.isShut = true
	p.resume = p.ring.cursor.Swap(shut) + 1
	p.claimed += p.resume - p.opened
}

// Open lets takers go on after the last claimed position, or where Skip or Restart moved the ring. It does nothing if
// the ring is open or never held a run.
func (p *Producer) Open() {
	if !p.isShut || p.ring.tail.Load() == 0 {
		return
	}
	p.isShut = false
	p.opened = p.resume
	p.ring.cursor.Store(p.resume - 1)
}

// Allot claims positions of a shut ring for a call that waits: up to n, as many as are left in the tick at which the
// ring would be opened. It returns the first of them, its UID and how many they are: 0 when the ring is open, when that
// tick is not published yet, and when n is 0.
func (p *Producer) Allot(n uint64) (v, pos, got uint64) {
	if !p.isShut || p.ring.Tick(p.resume) >= p.ring.tail.Load() {
		return 0, 0, 0
	}
	pos = p.resume
	got = min(n, p.ring.Left(pos))
	v, _ = p.ring.Resolve(pos) // Taken: no run that is in use, or to be, is overwritten
	p.resume += got
	p.claimed += got
	return v, pos, got
}

// Skip moves a shut ring on to the given sequence of a published tick, but never back behind claims. It fails, and
// changes nothing, when the ring is open, the tick is not in it or the sequence is beyond a run's length.
func (p *Producer) Skip(tick, sequence uint64) error {
	run := p.ring.slotOf(tick).flag.Load()
	if tail := p.ring.tail.Load(); tick >= tail || p.ring.tickOf(run) != tick {
		return fmt.Errorf("ringbuffer: skip to tick %d, which is not in the ring; tail %d", tick, tail)
	}
	if err := p.mayMove(sequence); err != nil {
		return err
	}
	p.moveTo(run, sequence)
	return nil
}

// Restart publishes the run of a tick after a gap, under a worker ID, and moves a shut ring on to the given sequence in
// it. It fails, and changes nothing, when the ring is open, the tick lies below the tail, or a number is beyond the
// layout.
func (p *Producer) Restart(tick, worker, sequence uint64) error {
	run, err := p.ring.runOf(tick, worker)
	if err != nil {
		return err
	}
	if tail := p.ring.tail.Load(); tick < tail {
		return fmt.Errorf("ringbuffer: restart at tick %d, below tail %d", tick, tail)
	}
	if err := p.mayMove(sequence); err != nil {
		return err
	}
	p.publish(run)
	p.moveTo(run, sequence)
	return nil
}

// publish puts a run into its slot, and raises the tail behind it.
func (p *Producer) publish(run uint64) {
	tick := p.ring.tickOf(run)
	p.ring.slotOf(tick).flag.Store(run)
	if p.ring.front.Load() == noRun {
		// An open ring has a front: claims beyond the last tick reach the positions of noRun.
		p.ring.front.Store(run)
	}
	p.ring.tail.Store(tick + 1)
}

// mayMove refuses to move an open ring, and to move one to a sequence that no run has.
func (p *Producer) mayMove(sequence uint64) error {
	if !p.isShut {
		return errors.New("ringbuffer: an open ring cannot be moved")
	}
	if sequence > p.ring.seqMask {
		return fmt.Errorf("ringbuffer: sequence %d, the largest is %d", sequence, p.ring.seqMask)
	}
	return nil
}

// moveTo has the ring opened at a sequence of a published run, but never below what was claimed.
func (p *Producer) moveTo(run, sequence uint64) {
	if pos := p.ring.tickOf(run)<<(p.ring.seqBits&63) | sequence; pos >= p.resume {
		p.resume = pos
		p.ring.front.Store(run)
	}
}
