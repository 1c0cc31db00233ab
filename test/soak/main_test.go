package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
)

func TestMain(m *testing.M) {
	harness.Ordered(job.do)
	cluster.Main(m)
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func newTestMemory(t testing.TB) *memory {
	g := must(harness.NewGeometry(soakLayout, time.Now().Add(-margin), time.Now().Add(margin)))
	m := must(openMemory(g, nil))
	t.Cleanup(m.Close)
	return m
}

// TestSelfTest finds planted faults, with processes of this test binary: every third. A soak
// begins with all of them.
func TestSelfTest(t *testing.T) {
	t.Parallel()
	var some []trial
	for i, trial := range trials() {
		if i%3 == 2 {
			some = append(some, trial)
		}
	}
	require.Len(t, must(selfTest(t.Output(), some)), len(some))
}

// TestRound is a short round without servers.
func TestRound(t *testing.T) {
	t.Parallel()
	var slots []slot
	for _, s := range soakSlots {
		if s.Store == "" || s.Store == embedded {
			slots = append(slots, s)
		}
	}
	const length = 8 * time.Second
	st := &stores{path: t.TempDir() + "/workers.db"}
	require.NoError(t, st.foundAll(slots))
	plan := newSchedule(1, 0, length, slots)
	for i := range plan {
		plan[i].Edit = changeHolder // of which there is always a row
	}
	r := must(newRound(length, plan, st, slots, 1e6))
	defer r.memory.Close()
	require.NoError(t, r.run(t.Context(), 0))
	res := result{Faults: map[string]int64{}, Found: map[string]uint64{}}
	require.NoError(t, r.judge(&res))
	require.Empty(t, res.Violations)
	require.Empty(t, res.Found)
	require.NotZero(t, res.UIDs)
	require.NotZero(t, res.LeasesChecked)
	require.NotZero(t, res.RowsVanished)
	require.Greater(t, res.Processes, len(slots))
	for _, f := range []fault{kill, pause, restart, setClock, rename, vanish, edit} {
		require.NotZero(t, res.Faults[f.String()], "%v", f)
	}
	// Whoever has drawn beyond what was reserved is found in the database, as is a fault that did not happen.
	table, _ := slots[0].leases()
	db := must(st.open(embedded))
	defer db.Close()
	_, err := db.Exec("UPDATE " + table.Name + " SET HIGH = 0, ACQUIRED = 9e18")
	require.NoError(t, err)
	r.injected[kill].Store(0)
	require.NoError(t, r.judge(&res))
	require.Contains(t, res.Violations[0], "of the kind kill only 0 happened")
	require.Contains(t, res.Violations[1], "was drawn, and the lease")
}

func TestFit(t *testing.T) {
	for _, s := range []settings{
		{length: -time.Second}, {}, {length: time.Minute, rate: -1}, {length: time.Minute, atLeast: -1},
		{length: time.Minute, rate: 1e15}, {length: time.Minute, rate: 1e6, atLeast: 1e9},
	} {
		require.Error(t, s.fit(time.Minute), "%+v", s)
	}
	s := settings{length: time.Minute}
	require.NoError(t, s.fit(time.Minute))
	require.Positive(t, s.rate)
	require.LessOrEqual(t, s.rate, float64(defaultRate))
}
