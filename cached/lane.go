package cached

import (
	"context"
	"sync/atomic"
	"weak"

	"golang.org/x/sys/cpu"

	uid "github.com/uidgen/uid"
)

// A Lane claims from its generator in advance, so that a goroutine that draws many UIDs contends with no other. One
// goroutine at a time may use it; it needs no closing.
//
// Its UIDs are unique among all of the generator's, keep to MaxLag, and increase, but may be smaller than earlier ones
// of other goroutines. It claims 16 UIDs at first and twice as many each time, up to 1,024 or a tick's.
type Lane struct {
	_ cpu.CacheLinePad // the neighbours in memory may be other goroutines' Lanes

	// last is the last UID in hand. The Lane's owner writes it; the generator sets it to
	// none, under its lock, when that UID has become stale. It is an int64 and not an
	// atomic.Int64 because calling the function instead of the method leaves GetUID just
	// below the compiler's limit for inlining, which makes it twice as fast.
	last int64

	// What follows belongs to the owner alone.

	n     int64 // the last UID returned
	end   int64 // what the owner wrote to last, to see whether it was withdrawn
	g     *Generator
	rest  claim // positions in hand that are not settled yet
	chunk uint64

	_ cpu.CacheLinePad
}

const (
	none = -1 // below every UID

	minLaneChunk = 16
	maxLaneChunk = 1024
)

// Lane returns a new Lane. It claims nothing before its first use.
func (g *Generator) Lane() *Lane {
	l := &Lane{last: none, n: none, end: none, g: g, chunk: minLaneChunk}
	g.mu.Lock()
	g.lanes.add(l)
	g.mu.Unlock()
	return l
}

// GetUID returns the Lane's next UID, or an error of [Generator.GetUID].
func (l *Lane) GetUID() (_ uid.UID, err error) {
	if l.n >= atomic.LoadInt64(&l.last) {
		err = l.refill()
	}
	l.n++
	return uid.UID(l.n), err
}

var _ uid.Drawer = (*Lane)(nil)

// refill takes UIDs in hand that are not stale; n+1 is then the next one. On an error n+1
// is 0 and nothing is in hand.
func (l *Lane) refill() error {
	g := l.g
	if l.n < l.end {
		// Withdrawn. A Lane that is used so seldom should hold less.
		g.counts.lost.Add(uint64(l.end-l.n) + l.rest.end - l.rest.pos)
		l.rest, l.chunk = claim{}, minLaneChunk
	}
	for {
		if l.rest.pos == l.rest.end {
			l.rest = g.claim(l.chunk)
			l.chunk = min(2*l.chunk, maxLaneChunk)
		}
		if err := g.enter(context.Background(), &l.rest, 1); err != nil {
			l.n, l.end = none, none
			atomic.StoreInt64(&l.last, none)
			return err
		}
		l.n, l.end = int64(l.rest.next)-1, int64(l.rest.last)-1
		// The generator raises staleBelow and then reads last; the owner writes last and
		// then reads staleBelow. So one of them sees that these UIDs are stale.
		atomic.StoreInt64(&l.last, l.end)
		if l.rest.next >= g.staleBelow.Load() {
			return nil
		}
		g.counts.lost.Add(l.rest.last - l.rest.next)
	}
}

// lanes are the Lanes of a generator in use, and possibly some that fell out of use since
// the last garbage collection.
type lanes struct {
	all   []weak.Pointer[Lane]
	sweep int // the length at which add looks for unused ones
}

func (s *lanes) add(l *Lane) {
	if len(s.all) >= s.sweep {
		s.withdraw(0)
		s.sweep = max(16, 2*len(s.all))
	}
	s.all = append(s.all, weak.Make(l))
}

// withdraw takes from all Lanes the UIDs below bound, and forgets unused Lanes. A Lane
// holds UIDs of one tick, so its last one stands for all.
func (s *lanes) withdraw(bound uint64) {
	used := s.all[:0]
	for _, p := range s.all {
		l := p.Value()
		if l == nil {
			continue
		}
		used = append(used, p)
		// If the owner has written last meanwhile, it has also looked at staleBelow since.
		if last := atomic.LoadInt64(&l.last); last >= 0 && uint64(last) < bound {
			atomic.CompareAndSwapInt64(&l.last, last, none)
		}
	}
	clear(s.all[len(used):])
	s.all = used
}
