//go:build explore

package ringbuffer

import (
	"fmt"
	"testing"

	"github.com/uidgen/uid/test/explore"
)

func TestExplore(t *testing.T) {
	explore.Test(t, explore.Scenarios{
		"move": moves, "put": puts, "overtake": overtakes, "lastTick": lastTick, "allot": allots,
	})
}

// A scene is a ring, and what is known of its ticks and of what was issued.
type scene struct {
	*explore.Run
	ring    Ring
	p       *Producer
	issued  map[uint64]string
	low     uint64            // a call that begins now gets no smaller UID
	workers map[uint64]uint64 // of the ticks that are published, or about to be
	missed  []uint64          // ticks of claims that were given up
}

// newScene has an open ring, which is to get the UIDs of tick 2 on.
func newScene(r *explore.Run, c Config) *scene {
	s := &scene{Run: r, issued: map[uint64]string{}, workers: map[uint64]uint64{}}
	var err error
	s.p, err = s.ring.Init(c)
	must(err)
	s.restart(2, 0)
	s.p.Open()
	return s
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// restart and put are the producer's.
func (s *scene) restart(tick, worker uint64) {
	s.workers[tick] = worker
	must(s.p.Restart(tick, worker, 0))
}

func (s *scene) put(tick, worker uint64) bool {
	if tick < s.ring.tail.Peek() {
		return false
	}
	s.workers[tick] = worker
	err := s.p.Put(tick, worker)
	s.keeps()
	return err == nil
}

// keeps checks that the ring has all that is published and not claimed.
func (s *scene) keeps() {
	pos := s.p.resume
	if !s.p.isShut {
		pos = s.ring.cursor.Peek() + 1
	}
	for tick := s.ring.Tick(pos); tick < s.ring.tail.Peek(); tick++ {
		if !s.inRing(tick) {
			s.Failf("tick %d, of which nothing was claimed, is overwritten", tick)
		}
	}
}

// inRing reports whether a tick's run is there, under its worker ID.
func (s *scene) inRing(tick uint64) bool {
	flag := s.ring.slotOf(tick).flag.Peek()
	return flag>>s.ring.valBits == tick && flag>>s.ring.seqBits&1 == s.workers[tick]
}

// take is one call of a taker, as package cached makes it without its lock.
func (s *scene) take(name string) {
	explore.Point()
	low := s.low
	v, pos, ok := s.ring.Take()
	if !ok {
		var state State
		if v, state = s.ring.Resolve(pos); state != Taken {
			if state == Missed {
				s.missed = append(s.missed, s.ring.Tick(pos))
			}
			return
		}
	}
	s.has(name, v, pos, low)
}

func (s *scene) has(name string, v, pos, low uint64) {
	tick, worker := v>>s.ring.valBits, v>>s.ring.seqBits&(1<<(s.ring.valBits-s.ring.seqBits)-1)
	under, known := s.workers[tick]
	switch {
	case s.issued[v] != "":
		s.Failf("%s: UID %d of tick %d once more, %s has it", name, v, tick, s.issued[v])
	case !known || tick >= s.ring.tail.Peek():
		s.Failf("%s: UID %d of tick %d, which is not published", name, v, tick)
	case worker != under:
		s.Failf("%s: UID %d of tick %d under worker ID %d, which is published under %d", name, v, tick, worker, under)
	case tick<<s.ring.seqBits|v&s.ring.seqMask != pos:
		s.Failf("%s: UID %d of tick %d for position %d", name, v, tick, pos)
	case v < low:
		s.Failf("%s: UID %d, by a call that began when %d had been issued", name, v, low-1)
	}
	s.issued[v], s.low = name, max(s.low, v+1)
}

// loses checks in the end that no claim was given up whose run is there.
func (s *scene) loses() {
	s.Check(func() error {
		for _, tick := range s.missed {
			if s.inRing(tick) && tick < s.ring.tail.Peek() {
				return fmt.Errorf("a claim of tick %d was given up, which is in the ring", tick)
			}
		}
		return nil
	})
}

// moves: two takers, while the producer puts, shuts the ring and moves it to a later tick under another worker ID.
func moves(r *explore.Run) {
	s := newScene(r, Config{Slots: 2, SequenceBits: 1, WorkerBits: 1})
	s.put(3, 0)
	s.Each(2, s.take, "A", "B")
	r.Go("producer", func() {
		s.put(4, 1)
		s.p.Shut()
		s.low = 6 << s.ring.valBits
		s.restart(6, 1)
		s.p.Open()
	})
}

// puts: two takers that come to the end of what is published, and the producer.
func puts(r *explore.Run) {
	s := newScene(r, Config{Slots: 2, SequenceBits: 0, WorkerBits: 1})
	s.Each(2, s.take, "A", "B")
	r.Go("producer", func() {
		for tick := uint64(3); tick < 6 && s.put(tick, tick&1); tick++ {
		}
	})
	s.loses()
}

// overtakes: on a single slot, what a taker has claimed may be gone when it looks.
func overtakes(r *explore.Run) {
	s := newScene(r, Config{Slots: 1, SequenceBits: 0, WorkerBits: 1})
	s.Each(2, s.take, "A", "B")
	r.Go("producer", func() {
		for tick := uint64(3); tick < 6; tick++ {
			s.put(s.ring.Tail(), tick&1)
		}
	})
	s.loses()
}

// lastTick: a put is rejected, and tried again when a call has made room.
func lastTick(r *explore.Run) {
	s := newScene(r, Config{Slots: 1, SequenceBits: 1, WorkerBits: 1})
	s.Each(2, s.take, "A")
	r.Go("producer", func() {
		for tick := uint64(3); !s.put(tick, 0); {
			explore.Point()
			s.take("producer")
		}
	})
	r.Check(func() error {
		if tail := s.ring.tail.Peek(); tail != 4 {
			return fmt.Errorf("ticks up to 3 are put, and the tail is %d", tail)
		}
		return nil
	})
}

// allots: a call is served with the ring shut, beside takers.
func allots(r *explore.Run) {
	s := newScene(r, Config{Slots: 2, SequenceBits: 1, WorkerBits: 1})
	s.Each(1, s.take, "A", "B")
	r.Go("producer", func() {
		s.p.Shut()
		for range 2 {
			if v, pos, got := s.p.Allot(1); got == 1 {
				s.has("waiter", v, pos, 0)
			}
		}
		s.put(3, 0)
		s.p.Open()
	})
}
