package ringbuffer

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// A twin does what a Ring does, for one goroutine and in the plainest of ways: it
// remembers everything that was ever put, and works out the rest.
type twin struct {
	slots   uint64
	length  uint64 // of a run
	ticks   uint64 // of the layout
	runOf   func(tick, worker uint64) uint64
	put     map[uint64]uint64
	tail    uint64
	next    uint64 // the position that is claimed next
	claimed uint64
	open    bool
}

// claim returns n positions, or none if the twin is shut.
func (w *twin) claim(n uint64) (positions []uint64) {
	if !w.open {
		return nil
	}
	for range n {
		positions = append(positions, w.next)
		w.next++
	}
	w.claimed += n
	return positions
}

func (w *twin) worth(pos uint64) (v uint64, s State) {
	tick := pos / w.length
	if pos>>63 != 0 {
		return 0, NotOpen // behind the end of a layout without worker bits
	}
	if tick >= w.tail {
		return 0, Ahead
	}
	if !w.holds(tick) {
		return 0, Missed
	}
	return w.put[tick] + pos%w.length, Taken
}

// holds reports whether a tick was put and no other one in its slot since.
func (w *twin) holds(tick uint64) bool {
	_, ok := w.put[tick]
	for later := range w.put {
		ok = ok && (later <= tick || later%w.slots != tick%w.slots)
	}
	return ok
}

func (w *twin) full() bool { return w.tail >= w.next/w.length+w.slots }

func (w *twin) publish(tick, run uint64) {
	w.put[tick] = run
	w.tail = tick + 1
}

func (w *twin) moveTo(pos uint64) {
	w.next = max(w.next, pos)
}

func (w *twin) buffered() uint64 {
	if end := w.tail * w.length; end > w.next {
		return end - w.next
	}
	return 0
}

// TestTwin puts a ring and its twin through the same calls.
func TestTwin(t *testing.T) { rapid.Check(t, likeTwin) }

