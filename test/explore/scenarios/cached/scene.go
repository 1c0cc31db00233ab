//go:build explore

package cached

import (
	"errors"
	"fmt"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/test/explore"
)

//explore:edit unordered.go homeBits = 6 => homeBits = 1
//explore:edit lane.go minLaneChunk = 16 => minLaneChunk = 2
//explore:edit unordered.go bits.RotateLeft(uint(hash), homeBits) => bits.RotateLeft(atomic.Self(), -partBits)

// Ticks are short, so that a run comes to their ends: of two UIDs, of four and of a lot.
var (
	twos  = bits.MustLayout(bits.Config{TimeBits: 32, WorkerBits: 19, SequenceBits: 1, Unit: time.Second})
	fours = bits.MustLayout(bits.Config{TimeBits: 32, WorkerBits: 19, SequenceBits: 2, Unit: time.Second})
	long  = bits.MustLayout(bits.Config{TimeBits: 32, WorkerBits: 16, SequenceBits: 6, Unit: time.Second})
)

// A scene is a generator whose own goroutine does not run, and what is known of what it has issued.
type scene struct {
	*explore.Run
	g      *Generator
	draw   func() (uid.UID, error) // what takers call
	worker *fake.Worker
	now    time.Time
	issued map[uid.UID]string
	newest uid.UID
	low    uid.UID // a call that begins now gets no smaller one
	closed bool
}

func newScene(r *explore.Run, l bits.Layout) *scene {
	s := &scene{Run: r, worker: fake.Endless(7), issued: map[uid.UID]string{}}
	s.now = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	s.g = MustNew(s.worker, Config{Layout: l, MaxLead: Unbounded, Slots: 4, Now: func() time.Time { return s.now }})
	s.g.padBelow = 4 // takers top the ring up wherever it is
	s.draw = s.g.GetUID
	r.Quiet(&s.g.counts)
	return s
}

// call is one call of a task.
func (s *scene) call(name string, draw func() (uid.UID, error)) {
	explore.Point()
	low, closed := s.low, s.closed
	u, err := draw()
	if err == nil {
		s.has(name, u, low, closed)
	} else if !errors.Is(err, uid.ErrClosed) {
		s.Failf("%s: %v", name, err)
	}
}

// has notes a UID, of a call that began when low was the lowest that it could get.
func (s *scene) has(name string, u, low uid.UID, closed bool) {
	switch {
	case closed:
		s.Failf("%s: UID %d, by a call that began after Close", name, u)
	case s.issued[u] != "":
		s.Failf("%s: UID %d once more, it was issued to %s", name, u, s.issued[u])
	case u < low:
		s.Failf("%s: UID %d, by a call that began when all below %d were withdrawn", name, u, low)
	case s.published(u) != nil:
		s.Failf("%s: UID %d: %w", name, u, s.published(u))
	}
	s.issued[u], s.newest = name, max(s.newest, u)
}

// published checks that a UID is of the generator's worker and of a tick that it has published.
func (s *scene) published(u uid.UID) error {
	parts, err := s.g.ParseUID(u)
	tick, tail := uint64(u)>>s.g.valBits, s.g.ring.Tail()
	if err == nil && (parts.WorkerID != 7 || tick >= tail) {
		err = fmt.Errorf("worker ID %d, tick %d; the ring ends at %d", parts.WorkerID, tick, tail)
	}
	return err
}

// ends is a task that closes the generator, but does not wait for its goroutine and the worker.
func (s *scene) ends() {
	s.Go("closer", func() {
		s.g.lock().end()
		s.g.mu.Unlock()
		s.closed = true
	})
	s.Check(func() error { return s.told(s.g.last) })
}

// told checks what Close tells the worker.
func (s *scene) told(last int64) error {
	if newest := int64(s.newest >> s.g.valBits); newest > last && len(s.issued) > 0 {
		return fmt.Errorf("a UID of tick %d was issued, and Close tells the worker %d", newest, last)
	}
	return nil
}
