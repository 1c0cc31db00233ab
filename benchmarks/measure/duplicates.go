package measure

import (
	"slices"

	"github.com/uidgen/uid/benchmarks/subject"
)

// duplicates returns how many keys equal an earlier one: len(ids) minus the number of
// distinct keys. It sorts them where they are, and leaves nothing of use in ids: a copy would be large.
func duplicates(ids []subject.Key) int {
	slices.SortFunc(ids, func(a, b subject.Key) int { return slices.Compare(a[:], b[:]) })
	return len(ids) - len(slices.Compact(ids))
}
