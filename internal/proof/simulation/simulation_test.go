package simulation

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// simulate runs some regions of a plan. It returns what became of them, and how many ticks were
// drawn in more than one.
func simulate(t *testing.T, plan Plan, regions ...int) (results []Result, shared int64) {
	t.Helper()
	results = make([]Result, len(regions))
	used := make([]usage, len(regions))
	t.Run(plan.Planted.String(), func(t *testing.T) {
		for i, n := range regions {
			t.Run(engines[n].name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var err error
					results[i], used[i], err = Run(t.Context(), plan, n)
					require.NoError(t, err)
				})
			})
		}
	})
	all := usage{}
	for i, u := range used {
		shared += all.join(u)
		t.Logf("%+v", brief(results[i]))
	}
	return results, shared
}

// brief leaves out what is long.
func brief(r Result) Result {
	r.Days, r.Calm, r.Troubled = nil, nil, nil
	return r
}

func duplicates(results []Result) (n int64) {
	for _, r := range results {
		n += r.Duplicates
	}
	return n
}

// No tick is drawn twice by a small fleet for which everything goes wrong that may.
func TestFleet(t *testing.T) {
	results, shared := simulate(t, Small, 0, 1, 2)
	require.Zero(t, shared)
	require.Zero(t, duplicates(results))
	for _, r := range results {
		for what, n := range map[string]int{
			"starts": r.Starts, "rollings": r.Rollings, "restarts at once": r.AtOnces, "crashes": r.Crashes, "pauses": r.Pauses,
			"steps": r.Steps, "outages": r.Outages, "blackouts": r.Blackouts, "lost": r.Lost, "refused": r.Refused,
			"taken over": r.TakenOver, "lost leases": r.LostLeases,
		} {
			require.Positive(t, n, "%s: no %s", r.Name, what)
		}
	}
	require.Positive(t, results[0].Failovers)
}

// The same seed gives the same year, another seed another one.
func TestSeed(t *testing.T) {
	plan := Small
	plan.Length = day
	first, _ := simulate(t, plan, 0)
	second, _ := simulate(t, plan, 0)
	require.Equal(t, first, second)
	plan.Seed++
	other, _ := simulate(t, plan, 0)
	require.NotEqual(t, first, other)
}

// The record finds what a fault in the protocol, or in its use, lets through.
func TestPlanted(t *testing.T) {
	for _, test := range []struct {
		fault   Fault
		regions []int
	}{{NoBurn, []int{0}}, {NoFence, []int{1}}, {NoFence, []int{2}}, {NoRanges, []int{1, 2}}} {
		plan := Small
		plan.Planted = test.fault
		results, shared := simulate(t, plan, test.regions...)
		if test.fault == NoRanges {
			require.Zero(t, duplicates(results))
			require.Positive(t, shared)
		} else {
			require.Positive(t, duplicates(results), "%v", test.fault)
		}
	}
}

func TestUsage(t *testing.T) {
	u := usage{}
	for _, step := range []struct{ first, last, again int64 }{
		{10, 19, 0}, {30, 39, 0}, {20, 24, 0}, {0, 5, 0}, {24, 30, 2}, {6, 9, 0}, {0, 100, 40}, {50, 50, 1}, {101, 101, 0},
	} {
		require.Equal(t, step.again, u.add(7, span{step.first, step.last}), "%d to %d", step.first, step.last)
	}
	require.Equal(t, spans{{0, 101}}, *u[7])
	require.EqualValues(t, 102, u.ticks())
	require.EqualValues(t, 2, u.join(usage{7: {{100, 110}, {200, 200}}, 8: {{1, 1}}}))
}
