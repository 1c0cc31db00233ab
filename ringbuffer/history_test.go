package ringbuffer

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"github.com/uidgen/uid/internal/fake"
)

// increasing is what a source of UIDs promises to calls that do not overlap: each
// take returns a UID that is larger than the one that was taken before. UIDs may be
// left out.
var increasing = porcupine.Model{
	Init: func() any { return uint64(0) },
	Step: func(next, _, taken any) (bool, any) {
		return taken.(uint64) >= next.(uint64), taken.(uint64) + 1
	},
}

// A take is one UID, and when the call began and returned that took it.
type take struct {
	call, ret int64
	v         uint64
}

// A history is some of the takes of a source, by whom does not matter.
type history []take

// check returns an error if there is no order of the takes in h, each of them at some
// time between its call and its return, in which the UIDs increase.
func (h history) check() error {
	ops := make([]porcupine.Operation, len(h))
	for i, t := range h {
		ops[i] = porcupine.Operation{ClientId: i, Call: t.call, Output: t.v, Return: t.ret}
	}
	if !porcupine.CheckOperations(increasing, ops) {
		return fmt.Errorf("not linearizable: {call return UID} are %v", h)
	}
	return nil
}

// overlaps counts the takes that overlapped with others. h is sorted as cut leaves it.
func (h history) overlaps() (n int) {
	latest := int64(0)
	for _, t := range h {
		if t.call < latest || t.ret > t.call+1 {
			n++
		}
		latest = max(latest, t.ret)
	}
	return n
}

// span is how many calls and returns make up one history.
const span = 20

// cut sorts a long history, makes short ones of it, and calls f with each until f fails.
//
// As takes may be left out, any part of a good history is a good one. Each short one
// has the takes that were under way in its span of time and, in the place of all that
// came before, the one with the largest UID among those that had returned. Left out is
// also what returned after the span with a larger UID than all that returned in it:
// it may well have come last, and would only make the checker try everything else. So
// wherever a UID comes too late or twice, there is a short history that shows it.
func (h history) cut(f func(short history) error) error {
	slices.SortFunc(h, func(a, b take) int {
		return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.v, b.v))
	})
	var (
		open    history // the takes under way at the beginning of the span, and then those that begin in it
		largest take
	)
	for len(h) > 0 {
		end := h[0].call + span
		var within, across history
		if largest.ret > 0 {
			within = append(within, largest)
		}
		for ; len(h) > 0 && h[0].call < end; h = h[1:] {
			open = append(open, h[0])
		}
		for _, t := range open {
			if t.ret < end {
				within = append(within, t)
			} else {
				across = append(across, t)
			}
		}
		for _, t := range within {
			if t.v >= largest.v {
				largest = t
			}
		}
		short := within
		for _, t := range across {
			if t.v <= largest.v {
				short = append(short, t)
			}
		}
		if err := f(short); err != nil {
			return err
		}
		open = across
	}
	return nil
}

// record lets takers draw from a source until it is exhausted or count histories have
// been checked. It returns how many were, how many takes overlapped with others, and
// the first fault.
func record(src source, takers, count int) (checked, overlaps int, err error) {
	var (
		line struct {
			_     cpu.CacheLinePad
			clock atomic.Int64
			_     cpu.CacheLinePad
		}
		over  atomic.Bool
		draw  = make([]func([]uint64) (int, bool), takers)
		takes = make([]history, takers)
	)
	for i := range draw {
		draw[i] = src.taker(i)
	}
	for checked < count && !over.Load() && err == nil {
		var (
			ready atomic.Int64
			done  sync.WaitGroup
		)
		for i := range takers {
			takes[i] = takes[i][:0]
			done.Go(func() {
				for ready.Add(1); ready.Load() < int64(takers); {
					runtime.Gosched()
				}
				buf := make([]uint64, 4)
				for range 1000 {
					call := line.clock.Add(1)
					n, more := draw[i](buf)
					ret := line.clock.Add(1)
					for _, v := range buf[:n] {
						takes[i] = append(takes[i], take{call, ret, v})
					}
					if !more {
						over.Store(true)
						return
					}
				}
			})
		}
		done.Wait()
		src.Lock()
		h := slices.Concat(takes...)
		err = h.cut(func(short history) error {
			checked++
			return short.check()
		})
		overlaps += h.overlaps()
		src.Unlock()
	}
	if stopErr := src.stop(0, false); err == nil {
		err = stopErr
	}
	return checked, overlaps, err
}

