package main

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/test/record"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(processEnv); text != "" {
		os.Exit(childMain(text))
	}
	if os.Getenv(idleEnv) != "" {
		process.AwaitQuit(exitOrphan)
		os.Exit(exitDone)
	}
	cluster.Main(m)
}

// idleEnv makes the test binary a process that does nothing.
const idleEnv = "UID_SOAK_IDLE"

// idle starts a process that does nothing until the test ends.
func idle(t *testing.T) *process.Process {
	p, err := process.Start(process.Config{Env: []string{idleEnv + "=1"}})
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	return p
}

func newTestMemory(t testing.TB) *memory {
	g, err := record.NewGeometry(soakLayout, time.Now().Add(-margin), time.Now().Add(margin))
	require.NoError(t, err)
	m, err := newMemory(g)
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return m
}

// TestSelfTest finds planted faults, with processes of this test binary: every third. A soak
// begins with all of them.
func TestSelfTest(t *testing.T) {
	t.Parallel()
	var some []trial
	for i, trial := range trials() {
		if i%3 == 0 {
			some = append(some, trial)
		}
	}
	findings, err := selfTest(testWriter{t}, some)
	require.NoError(t, err)
	require.Len(t, findings, len(some))
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
	const length = 6 * time.Second
	g, err := record.NewGeometry(soakLayout, time.Now().Add(-margin), time.Now().Add(2*length+closeLimit+margin))
	require.NoError(t, err)
	m, err := newMemory(g)
	require.NoError(t, err)
	defer m.Close()
	st := &stores{path: t.TempDir() + "/workers.db"}
	require.NoError(t, st.foundAll(slots))
	r := round{length: length, schedule: newSchedule(1, 0, length, slots), stores: st, fleet: newFleet(m, st, slots, 1e6)}
	require.False(t, slices.ContainsFunc(r.schedule, func(e event) bool { return e.Fault > setClock && e.queue() != embedded }), "servers are not needed")
	res, err := r.run(t.Context(), 0, nil)
	require.NoError(t, err)
	require.Empty(t, res.Violations)
	require.Empty(t, res.Found)
	require.NotZero(t, res.UIDs)
	require.NotZero(t, res.LeasesChecked)
	require.NotZero(t, res.RowsVanished)
	require.Greater(t, res.Processes, len(slots))
	for f, n := range r.schedule.planned() {
		require.EqualValues(t, n, res.Faults[fault(f).String()], "%v", fault(f))
	}
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
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

func TestCount(t *testing.T) {
	require.Equal(t, "0", count(0))
	require.Equal(t, "999", count(999))
	require.Equal(t, "1,000", count(1000))
	require.Equal(t, "5,000,000,001", count(5000000001))
}
