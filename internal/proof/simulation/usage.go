package simulation

import "sort"

// A usage is the record of the ticks that were drawn, for each worker ID.
type usage map[int64]*spans

// spans are disjoint, sorted, and not adjacent.
type spans []span

type span struct{ first, last int64 }

// add records ticks and returns how many of them were drawn before.
func (u usage) add(id int64, s span) (again int64) {
	of := u[id]
	if of == nil {
		of = new(spans)
		u[id] = of
	}
	return of.add(s)
}

func (of *spans) add(s span) (again int64) {
	all := *of
	n := len(all)
	// from is the first span that s overlaps or touches, to the first one beyond it.
	from := sort.Search(n, func(i int) bool { return all[i].last+1 >= s.first })
	to := from + sort.Search(n-from, func(i int) bool { return all[from+i].first > s.last+1 })
	merged := s
	for _, other := range all[from:to] {
		again += max(0, min(s.last, other.last)-max(s.first, other.first)+1)
		merged = span{min(merged.first, other.first), max(merged.last, other.last)}
	}
	if from == to {
		all = append(all, span{})
		copy(all[from+1:], all[from:])
	} else if to-from > 1 {
		all = append(all[:from+1], all[to:]...)
	}
	all[from] = merged
	*of = all
	return again
}

// ticks returns how many were drawn.
func (u usage) ticks() (n int64) {
	for _, of := range u {
		for _, s := range *of {
			n += s.last - s.first + 1
		}
	}
	return n
}

// join adds another record and returns how many ticks were in both.
func (u usage) join(other usage) (again int64) {
	for id, of := range other {
		for _, s := range *of {
			again += u.add(id, s)
		}
	}
	return again
}
