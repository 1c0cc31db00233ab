package fleet

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/crew"
)

// A life is the time in which a process can have had an ID.
type life struct{ began, ended time.Time }

// mostAtOnce returns how many IDs can have been in use or in quarantine at once.
func mostAtOnce(lives []life, lost []time.Time, t crew.Timing) int {
	type change struct {
		at time.Time
		by int
	}
	var changes []change
	// What came before may have reached the database this much later.
	const late = time.Second / 2
	until := t.TTL + t.Quarantine + late
	for _, l := range lives {
		changes = append(changes, change{l.began, 1}, change{l.ended.Add(until), -1})
	}
	for _, at := range lost { // another ID is taken from then on, and the old one free later
		changes = append(changes, change{at, 1}, change{at.Add(until), -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return a.at.Compare(b.at) })
	most, now := 0, 0
	for _, c := range changes {
		now += c.by
		most = max(most, now)
	}
	return most
}

// Three processes at a time, each replaced once a second, and one lease lost: with leases
// that end after a second, and half of one for what comes late, those of two seconds
// overlap.
func TestMostAtOnce(t *testing.T) {
	began := time.Now()
	var all []life
	for i := range 30 {
		from := began.Add(time.Duration(i/3) * time.Second)
		all = append(all, life{from, from.Add(time.Second)})
	}
	short := crew.Timing{TTL: 800 * time.Millisecond, Quarantine: 190 * time.Millisecond}
	require.Equal(t, 9, mostAtOnce(all, nil, short))
	require.Equal(t, 10, mostAtOnce(all, []time.Time{began.Add(5 * time.Second)}, short))
	require.Equal(t, 30, mostAtOnce(all, nil, crew.Timing{TTL: time.Hour}))
}
