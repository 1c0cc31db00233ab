package segment

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// store has the store's flags as they are by default.
var store = places.Store{Timeout: 10 * time.Second}

// numbered is a store with rows of the tags 0000 to n-1.
func numbered(n int) *segmenttest.Memory {
	m := segmenttest.NewMemory()
	m.Now = func() time.Time { return clitest.Today }
	for i := range n {
		m.SetRow(storage.Segment{Tag: fmt.Sprintf("%04d", i), Next: int64(i), Step: 1})
	}
	return m
}

func newList(p *cli.Program, f cli.Format) *ls { return &ls{p: p, store: store, format: f} }

// counting counts calls of Rows.
type counting struct {
	segment.Store
	pages, most int
}

func (c *counting) Rows(ctx context.Context, after string, most int) ([]storage.Segment, error) {
	c.pages++
	c.most = max(c.most, most)
	return c.Store.Rows(ctx, after, most)
}

func TestSegmentLsInPages(t *testing.T) {
	const all = 3*rowsAtOnce + 1
	for n, pages := range map[int]int{0: 1, 1: 1, rowsAtOnce - 1: 1, rowsAtOnce: 2, rowsAtOnce + 1: 2, all: 4} {
		s := &counting{Store: numbered(n).Client()}
		o := clitest.Run(func(p *cli.Program) error { return newList(p, cli.Plain).run(t.Context(), s, nil) })
		require.Zero(t, o.Code, o.Err)
		require.Equal(t, n, strings.Count(o.Out, "\n"))
		for i := range n {
			require.Contains(t, o.Out, fmt.Sprintf("%04d\t%d\t1\t", i, i))
		}
		require.Equal(t, pages, s.pages)
		require.Equal(t, rowsAtOnce, s.most)
	}
	s := &counting{Store: numbered(all).Client()}
	o := clitest.Run(func(p *cli.Program) error {
		return newList(p, cli.Plain).run(t.Context(), s, []string{"0900", "1499", "0000", "0"})
	})
	require.Equal(t, cli.ExitFailure, o.Code)
	require.Equal(t, "uid: the store has no such tag: \"0\"\n", o.Err)
	lines := strings.Split(o.Out, "\n")
	require.Equal(t, []string{"0000", "0900", "1499"}, []string{lines[0][:4], lines[1][:4], lines[2][:4]})
	require.Equal(t, 4, s.pages, "it begins near the tag, and ends there")
}

// A number that somebody has lowered or removed by other means is raised again, and then given out; and a
// generator that has taken numbers which are to come again stops, whoever has taken them since.
func TestSegmentSetAfterALoss(t *testing.T) {
	change := func(m *segmenttest.Memory, c set) clitest.Outcome {
		return clitest.Run(func(p *cli.Program) error {
			c.p, c.store = p, store
			return c.run(t.Context(), m.Client(), "0007")
		})
	}
	for _, lower := range []int64{2, -1} {
		m := numbered(10)
		require.Zero(t, draw(t, m.Client(), Drawing{Tag: "0007", N: 100}).Code)
		floor := m.Row("0007").Next
		require.NoError(t, m.Lower("0007", lower))
		o := draw(t, m.Client(), Drawing{Tag: "0007", N: 1})
		require.NotZero(t, o.Code)
		require.Contains(t, o.Err, "uid segment set TAG --create --next NUMBER")

		o = change(m, set{create: true, next: floor - 1})
		require.Contains(t, o.Err,
			fmt.Sprintf("the next number of tag \"0007\" was %d, and %d is below", floor, floor-1))
		require.Contains(t, change(m, set{create: true, next: 1}).Err, "is below")
		if lower > 0 {
			require.Zero(t, change(m, set{step: 2}).Code)
			require.Equal(t, lower, m.Row("0007").Next, "a step accepts nothing")
			require.Equal(t, floor, m.Row("0007").Floor)
		} else {
			require.Contains(t, change(m, set{create: true}).Err, "1 is below")
		}
		require.Zero(t, change(m, set{create: true, next: floor + 5}).Code)
		o = draw(t, m.Client(), Drawing{Tag: "0007", N: 1})
		require.Equal(t, clitest.Outcome{Out: fmt.Sprintln(floor + 5)}, o)
	}

	m := numbered(10)
	g := clitest.Must(segment.New(m.Client(), "0007", segment.Config{MinStep: 10, MaxStep: 10}))
	_, err := g.GetUID()
	require.NoError(t, err)
	require.Zero(t, change(m, set{next: 1, lower: true}).Code)
	require.Zero(t, draw(t, m.Client(), Drawing{Tag: "0007", N: 1000}).Code)
	_, err = g.Release(t.Context())
	require.ErrorIs(t, err, segment.ErrLost)
}

