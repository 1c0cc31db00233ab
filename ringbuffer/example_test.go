package ringbuffer_test

import (
	"errors"
	"fmt"

	"github.com/uidgen/uid/ringbuffer"
)

// A ring of 4 runs of 4 UIDs each, of worker 5: the producer puts runs until the ring
// is full, and takers take.
func Example() {
	const sequenceBits, workerBits, worker = 2, 3, 5
	r, p, err := ringbuffer.New(ringbuffer.Config{Slots: 4, SequenceBits: sequenceBits, WorkerBits: workerBits})
	if err != nil {
		panic(err)
	}

	// The producer, with its lock held.
	if err := p.Restart(1000, worker, 0); err != nil {
		panic(err)
	}
	for err == nil {
		err = p.Put(r.Tail(), worker)
	}
	fmt.Println(err, errors.Is(err, ringbuffer.ErrFull))
	p.Open()

	// Takers, in as many goroutines as there are.
	for range 6 {
		v, pos, ok := r.Take()
		if !ok {
			var state ringbuffer.State
			if v, state = r.Resolve(pos); state != ringbuffer.Taken {
				panic("the ring is empty; a generator refills it here")
			}
		}
		fmt.Println(v>>5, v>>2&7, v&3)
	}
	fmt.Println(p.Buffered(), "left")
	// Output:
	// ring is full true
	// 1000 5 0
	// 1000 5 1
	// 1000 5 2
	// 1000 5 3
	// 1001 5 0
	// 1001 5 1
	// 10 left
}

// A claim beyond the tail is a ticket: it is worth its UID when the producer gets
// there.
func ExampleRing_Resolve() {
	r, p, err := ringbuffer.New(ringbuffer.Config{Slots: 2, SequenceBits: 1})
	if err != nil {
		panic(err)
	}
	if err := p.Put(0, 0); err != nil {
		panic(err)
	}
	p.Open()
	first := r.Claim(2) // 0 and 1, in one step
	ticket := r.Claim(1)
	_, state := r.Resolve(ticket)
	fmt.Println(first, ticket, state == ringbuffer.Ahead)

	if err := p.Put(1, 0); err != nil {
		panic(err)
	}
	v, state := r.Resolve(ticket)
	fmt.Println(v, state == ringbuffer.Taken)
	// Output:
	// 0 2 true
	// 2 true
}

// A ring whose ticks have become stale is moved on while it is shut, to a later tick
// that it holds or to one behind a gap.
func ExampleProducer_Skip() {
	r, p, err := ringbuffer.New(ringbuffer.Config{Slots: 8, SequenceBits: 4})
	if err != nil {
		panic(err)
	}
	for tick := range uint64(4) {
		if err := p.Put(tick, 0); err != nil {
			panic(err)
		}
	}
	p.Open()
	take := func() uint64 {
		v, pos, ok := r.Take()
		if !ok {
			v, _ = r.Resolve(pos)
		}
		return v
	}
	fmt.Println(take())

	p.Shut()
	if err := p.Skip(3, 0); err != nil {
		panic(err)
	}
	p.Open()
	fmt.Println(take())

	p.Shut()
	if err := p.Restart(100, 0, 7); err != nil {
		panic(err)
	}
	p.Open()
	fmt.Println(take())
	// Output:
	// 0
	// 48
	// 1607
}
