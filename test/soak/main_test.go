package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
)

func TestMain(m *testing.M) {
	layout = newLayout(narrow)
	harness.Ordered(job.do)
	cluster.Main(m)
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// newTestWorld has a place on a file.
func newTestWorld(t *testing.T, slots []slot) *world {
	w := must(newWorld())
	t.Cleanup(w.close)
	require.NoError(t, w.start(embedded, engines.SQLite, false))
	w.places[embedded].byHand = true
	require.NoError(t, w.renew(slots))
	return w
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
	s := settings{out: t.Output()}
	require.NoError(t, s.selfTest(t.Context(), some))
}

// TestRound is a short round without servers.
func TestRound(t *testing.T) {
	t.Parallel()
	var slots []slot
	for _, s := range soakSlots {
		if s.Place == "" || s.Place == embedded {
			slots = append(slots, s)
		}
	}
	const length = 8 * time.Second
	w := newTestWorld(t, slots)
	plan := newSchedule(1, 0, length, slots, w.places)
	for i := range plan {
		plan[i].Edit = changeHolder // of which there is always a row
	}
	r := must(newRound(length, plan, w, slots, 1e6))
	defer r.memory.Close()
	require.NoError(t, r.run(t.Context(), 0))
	var res result
	require.NoError(t, r.judge(&res))
	require.Empty(t, res.Violations)
	require.NoError(t, res.err())
	require.NotZero(t, res.UIDs)
	require.NotZero(t, res.LeasesChecked)
	require.NotZero(t, res.RowsVanished)
	require.Greater(t, res.Processes, len(slots))
	for _, f := range []fault{kill, pause, restart, setClock, rename, vanish, edit} {
		require.NotZero(t, res.Faults[f], "%v", f)
	}
	// Whoever has drawn beyond what was reserved is found in the database, as is a fault that did not happen.
	db := must(w.places[embedded].sql("embedded"))
	defer db.Close()
	_, err := db.Exec("UPDATE " + leaseTable + " SET HIGH = 0, ACQUIRED = 9e15")
	require.NoError(t, err)
	r.injected[kill].Store(0)
	require.NoError(t, r.judge(&res))
	require.Contains(t, res.Violations[0], "of the kind kill only 0 happened")
	require.Contains(t, res.Violations[1], "was drawn, and the lease")
}

// TestEngine is what --on plays, without servers.
func TestEngine(t *testing.T) {
	t.Parallel()
	s := settings{length: 6 * time.Second, seed: 1, out: t.Output(), draw: []string{"leases", "numbers"}}
	var got tables
	require.NoError(t, s.engine(t.Context(), engines.SQLite, &got))
	require.Equal(t, 1, got.leases.Len())
	require.Equal(t, 1, got.numbers.Len())
}

func TestFit(t *testing.T) {
	for _, s := range []settings{
		{length: -time.Second}, {}, {length: time.Minute, atLeast: -1}, {length: time.Minute, atLeast: 1e15},
	} {
		require.Error(t, s.fit(time.Minute), "%+v", s)
	}
	s := settings{length: time.Minute}
	require.NoError(t, s.fit(time.Minute))
	require.Positive(t, s.rate)
	require.LessOrEqual(t, s.rate, float64(defaultRate))
}