// A reply that is lost changes nothing of what is told.
func TestSegmentSetTriesAgain(t *testing.T) {
	m := numbered(10)
	s := m.Client()
	s.Fault(segmenttest.Refuse, segmenttest.LoseWrite, segmenttest.LoseReply)
	synctest.Test(t, func(t *testing.T) {
		o := clitest.Run(func(p *cli.Program) error {
			c := set{p: p, store: store, format: cli.Table, next: 3, lower: true}
			return c.run(t.Context(), s, "0007")
		})
		require.Zero(t, o.Code, o.Err)
		require.Equal(t, "tag \"0007\": the next number is 3, the step 1\n", o.Out)
		require.Contains(t, o.Err, "uid: the numbers 3 to 6 of tag \"0007\" can now come twice\n")
	})
}

// draw prints numbers of a store.
func draw(t *testing.T, s segment.Store, d Drawing) clitest.Outcome {
	d.Step = cmp.Or(d.Step, MaxNumbers)
	return clitest.Run(func(p *cli.Program) error { return d.Run(t.Context(), p, &store, s) })
}

// oneToN is what a series that begins with 1 prints.
func oneToN(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintln(&all, i+1)
	}
	return all.String()
}

func TestDrawingTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := numbered(1)
		s := m.Client()
		s.Fault(segmenttest.Refuse, segmenttest.LoseWrite, segmenttest.LoseReply, segmenttest.OK, segmenttest.Refuse,
			segmenttest.LoseReply)
		o := draw(t, s, Drawing{Tag: "0000", N: 3000, Step: 1000})
		require.Zero(t, o.Code, o.Err)
		require.Equal(t, oneToN(3000), o.Out)
		require.EqualValues(t, 3001, m.Row("0000").Next)
		require.NotContains(t, o.Err, "level=ERROR")

		m.Outage(true)
		o = draw(t, m.Client(), Drawing{Tag: "0000", N: 3})
		require.Equal(t, cli.ExitFailure, o.Code)
		require.Empty(t, o.Out)
		require.Contains(t, o.Err, "\nuid: gave up after 10s: ")
	})
}

// hanging is a store that answers nothing but Inspect.
type hanging struct{ segment.Store }

func (hanging) Change(ctx context.Context, _ string, _ func(*storage.Segment) error) error {
	<-ctx.Done()
	return worker.Transient(ctx.Err())
}

func TestDrawingGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := draw(t, hanging{numbered(1).Client()}, Drawing{Tag: "0000", N: 1})
		require.Equal(t, cli.ExitFailure, o.Code)
		require.Contains(t, o.Err, "uid: gave up after 10s: context deadline exceeded")
	})
}

func TestDrawingFromALossyStore(t *testing.T) {
	m := numbered(1)
	m.Lossy = []string{"it forgets", "it is tired"}
	o := draw(t, m.Client(), Drawing{Tag: "0000", N: 1})
	require.Equal(t, clitest.Outcome{Code: cli.ExitFailure,
		Err: "uid: the store can lose numbers that it has given out, and would then give them out again: " +
			"memory: it forgets; it is tired; --lossy-store accepts that\n"}, o)
	require.Equal(t, clitest.Outcome{Out: "1\n"}, draw(t, m.Client(), Drawing{Tag: "0000", N: 1, Lossy: true}))
}

// Each day has as many numbers as are asked for, whenever midnight is.
func TestDailyOverMidnight(t *testing.T) {
	m := segmenttest.NewMemory()
	var passed atomic.Int64 // days
	clitest.Run(func(p *cli.Program) error {
		p.Now = func() time.Time { return clitest.Today.AddDate(0, 0, int(passed.Load())) }
		d := Drawing{Tag: "order", N: 2, Step: 10, Daily: true, p: p, store: &store}
		numbers := clitest.Must(d.series(m.Client()))
		for _, day := range []int{20261121, 20261122} {
			for n := range int64(2) {
				got, err := numbers.next(t.Context())
				require.NoError(t, err)
				require.Equal(t, segment.OrderNumber{Day: day, N: n + 1}, got)
			}
			passed.Add(1)
		}
		return numbers.close(t.Context())
	})
	require.EqualValues(t, 3, m.Row("order/20261121").Next)
	require.EqualValues(t, 3, m.Row("order/20261122").Next)
}
