package measure

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/subject"
)

// A served is a counted subject on a server that counts three round trips for each number, but only
// half of what is left at a time.
type served struct {
	counted
	opened, trips int64
	broken        error // of the server
}

func (s *served) subject() subject.Subject {
	return subject.Subject{
		Name: "served", Engine: subject.MariaDB,
		Open: func() (subject.Source, error) { s.opened++; return s, nil },
		Trips: func() (int64, error) {
			s.trips += (3*s.drawn.Load() - s.trips + 1) / 2
			return s.trips, s.broken
		},
	}
}

func (s *served) Drawer() subject.Drawer { return s }
func (s *served) Step() int64            { return 10 + s.drawn.Load() }

// TestPacedCountsAll: every number but the first of a source is counted, and every round trip for
// them, those that the server counts late, too. The source stays open from round to round.
func TestPacedCountsAll(t *testing.T) {
	s := &served{}
	cell := pacedCell(Profile{Rounds: 3, PacedFor: time.Millisecond}, s.subject(), 1e5)
	numbers := 0.0
	for round := range 3 {
		require.EqualValues(t, 0, s.closed.Load())
		var out bytes.Buffer
		require.NoError(t, cell.Run(NewRecorder(benchfmt.NewWriter(&out), nil)))
		in := benchfmt.NewReader(&out, "out")
		require.True(t, in.Scan())
		r, ok := in.Result().(*benchfmt.Result)
		require.True(t, ok, in.Result())
		require.Regexp(t, "^Paced/subject=served/rate=100000-", string(r.Name))
		values := make(map[string]float64)
		for _, unit := range []string{"IDs", "IDs/s", TripsUnit, StepUnit} {
			values[unit], ok = r.Value(unit)
			require.True(t, ok, unit)
		}
		require.EqualValues(t, r.Iters, values["IDs"], round)
		require.Equal(t, 3*values["IDs"], values[TripsUnit], round)
		numbers += values["IDs"]
		require.Equal(t, 10+1+numbers, values[StepUnit], round)
		last := round == 2
		require.Equal(t, last, in.Scan(), "the calls of all rounds follow the last")
		if last {
			r, ok := in.Result().(*benchfmt.Result)
			require.True(t, ok, in.Result())
			require.Regexp(t, "^PacedMerged/subject=served/rate=100000-", string(r.Name))
			require.EqualValues(t, numbers, r.Iters)
			require.False(t, in.Scan())
		}
	}
	require.Positive(t, numbers)
	require.EqualValues(t, s.drawn.Load(), 1+numbers)
	require.EqualValues(t, 1, s.opened)
	require.EqualValues(t, 1, s.closed.Load())
}

// TestPacedHoldsThePace: no more is drawn than has become due, however late a goroutine runs.
func TestPacedHoldsThePace(t *testing.T) {
	const each = 20 // of a goroutine
	s := &served{}
	p, err := openPaced(s.subject())
	require.NoError(t, err)
	h, _, err := p.draw(1e4*pacedGoroutines, each*time.Second/1e4)
	require.NoError(t, err)
	require.LessOrEqual(t, h.TotalCount(), int64(each*pacedGoroutines))
	require.Positive(t, h.TotalCount())
	require.Equal(t, s.drawn.Load()-1, h.TotalCount())
}

// TestPacedSubjects: those that need a server and make an ID a call, and nothing at all.
func TestPacedSubjects(t *testing.T) {
	p := Smoke()
	all := append(subject.Local(), subject.Served(nil, nil)...)
	var names []string
	for _, s := range all {
		if len(paced(p, []subject.Subject{s})) == 2*len(p.Paces) {
			names = append(names, s.Name)
		}
	}
	require.ElementsMatch(t, []string{"segment-mysql", "segment-redis", "mysql-hilo", "mysql-auto-increment", "redis-incr"}, names)
	require.Len(t, paced(p, all), len(p.Paces)*(len(names)+1))
	require.Contains(t, p.Paces, 0.0, "as fast as it goes")
}

func TestPacedFailures(t *testing.T) {
	for what, s := range map[string]*served{
		"first draw": {counted: counted{fails: 1}},
		"a draw":     {counted: counted{fails: 1000}},
		"the server": {broken: errCounted},
	} {
		if what == "first draw" {
			s.drawn.Store(1)
		}
		cell := pacedCell(Profile{Rounds: 9, PacedFor: time.Second}, s.subject(), 0)
		err := cell.Run(NewRecorder(benchfmt.NewWriter(&bytes.Buffer{}), nil))
		require.ErrorIs(t, err, errCounted, what)
		require.ErrorContains(t, err, "served at full/s", what)
		require.EqualValues(t, 1, s.closed.Load(), what)
	}
	unopened := subject.Subject{Name: "unopened", Open: func() (subject.Source, error) { return nil, errCounted }}
	require.ErrorIs(t, pacedCell(Smoke(), unopened, 0).Run(NewRecorder(benchfmt.NewWriter(&bytes.Buffer{}), nil)), errCounted)
}
