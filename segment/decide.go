package segment

import (
	"errors"
	"fmt"
	"slices"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
)

// A taking is what one generator knows of the row of its tag, and its decisions on it.
type taking struct {
	tag         string
	nonce       string
	first, last int64 // bounds of the numbers
	create      bool  // the row may be made
	exact       bool  // it takes no more than it wants, whatever the row's step

	took bool  // it has taken, and has counts
	has  int64 // the last number taken and not given back, by the row
	own  int64 // the highest number that was issued or is in hand; has may be another's, once all was given back
	// open are the ranges that it may have taken, by writes whose outcome it does not know. The
	// row tells: it has the last number of one of them, or else none of them is stored, or ever
	// will be once the row is written again.
	open []storage.Numbers
	// back are the lasts of ranges that it may have left by giving back what followed, likewise.
	back []int64

	seen  progress // how far it knows the row to have come
	wrote progress // how far the row comes by what was decided last
}

// A progress says how far a row has come. Rows of one tag come in the order of it, also when
// numbers are given back: that is a write, and all others only raise the next number.
type progress struct{ writes, next int64 }

func (m progress) before(other progress) bool {
	return m.writes < other.writes || m.writes == other.writes && m.next < other.next
}

// errKept is returned by a decision that needs no write, since one that was open is stored.
var errKept = errors.New("already taken")

// take decides to take n numbers, or as many as the row wants at once. With errKept the range is one that was open.
func (t *taking) take(row *storage.Segment, n int64) (storage.Numbers, error) {
	if err := t.checkProgress(row); err != nil {
		return storage.Numbers{}, err
	}
	if row.Fresh {
		if !t.create {
			return storage.Numbers{}, fmt.Errorf("%w: %q", ErrNoTag, t.tag)
		}
		row.Fresh, row.Next, row.Step = false, t.first, 1
	}
	if kept, err := t.confirm(row); err != nil {
		return kept, err
	}
	first := max(row.Next, t.first)
	if first > t.last {
		return storage.Numbers{}, fmt.Errorf("%w: the next number of tag %q is %d, the last one allowed is %d",
			uid.ErrExhausted, t.tag, first, t.last)
	}
	if !t.exact {
		n = max(n, row.Step)
	}
	r := storage.Numbers{First: first, Last: first + min(n, t.last-first+1) - 1}
	row.Next = r.Last + 1
	t.remember(row, r.Last)
	t.stamp(row)
	return r, nil
}

// giveBack decides to give back a range that the generator has. It reports whether that can be done:
// whether no generator has what follows.
func (t *taking) giveBack(row *storage.Segment, r storage.Numbers) (bool, error) {
	if err := t.checkProgress(row); err != nil {
		return false, err
	}
	if _, err := t.confirm(row); err != nil {
		return false, err
	}
	// A row that has forgotten the taker would let a write that comes late undo another's take.
	i := t.find(row)
	if row.Next != r.Last+1 || i < 0 {
		return false, nil
	}
	row.Next = r.First
	row.Takers[i].Last = r.First - 1
	t.stamp(row)
	return true, nil
}

// stamp ends a decision to write.
func (t *taking) stamp(row *storage.Segment) {
	row.Stamp()
	t.wrote = progress{row.Writes, row.Next}
}

// checkProgress checks that the row has come at least as far as it was known to, and that its number was not lowered:
// numbers up to there were given out.
func (t *taking) checkProgress(row *storage.Segment) error {
	is := progress{row.Writes, row.Next}
	switch {
	case row.Fresh && (row.Floor > 0 || t.seen != progress{}):
		return t.lost(row, "the row of tag %q is gone, but its next number was %d", t.tag, max(row.Floor, t.seen.next))
	case row.Next < row.Floor:
		return t.lost(row, "the next number of tag %q is %d, but it was %d before: "+
			"somebody has lowered it, or the store has lost it", t.tag, row.Next, row.Floor)
	case is.before(t.seen):
		return t.lost(row, "the row of tag %q was written %d times and its next number is %d, "+
			"but they were %d and %d before: it is an older one",
			t.tag, is.writes, is.next, t.seen.writes, t.seen.next)
	}
	t.seen = is
	return nil
}

// lost returns an ErrLost that says how to go on.
func (t *taking) lost(row *storage.Segment, format string, args ...any) error {
	return fmt.Errorf("%w: %s. To go on, stop all generators that draw from it, "+
		"raise the next number above all that are in use, to %d at least "+
		"(uid segment set TAG --create --next NUMBER), and start them again",
		ErrLost, fmt.Sprintf(format, args...), max(row.Next, row.Floor, t.seen.next, t.own+1))
}

// confirm checks that the row still has what the generator took, and returns the range that was
// open and is stored, if there is one.
func (t *taking) confirm(row *storage.Segment) (kept storage.Numbers, err error) {
	if !t.took && len(t.open) == 0 {
		return storage.Numbers{}, nil
	}
	if t.took && row.Next <= t.own {
		return storage.Numbers{}, t.lost(row, "the next number of tag %q is %d, but %d was taken", t.tag, row.Next,
			t.own)
	}
	i := t.find(row)
	switch {
	case i >= 0 && t.took && (row.Takers[i].Last == t.has || slices.Contains(t.back, row.Takers[i].Last)):
		return storage.Numbers{}, nil
	case i >= 0:
		for _, r := range t.open {
			if r.Last == row.Takers[i].Last && row.Next > r.Last {
				return r, errKept
			}
		}
		return storage.Numbers{}, t.lost(row, "by the row of tag %q this generator took up to %d, but it took up "+
			"to %d",
			t.tag, row.Takers[i].Last, t.has)
	case !t.took, len(row.Takers) >= storage.MaxTakers && t.own <= row.Takers[0].Last:
		// nothing is stored; or others have taken since, so that the row has forgotten this one
		return storage.Numbers{}, nil
	}
	return storage.Numbers{}, t.lost(row, "the row of tag %q knows nothing of this generator, "+
		"which took up to %d; its next number is %d", t.tag, t.has, row.Next)
}

// remember makes the row remember the take up to last.
func (t *taking) remember(row *storage.Segment, last int64) {
	if i := t.find(row); i >= 0 {
		row.Takers = slices.Delete(row.Takers, i, i+1)
	}
	if len(row.Takers) >= storage.MaxTakers {
		row.Takers = slices.Delete(row.Takers, 0, len(row.Takers)-storage.MaxTakers+1)
	}
	row.Takers = append(row.Takers, storage.Taker{Nonce: t.nonce, Last: last})
}

func (t *taking) find(row *storage.Segment) int {
	return slices.IndexFunc(row.Takers, func(k storage.Taker) bool { return k.Nonce == t.nonce })
}

// markCommitted notes that a range was taken for certain: by a write that was acknowledged, or that the
// row was seen to have.
func (t *taking) markCommitted(r storage.Numbers) {
	t.took, t.has, t.own, t.open, t.back = true, r.Last, r.Last, nil, nil
}

// markInDoubt notes that a range may have been taken. An older open range with the same end but another start can no
// longer commit: the row was written since, or both would start alike.
func (t *taking) markInDoubt(r storage.Numbers) {
	t.open = append(slices.DeleteFunc(t.open, func(o storage.Numbers) bool { return o.Last == r.Last }), r)
}
