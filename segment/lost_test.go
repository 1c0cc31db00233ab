package segment_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// A fleet draws numbers of one tag, ten at a time.
type fleet struct {
	t   *testing.T
	all []*segment.Generator
}

func (h *house) fleet(t *testing.T, n int) fleet {
	f := fleet{t: t}
	for range n {
		f.all = append(f.all, h.start(t, tens))
	}
	return f
}

// draw has each generator draw n numbers, and take the next ones, in any order of the generators.
func (f fleet) draw(n int, y *tally) {
	f.t.Helper()
	for _, i := range rand.Perm(len(f.all)) {
		for range n {
			y.add(uid.UID(next(f.t, f.all[i])))
			synctest.Wait()
		}
	}
}

// requireLost has each generator draw what it has in hand, after which it is to notice.
func (f fleet) requireLost(y *tally) {
	f.t.Helper()
	for _, i := range rand.Perm(len(f.all)) {
		for n := 0; ; n++ {
			u, err := f.all[i].GetUID()
			synctest.Wait()
			if err != nil {
				require.ErrorIs(f.t, err, segment.ErrLost)
				break
			}
			require.Less(f.t, n, 20, "generator %d goes on", i)
			y.add(u)
		}
	}
}

// TestFleetThatHasSeenMore has a row put back as it was before each of a hundred generators took
// numbers: no number comes twice, whoever takes first.
func TestFleetThatHasSeenMore(t *testing.T) {
	for _, n := range []int{100, storage.MaxTakers + 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, y := newHouse(), tally{}
				f := h.fleet(t, n)
				f.draw(1, &y)
				restore := h.Backup()
				f.draw(12, &y)
				restore()
				row := h.Row("a")
				f.requireLost(&y)
				require.Empty(t, y.twos)
				require.True(t, row.Equal(new(h.Row("a"))), "nothing is written")
			})
		})
	}
}

// TestFleetLosesItsLastTakes has the store lose the takes of five of a hundred generators, which the
// others, who have seen none of them, then take as their own. The five notice all the same.
func TestFleetLosesItsLastTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, y := newHouse(), tally{}
		f := h.fleet(t, 100)
		f.draw(1, &y)
		five, others := fleet{t, f.all[:5]}, fleet{t, f.all[5:]}
		restore := h.Backup()
		five.draw(9, &y)
		restore()
		for range 3 {
			others.draw(10, &y)
		}
		five.requireLost(new(tally))
		after := tally{}
		others.draw(100, &after)
		require.Empty(t, after.twos)
	})
}

// TestWhoHasOnlyRead has a generator read a row that somebody else has taken numbers of, and be refused its
// own write. When the store has lost the other's take, it does not take the same numbers.
func TestWhoHasOnlyRead(t *testing.T) {
	bubble(t, segment.Config{}, func(t *testing.T, h *house, other *segment.Generator) {
		next(t, other)
		restore := h.Backup()
		for range 150 {
			next(t, other)
		}
		synctest.Wait()
		g := h.start(t, segment.Config{})
		h.client.Fault(segmenttest.LoseWrite)
		require.ErrorIs(t, errOf(g.GetUID()), uid.ErrNoReservation)
		restore()
		time.Sleep(time.Second)
		logtest.Error(t, errOf(g.GetUID()), segment.ErrLost,
			"was written 1 times and its next number is 1001, but they were 2 and 3001 before")
	})
}

// TestLoweredByHand has somebody lower or remove a tag's number below what others have taken. Nobody
// takes it from there, whoever comes first, until it is raised again.
func TestLoweredByHand(t *testing.T) {
	for name, lower := range map[string]int64{"lowered": 5, "by one": 1001 - 1, "to 0": 0, "removed": -1} {
		t.Run(name, func(t *testing.T) {
			bubble(t, segment.Config{}, func(t *testing.T, h *house, running *segment.Generator) {
				next(t, running)
				require.NoError(t, h.Lower("a", lower))
				starting := h.start(t, segment.Config{})
				for range 2 {
					logtest.Error(t, errOf(starting.GetUID()), segment.ErrLost,
						"to 1001 at least (uid segment set TAG --create --next NUMBER)")
				}
				requireNext(t, running, 2, 101)
				synctest.Wait()
				require.ErrorIs(t, errOf(running.GetUID()), segment.ErrLost)

				// What uid segment set does.
				require.NoError(t, h.Change(t.Context(), "a", func(r *storage.Segment) error {
					r.Fresh, r.Step, r.Next = false, 1, 1001
					r.Stamp()
					return nil
				}))
				require.EqualValues(t, 1001, next(t, h.start(t, segment.Config{})))
			})
		})
	}
}

// TestMadeAndRemoved has a row removed whose only write was that of the generator which made it.
func TestMadeAndRemoved(t *testing.T) {
	bubble(t, tens, func(t *testing.T, h *house, g *segment.Generator) {
		h.client.Fault(segmenttest.OK, segmenttest.Refuse)
		require.EqualValues(t, 1, next(t, g))
		h.SetRow(storage.Segment{Tag: "a", Fresh: true})
		requireNext(t, g, 2, 10)
		time.Sleep(time.Second)
		logtest.Error(t, errOf(g.GetUID()), segment.ErrLost, "the row of tag \"a\" is gone, but its next number was 11")
	})
}