// The checker itself, on histories that are known to be good or bad.
func TestHistoryCheck(t *testing.T) {
	for name, h := range map[string]history{
		"nothing":                          {},
		"one after the other":              {{1, 2, 0}, {3, 4, 5}, {5, 6, 7}, {7, 8, 9}},
		"overlapping, in either order":     {{1, 4, 8}, {2, 3, 7}},
		"a long call among short ones":     {{1, 10, 6}, {2, 3, 4}, {4, 5, 5}, {6, 7, 9}},
		"several by one call, unordered":   {{1, 2, 5}, {1, 2, 3}, {1, 2, 4}},
		"several, with another in between": {{1, 4, 5}, {1, 4, 9}, {2, 3, 7}},
	} {
		require.NoError(t, h.check(), name)
		require.NoError(t, h.cut(history.check), name)
	}
	for name, h := range map[string]history{
		"smaller later":             {{1, 2, 5}, {3, 4, 4}},
		"twice at once":             {{1, 4, 5}, {2, 3, 5}},
		"twice, later":              {{1, 2, 5}, {3, 4, 5}},
		"twice by one call":         {{1, 2, 5}, {1, 2, 5}},
		"late by way of a third":    {{1, 10, 6}, {2, 3, 7}, {4, 5, 5}},
		"a long call does not help": {{1, 10, 6}, {2, 3, 8}, {4, 5, 7}},
	} {
		require.Error(t, h.check(), name)
		require.Error(t, h.cut(history.check), name)
	}
}

// A fault is found wherever it lies in a long history.
func TestHistoryCut(t *testing.T) {
	for _, stretch := range []int64{1, 3, span} {
		var good history
		for i := range int64(100) {
			good = append(good, take{2*i + 1, 2*i + 1 + stretch, uint64(10 * i)})
		}
		short := 0
		require.NoError(t, slices.Clone(good).cut(func(h history) error {
			short++
			require.Less(t, int64(len(h)), span/2+stretch+2)
			return h.check()
		}))
		require.Equal(t, 200/span, short)
		for i := 0; i < len(good); i += 3 {
			for _, late := range []int64{1, 2, span / 2, span, 40} {
				if i := int64(i); i+late+stretch/2 < 100 {
					bad := slices.Clone(good)
					bad[i+late+stretch/2].v = good[i].v // the same once more, after it returned
					require.Error(t, bad.cut(history.check), "take %d of %d, %d later", i, len(good), late)
				}
			}
		}
	}
}

// TestLinearizable checks histories, 20,000 or as many as the environment says in
// UID_HISTORIES, of takers at tiny rings.
func TestLinearizable(t *testing.T) {
	goal := fake.Amount("UID_HISTORIES", defaultHistories)
	const takers = 8
	checked, overlaps := 0, 0
	all, procs := plans(), []int{1, 2, 4, 16}
	for i, n := range procs {
		withProcs(t, n)
		upTo := goal * (i + 1) / len(procs)
		for k := 0; checked < upTo; k++ {
			p := all[k%len(all)]
			p.ticks = 1 << 16 >> p.sequenceBits
			p = p.variant(i + k)
			n, met, err := record(newGenerator(p), takers, min(1000, upTo-checked))
			require.NoError(t, err, "%+v", p)
			checked += n
			overlaps += met
		}
	}
	t.Logf("%d histories with %d overlapping takes", checked, overlaps)
	require.GreaterOrEqual(t, checked, goal)
	require.Greater(t, overlaps, checked, "the takers hardly ever met")
}
