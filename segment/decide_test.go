package segment

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
)

// TestDecisions has rows that a store cannot have after it kept its word, and rows that it can.
func TestDecisions(t *testing.T) {
	full := func(last int64) (all []storage.Taker) {
		for i := range int64(storage.MaxTakers) {
			all = append(all, storage.Taker{Nonce: fmt.Sprint("x", i), Last: last + i})
		}
		return all
	}
	mine := func(last int64) []storage.Taker { return []storage.Taker{{Nonce: "me", Last: last}} }
	took := taking{tag: "a", nonce: "me", first: 1, last: 1000, took: true, has: 100, own: 100, seen: progress{7, 101}}
	for _, c := range []struct {
		name string
		row  storage.Segment
		is   error
		text string
	}{
		{"as it was", storage.Segment{Next: 101, Takers: mine(100)}, nil, ""},
		{"others took", storage.Segment{Next: 500, Takers: mine(100)}, nil, ""},
		{"went back", storage.Segment{Next: 100, Writes: 8, Takers: mine(100)}, ErrLost,
			"the next number of tag \"a\" is 100, but 100 was taken"},
		{"is older", storage.Segment{Next: 500, Writes: 6, Takers: mine(100)}, ErrLost,
			"was written 6 times and its next number is 500, but they were 7 and 101 before"},
		{"is older by what others took", storage.Segment{Next: 100, Writes: 7, Takers: mine(100)}, ErrLost,
			"was written 7 times and its next number is 100"},
		{"was lowered", storage.Segment{Next: 500, Writes: 9, Floor: 501, Takers: mine(100)}, ErrLost,
			"the next number of tag \"a\" is 500, but it was 501 before"},
		{"was raised", storage.Segment{Next: 600, Writes: 9, Floor: 501, Takers: mine(100)}, nil, ""},
		{"knows of less", storage.Segment{Next: 500, Takers: mine(90)}, ErrLost, "took up to 90"},
		{"knows of more", storage.Segment{Next: 500, Takers: mine(110)}, ErrLost, "took up to 110"},
		{"knows nothing", storage.Segment{Next: 500}, ErrLost, "next number is 500"},
		{"forgot", storage.Segment{Next: 500, Takers: full(110)}, nil, ""},
		{"cannot have forgotten", storage.Segment{Next: 500, Takers: full(90)}, ErrLost, "up to 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.row.Tag, c.row.Step = "a", 1
			if c.row.Writes == 0 {
				c.row.Writes = 7
			}
			mine := took
			before := c.row
			before.Takers = append([]storage.Taker(nil), c.row.Takers...)
			r, err := mine.take(&c.row, 10)
			if c.is == nil {
				require.NoError(t, err)
				require.Equal(t, storage.Numbers{First: before.Next, Last: before.Next + 9}, r)
				require.Equal(t, storage.Taker{Nonce: "me", Last: r.Last}, c.row.Takers[len(c.row.Takers)-1])
				require.Equal(t, []int64{before.Writes + 1, c.row.Next}, []int64{c.row.Writes, c.row.Floor})
				require.NoError(t, c.row.Check())
				return
			}
			logtest.Error(t, err, c.is,
				c.text, "uid segment set TAG --create --next NUMBER",
				fmt.Sprintf("to %d at least", max(101, c.row.Next, c.row.Floor)))
			require.True(t, before.Equal(&c.row), "nothing is changed")
		})
	}

	_, err := new(took).take(&storage.Segment{Tag: "a", Fresh: true}, 10)
	logtest.Error(t, err, ErrLost, "its next number was 101")
	starting := taking{tag: "a", nonce: "me", first: 1, last: 1000, create: true}
	for _, row := range []storage.Segment{
		{Tag: "a", Fresh: true, Writes: 3, Floor: 700, Takers: full(600)},
		{Tag: "a", Next: 699, Step: 1, Writes: 3, Floor: 700},
	} {
		_, err := new(starting).take(&row, 10)
		require.ErrorIs(t, err, ErrLost, "one that has just started, of %+v", row)
		require.ErrorContains(t, err, "700 ")
	}

	row := storage.Segment{Tag: "a", Next: 3, Step: 1}
	r, err := (&taking{tag: "a", nonce: "me", first: 50, last: 60}).take(&row, 100)
	require.NoError(t, err)
	require.Equal(t, storage.Numbers{First: 50, Last: 60}, r)
	require.EqualValues(t, 61, row.Next)

	// Giving back.
	for _, c := range []struct {
		name  string
		row   storage.Segment
		given bool
	}{
		{"the end of the row", storage.Segment{Next: 101, Takers: mine(100)}, true},
		{"others took", storage.Segment{Next: 102, Takers: mine(100)}, false},
		{"forgotten", storage.Segment{Next: 101, Takers: full(100)[:storage.MaxTakers]}, false},
	} {
		c.row.Tag, c.row.Step, c.row.Writes = "a", 1, 7
		mine := took
		before := c.row
		given, err := mine.giveBack(&c.row, storage.Numbers{First: 41, Last: 100})
		require.NoError(t, err, c.name)
		require.Equal(t, c.given, given, c.name)
		if given {
			require.EqualValues(t, 41, c.row.Next)
			require.Equal(t, []storage.Taker{{Nonce: "me", Last: 40}}, c.row.Takers)
			require.Equal(t, []int64{8, 41}, []int64{c.row.Writes, c.row.Floor})
			given, err = mine.giveBack(&c.row, storage.Numbers{First: 41, Last: 100})
			require.Error(t, err, "a second time")
			require.False(t, given)
			continue
		}
		require.True(t, before.Equal(&c.row))
	}
	given, err := new(took).giveBack(&storage.Segment{Fresh: true}, storage.Numbers{First: 41, Last: 100})
	require.ErrorIs(t, err, ErrLost)
	require.False(t, given)
}

// TestOpenRanges loses a write, lets somebody else take, and loses the reply to a second write, whose
// range ends where the first one's did.
func TestOpenRanges(t *testing.T) {
	mine, other := taking{tag: "a", nonce: "me", last: 19}, taking{tag: "a", nonce: "other", last: 19}
	row := storage.Segment{Tag: "a", Next: 5, Step: 1}
	lost := row
	first, err := mine.take(&lost, 100)
	require.NoError(t, err)
	require.Equal(t, storage.Numbers{First: 5, Last: 19}, first)
	mine.markInDoubt(first)
	_, err = other.take(&row, 5)
	require.NoError(t, err)
	second, err := mine.take(&row, 100)
	require.NoError(t, err)
	mine.markInDoubt(second)
	kept, err := mine.take(&row, 100)
	require.ErrorIs(t, err, errKept)
	require.Equal(t, storage.Numbers{First: 10, Last: 19}, kept, "5 to 9 are the other's")
}
