package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/segment/segmenttest"
)

// A taker takes from a store as a generator does, and notes it.
type taker struct {
	*noting
	client *segmenttest.Client
	name   string
}

func newTaker(m *segmenttest.Memory, name string, l *ledger) *taker {
	c := m.Client()
	return &taker{&noting{Store: c, ledger: l, log: io.Discard}, c, name}
}

var errUnwilling = errors.New("unwilling")

// change has the row's next number become what next says, or leaves it alone for 0.
func (k *taker) change(next int64) error {
	return k.Change(context.Background(), "a", func(row *segment.Row) error {
		if next == 0 {
			return errUnwilling
		}
		row.Next, row.Step = next, 1
		for i, t := range row.Takers {
			if t.Nonce == k.name {
				row.Takers = append(row.Takers[:i], row.Takers[i+1:]...)
				break
			}
		}
		row.Takers = append(row.Takers, segment.Taker{Nonce: k.name, Last: next - 1})
		return nil
	})
}

// ranges returns the spans in a state.
func ranges(l *ledger, state int64) (all [][2]int64) {
	for _, s := range l.all(state) {
		all = append(all, [2]int64{s.first.Load(), s.last.Load()})
	}
	return all
}

// newLedger is the ledger of a process that marks at once.
func newLedger() *ledger {
	l := &ledger{}
	for i := range drawers {
		l.end(i)
	}
	return l
}

// What was taken is in the ledger, whatever became of the reply.
func TestLedger(t *testing.T) {
	m := segmenttest.NewMemory()
	l := newLedger()
	k := newTaker(m, "me", l)
	require.NoError(t, k.change(11))
	require.NoError(t, k.change(21))
	require.NoError(t, k.change(31))
	require.ElementsMatch(t, [][2]int64{{11, 20}, {21, 30}}, ranges(l, isTaken), "the latest two")
	require.EqualValues(t, 3, l.takes.Load())
	require.EqualValues(t, 30, l.taken.Load())
	require.EqualValues(t, 30, l.newest())
	require.ErrorIs(t, k.change(0), errUnwilling)
	require.Zero(t, l.lostReplies.Load())

	// A write whose reply is lost is open until the row tells.
	k.client.Fault(segmenttest.LoseReply)
	require.Error(t, k.change(41))
	require.Equal(t, [][2]int64{{31, 40}}, ranges(l, isOpen))
	require.EqualValues(t, 1, l.lostReplies.Load())
	require.Error(t, k.change(0))
	require.Empty(t, ranges(l, isOpen))
	require.ElementsMatch(t, [][2]int64{{21, 30}, {31, 40}}, ranges(l, isTaken))
	require.EqualValues(t, 1, l.keptReplies.Load())

	// One that was not stored is open until the row is written again.
	k.client.Fault(segmenttest.LoseWrite)
	require.Error(t, k.change(51))
	require.Error(t, k.change(0))
	require.Equal(t, [][2]int64{{41, 50}}, ranges(l, isOpen), "it may yet come")
	require.NoError(t, k.change(61))
	require.Empty(t, ranges(l, isOpen))
	require.ElementsMatch(t, [][2]int64{{31, 40}, {41, 60}}, ranges(l, isTaken))
	require.EqualValues(t, 60, l.taken.Load())

	// Giving back.
	require.NoError(t, k.change(36))
	require.Equal(t, [][2]int64{{31, 35}}, ranges(l, isTaken))
	require.EqualValues(t, 25, l.given.Load())
	k.client.Fault(segmenttest.LoseReply)
	require.Error(t, k.change(34))
	require.Equal(t, [][2]int64{{34, 35}}, ranges(l, isBack))
	require.NoError(t, k.change(70))
	require.Equal(t, [][2]int64{{34, 35}}, ranges(l, isBack), "for good")

	require.Zero(t, l.calls.Load())
}

// A ledger that is full lets no range be taken.
func TestLedgerFull(t *testing.T) {
	m := segmenttest.NewMemory()
	l := newLedger()
	l.noted.Store(int64(len(l.spans)))
	require.ErrorIs(t, newTaker(m, "me", l).change(11), errFull)
	require.Zero(t, m.Row("a").Next)
}

// A write that was refused, because others have written meanwhile, was none.
func TestLedgerRaced(t *testing.T) {
	m := segmenttest.NewMemory()
	l := newLedger()
	k, other := newTaker(m, "me", l), newTaker(m, "other", newLedger())
	require.NoError(t, k.change(11))
	raced := false
	require.NoError(t, k.Change(t.Context(), "a", func(row *segment.Row) error {
		if !raced {
			raced = true
			require.NoError(t, other.change(21))
		} else {
			require.Empty(t, ranges(l, isOpen))
		}
		row.Next += 5
		row.Takers = append(row.Takers, segment.Taker{Nonce: "me", Last: row.Next - 1})
		return nil
	}))
	require.ElementsMatch(t, [][2]int64{{1, 10}, {21, 25}}, ranges(l, isTaken))
	require.EqualValues(t, 15, l.taken.Load())
}

// A row that has forgotten the taker does not tell what became of a take.
func TestLedgerForgotten(t *testing.T) {
	m := segmenttest.NewMemory()
	l := newLedger()
	k := newTaker(m, "me", l)
	require.NoError(t, k.change(11))
	k.client.Fault(segmenttest.LoseReply)
	require.Error(t, k.change(21))
	row := m.Row("a")
	row.Next, row.Takers = 1000, nil
	for i := range segment.MaxTakers {
		row.Takers = append(row.Takers, segment.Taker{Nonce: fmt.Sprint("x", i), Last: 500 + int64(i)})
	}
	m.SetRow(row)
	require.NoError(t, k.Change(t.Context(), "a", func(row *segment.Row) error {
		row.Next += 5
		row.Takers = append(row.Takers[1:], segment.Taker{Nonce: "me", Last: row.Next - 1})
		return nil
	}))
	require.Equal(t, [][2]int64{{11, 20}}, ranges(l, isOpen))
}

// Ranges of which a goroutine has numbers that are not marked yet stay, as do the latest two of those that
// were not given back.
func TestLedgerDrawing(t *testing.T) {
	m := segmenttest.NewMemory()
	l := newLedger()
	k := newTaker(m, "me", l)
	require.NoError(t, k.change(11))
	require.NoError(t, k.change(21))
	require.NoError(t, k.change(31))
	l.begin(0)
	require.NoError(t, k.change(41))
	l.begin(1)
	require.NoError(t, k.change(51))
	require.NoError(t, k.change(61))
	require.ElementsMatch(t, [][2]int64{{11, 20}, {21, 30}, {31, 40}, {41, 50}, {51, 60}}, ranges(l, isTaken))
	l.end(0)
	require.NoError(t, k.change(71))
	require.ElementsMatch(t, [][2]int64{{21, 30}, {31, 40}, {41, 50}, {51, 60}, {61, 70}}, ranges(l, isTaken))
	l.end(1)
	require.NoError(t, k.change(61))
	require.NoError(t, k.change(62))
	require.ElementsMatch(t, [][2]int64{{51, 60}, {61, 61}}, ranges(l, isTaken), "the one between them was given back")
}
