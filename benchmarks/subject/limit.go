package subject

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/cpu"
)

// The limits make no usable IDs. They show the best that a generator could do.
var (
	atomicAdd     = ofLimit("atomic-add", "bare atomic add", func() Source { return new(adds) })
	mutexCounter  = ofLimit("mutex-counter", "counter behind a mutex", func() Source { return new(locked) })
	timeNow       = ofLimit("time-now", "time.Now", func() Source { return clock{} })
	packedCounter = Subject{
		Name: "packed-counter", Label: "packed counter that borrows time", Kind: Limit, Bits: 63,
		Sustained: sustainedDefault, Beyond: Borrows,
		Open: func() (Source, error) { return openPacked(), nil },
	}
)

func ofLimit(name, label string, source func() Source) Subject {
	return Subject{
		Name: name, Label: label, Kind: Limit, Bits: 64, Open: func() (Source, error) { return source(), nil },
	}
}

// adds is a counter alone on its cache line.
type adds struct {
	_ cpu.CacheLinePad
	n atomic.Uint64
	_ cpu.CacheLinePad
}

func (s *adds) Draw(n int) error { return each(n, func() error { s.n.Add(1); return nil }) }
func (s *adds) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.n.Add(1), nil) })
}

// A packed counter does the least that a generator of this kind must do: everybody adds
// to one word of time and sequence, whose carry borrows the next second, and a goroutine
// moves it up to the clock. Its worker ID cannot change, and it checks neither the lead
// nor the end of time.
type packed struct {
	adds
	stop, stopped chan struct{}
}

const packedSequence = 13

func openPacked() *packed {
	s := &packed{stop: make(chan struct{}), stopped: make(chan struct{})}
	s.catchUp()
	go func() {
		defer close(s.stopped)
		t := time.NewTicker(time.Second / 2)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				s.catchUp()
			case <-s.stop:
				return
			}
		}
	}()
	return s
}

func (s *packed) catchUp() {
	now := uint64(time.Now().Unix()) << packedSequence
	for {
		was := s.n.Load()
		if was >= now || s.n.CompareAndSwap(was, now) {
			return
		}
	}
}

func (s *packed) Close() error {
	close(s.stop)
	<-s.stopped
	return nil
}

// sink keeps the compiler from dropping results that nobody uses.
var sink atomic.Uint64

func (s *packed) Draw(n int) error {
	var x uint64
	for range n {
		x ^= s.next()
	}
	sink.Store(x)
	return nil
}

func (s *packed) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.next(), nil) })
}

// next puts a worker ID of 22 bits between the time and the sequence.
func (s *packed) next() uint64 {
	v := s.n.Add(1)
	return v>>packedSequence<<(packedSequence+22) | 7<<packedSequence | v&(1<<packedSequence-1)
}

type locked struct {
	mu sync.Mutex
	n  uint64
}

func (s *locked) next() uint64 {
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	return n
}

func (s *locked) Draw(n int) error { return each(n, func() error { s.next(); return nil }) }
func (s *locked) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.next(), nil) })
}

// clock shows the cost of reading the clock once; its readings are no IDs.
type clock struct{}

func (clock) Draw(n int) error { return each(n, func() error { _ = time.Now(); return nil }) }
func (clock) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(time.Now().UnixNano(), nil) })
}