func likeTwin(t *rapid.T) {
	// Small numbers more often than large ones, since ends meet there.
	s := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 62)).Draw(t, "sequence bits")
	w := rapid.OneOf(rapid.Just(62-s), rapid.IntRange(0, 62-s)).Draw(t, "worker bits")
	slots := uint64(1) << rapid.IntRange(0, 4).Draw(t, "log slots")
	ring, producer, err := New(Config{Slots: int(slots), SequenceBits: s, WorkerBits: w})
	if err != nil {
		t.Fatal(err)
	}
	r := whole{ring, producer}
	x := &twin{
		slots: slots, length: 1 << s, ticks: 1 << (63 - s - w),
		runOf: func(tick, worker uint64) uint64 { return tick<<(s+w) | worker<<s },
		put:   map[uint64]uint64{},
	}

	var (
		held []uint64 // claimed and not resolved for good
		last uint64   // the position that was claimed last, plus one
	)
	drawWorker := func() uint64 {
		return rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64Range(0, 1<<w-1)).Draw(t, "worker")
	}
	drawSequence := func() uint64 {
		return rapid.OneOf(rapid.Just(uint64(0)), rapid.Just(x.length-1), rapid.Just(x.length),
			rapid.Just(uint64(1)<<63),
			rapid.Uint64Range(0, x.length-1)).Draw(t, "sequence")
	}
	// drawTick returns one that is near the tail, at the end of the layout, or any.
	drawTick := func() uint64 {
		return rapid.OneOf(rapid.Custom(func(t *rapid.T) uint64 {
			return x.tail + uint64(rapid.IntRange(-r.Runs()-2, r.Runs()+2).Draw(t, "from tail"))
		}), rapid.Custom(func(t *rapid.T) uint64 {
			return x.ticks - rapid.Uint64Range(0, 3).Draw(t, "to end")
		}), rapid.Uint64Range(0, x.ticks-1)).Draw(t, "tick")
	}
	// check holds what a claim is worth against the twin.
	check := func(pos uint64) (final bool) {
		v, s := r.Resolve(pos)
		wantV, want := x.worth(pos)
		if s != want || v != wantV {
			t.Fatalf("position %#x: %#x, %d; want %#x, %d", pos, v, s, wantV, want)
		}
		return s != Ahead
	}
	claimed := func(pos uint64) {
		if pos < last {
			t.Fatalf("position %#x claimed after %#x", pos, last-1)
		}
		last = pos + 1
	}
	// compare holds n positions that were claimed against the twin, and their UIDs from v on if ok.
	compare := func(t *rapid.T, n, v, pos uint64, ok bool) {
		want := x.claim(n)
		if len(want) == 0 {
			if _, s := r.Resolve(pos); ok || s != NotOpen {
				t.Fatalf("a shut ring gave %#x, %d", pos, s)
			}
			return
		}
		if pos != want[0] {
			t.Fatalf("claimed %#x, want %#x", pos, want[0])
		}
		for i, pos := range want {
			claimed(pos)
			if wantV, s := x.worth(pos); ok && (s != Taken || v+uint64(i) != wantV) {
				t.Fatalf("took %#x at %#x, want %#x, %d", v+uint64(i), pos, wantV, s)
			}
		}
		if !ok {
			held = append(held, want...)
		}
	}
	settle := func(t *rapid.T) {
		if len(held) > 0 {
			i := rapid.IntRange(0, len(held)-1).Draw(t, "ticket")
			if check(held[i]) {
				held = append(held[:i], held[i+1:]...)
			}
		}
	}

	t.Repeat(map[string]func(*rapid.T){
		"take": func(t *rapid.T) {
			v, pos, ok := r.Take()
			compare(t, 1, v, pos, ok)
		},
		"claim": func(t *rapid.T) {
			n := rapid.Uint64Range(1, min(x.length, 40)).Draw(t, "n")
			v, pos, ok := r.TakeN(n)
			compare(t, n, v, pos, ok)
		},
		"settle":       settle,
		"settle again": settle,
		"put": func(t *rapid.T) {
			if x.tail == x.ticks {
				if err := r.Put(x.tail, 0); err == nil || errors.Is(err, ErrFull) {
					t.Fatalf("put behind the last tick: %v", err)
				}
				return
			}
			worker := drawWorker()
			switch err := r.Put(x.tail, worker); {
			case x.full():
				if !errors.Is(err, ErrFull) {
					t.Fatalf("put on a full ring: %v", err)
				}
			case err != nil:
				t.Fatal(err)
			default:
				x.publish(x.tail, x.runOf(x.tail, worker))
			}
		},
		"wrong put": func(t *rapid.T) {
			tick := rapid.OneOf(rapid.Just(x.tail), rapid.Uint64()).Draw(t, "tick")
			worker := rapid.OneOf(rapid.Just(uint64(1)<<w), rapid.Uint64()).Draw(t, "worker")
			if tick == x.tail && worker>>w == 0 {
				return
			}
			if err := r.Put(tick, worker); err == nil || errors.Is(err, ErrFull) {
				t.Fatalf("put %d under %d: %v", tick, worker, err)
			}
		},
		"shut": func(*rapid.T) {
			r.Shut()
			x.open = false
		},
		"open": func(*rapid.T) {
			r.Open()
			x.open = len(x.put) > 0
		},
		"allot": func(t *rapid.T) {
			n := rapid.Uint64Range(0, 40).Draw(t, "n")
			v, pos, got := r.Allot(n)
			want := uint64(0)
			if !x.open {
				want = min(n, x.buffered(), x.length-x.next%x.length)
			}
			if got != want {
				t.Fatalf("%d were allotted, want %d", got, want)
			}
			if got == 0 {
				return
			}
			if wantV, s := x.worth(pos); pos != x.next || s != Taken || v != wantV {
				t.Fatalf("%#x was allotted at %#x, want %#x at %#x, %d", v, pos, wantV, x.next, s)
			}
			claimed(pos + got - 1)
			x.next += got
			x.claimed += got
		},
		"skip": func(t *rapid.T) {
			tick, sequence := drawTick(), drawSequence()
			err := r.Skip(tick, sequence)
			if ok := !x.open && x.holds(tick) && sequence < x.length; ok != (err == nil) {
				t.Fatalf("skip to %d, %d: %v", tick, sequence, err)
			} else if ok {
				x.moveTo(tick*x.length + sequence)
			}
		},
		"restart": func(t *rapid.T) {
			tick, sequence := drawTick(), drawSequence()
			if tick >= x.ticks {
				return
			}
			worker := drawWorker()
			err := r.Restart(tick, worker, sequence)
			if ok := !x.open && tick >= x.tail && sequence < x.length; ok != (err == nil) {
				t.Fatalf("restart at %d, %d: %v", tick, sequence, err)
			} else if ok {
				x.publish(tick, x.runOf(tick, worker))
				x.moveTo(tick*x.length + sequence)
			}
		},
		"": func(t *rapid.T) {
			type state struct {
				tail, position, claimed, buffered, ready uint64
				shut, room                               bool
			}
			is := state{r.Tail(), r.Position(), r.Claimed(), r.Buffered(), r.Ready(), r.IsShut(), r.hasRoom()}
			want := state{x.tail, x.next, x.claimed, x.buffered(), 0, !x.open, !x.full()}
			if x.open {
				want.ready = want.buffered
			}
			if is != want {
				t.Fatalf("the ring is %+v, want %+v", is, want)
			}
		},
	})
	for _, pos := range held {
		check(pos)
	}
}
