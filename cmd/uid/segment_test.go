package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// inProcess runs part of a command, with the store's flags as they are by default.
func inProcess(f format, do func(tables) error) outcome {
	var out, stderr bytes.Buffer
	p := &program{stdout: &out, stderr: &stderr, getenv: noEnv, now: func() time.Time { return today }}
	p.begin()
	t := p.newTables()
	t.format, t.store.timeout = f, 10*time.Second
	code := p.end(do(t))
	return outcome{code, out.String(), stderr.String()}
}

// numbered is a store with rows of the tags 0000 to n-1.
func numbered(n int) *segmenttest.Memory {
	m := segmenttest.NewMemory()
	m.Now = func() time.Time { return today }
	for i := range n {
		m.SetRow(segmentstore.Row{Tag: fmt.Sprintf("%04d", i), Next: int64(i), Step: 1})
	}
	return m
}

func TestSegmentGolden(t *testing.T) {
	m := numbered(0)
	for _, row := range []segmentstore.Row{
		{Tag: "invoice", Next: 10001, Step: 1, Description: "invoices since 2026"},
		{Tag: "order/20261122", Next: 1<<63 - 1, Step: segmentstore.MaxStep},
		{Tag: "leaf-segment-test", Next: 1, Step: 2000, Description: "\x1b[2Jrude\ttext\n"},
	} {
		m.SetRow(row)
	}
	untimed := segmenttest.NewMemory()
	untimed.Now = func() time.Time { return time.Time{} }
	untimed.SetRow(segmentstore.Row{Tag: "a", Step: 1})
	ls := func(m *segmenttest.Memory, tags ...string) func(tables) error {
		return func(r tables) error { return (&segmentLs{r}).run(context.Background(), m.Client(), tags) }
	}
	set := func(r tables) error { (&segmentSet{tables: r}).show(m.Row("invoice")); return nil }
	golden(t, "segment_ls", table, ls(m))
	golden(t, "segment_ls_plain", plain, ls(m))
	golden(t, "segment_ls_json", asJSON, ls(m))
	golden(t, "segment_ls_tags", table, ls(m, "nothing", "order/20261122", "invoice", "invoice", "x"))
	golden(t, "segment_ls_nothing", table, ls(segmenttest.NewMemory()))
	golden(t, "segment_ls_untimed", table, ls(untimed))
	golden(t, "segment_ls_untimed_json", asJSON, ls(untimed))
	golden(t, "segment_set", table, set)
	golden(t, "segment_set_json", asJSON, set)
}

// counting counts calls of Rows.
type counting struct {
	segment.Store
	pages, most int
}

func (c *counting) Rows(ctx context.Context, after string, most int) ([]segmentstore.Row, error) {
	c.pages++
	c.most = max(c.most, most)
	return c.Store.Rows(ctx, after, most)
}

func TestSegmentLsInPages(t *testing.T) {
	const all = 3*rowsAtOnce + 1
	for n, pages := range map[int]int{0: 1, 1: 1, rowsAtOnce - 1: 1, rowsAtOnce: 2, rowsAtOnce + 1: 2, all: 4} {
		s := &counting{Store: numbered(n).Client()}
		o := inProcess(plain, func(r tables) error { return (&segmentLs{r}).run(t.Context(), s, nil) })
		require.Zero(t, o.code, o.err)
		require.Equal(t, n, strings.Count(o.out, "\n"))
		for i := range n {
			require.Contains(t, o.out, fmt.Sprintf("%04d\t%d\t1\t", i, i))
		}
		require.Equal(t, pages, s.pages)
		require.Equal(t, rowsAtOnce, s.most)
	}
	s := &counting{Store: numbered(all).Client()}
	o := inProcess(plain, func(r tables) error {
		return (&segmentLs{r}).run(t.Context(), s, []string{"0900", "1499", "0000", "0"})
	})
	require.Equal(t, exitFailure, o.code)
	require.Equal(t, "uid: the store has no such tag: \"0\"\n", o.err)
	lines := strings.Split(o.out, "\n")
	require.Equal(t, []string{"0000", "0900", "1499"}, []string{lines[0][:4], lines[1][:4], lines[2][:4]})
	require.Equal(t, 4, s.pages, "it begins near the tag, and ends there")
}

// A number that somebody has lowered or removed by other means is raised again, and then given out; and a
// generator that has taken numbers which are to come again stops, whoever has taken them since.
func TestSegmentSetAfterALoss(t *testing.T) {
	set := func(m *segmenttest.Memory, c segmentSet) outcome {
		return inProcess(plain, func(r tables) error {
			c.tables = r
			return c.run(t.Context(), m.Client(), "0007")
		})
	}
	for _, lower := range []int64{2, -1} {
		m := numbered(10)
		require.Zero(t, draw(t, m.Client(), drawing{tag: "0007", n: 100}).code)
		floor := m.Row("0007").Next
		require.NoError(t, m.Lower("0007", lower))
		o := draw(t, m.Client(), drawing{tag: "0007", n: 1})
		require.NotZero(t, o.code)
		require.Contains(t, o.err, "uid segment set TAG --create --next NUMBER")

		o = set(m, segmentSet{create: true, next: floor - 1})
		require.Contains(t, o.err,
			fmt.Sprintf("the next number of tag \"0007\" was %d, and %d is below", floor, floor-1))
		require.Contains(t, set(m, segmentSet{create: true, next: 1}).err, "is below")
		if lower > 0 {
			require.Zero(t, set(m, segmentSet{step: 2}).code)
			require.Equal(t, lower, m.Row("0007").Next, "a step accepts nothing")
			require.Equal(t, floor, m.Row("0007").Floor)
		} else {
			require.Contains(t, set(m, segmentSet{create: true}).err, "1 is below")
		}
		require.Zero(t, set(m, segmentSet{create: true, next: floor + 5}).code)
		o = draw(t, m.Client(), drawing{tag: "0007", n: 1})
		require.Equal(t, outcome{exitOK, fmt.Sprintln(floor + 5), ""}, o)
	}

	m := numbered(10)
	g := must(segment.New(m.Client(), "0007", segment.Config{MinStep: 10, MaxStep: 10}))
	_, err := g.GetUID()
	require.NoError(t, err)
	require.Zero(t, set(m, segmentSet{next: 1, lower: true}).code)
	require.Zero(t, draw(t, m.Client(), drawing{tag: "0007", n: 1000}).code)
	_, err = g.Release(t.Context())
	require.ErrorIs(t, err, segment.ErrLost)
}

// A reply that is lost changes nothing of what is told.
func TestSegmentSetTriesAgain(t *testing.T) {
	m := numbered(10)
	s := m.Client()
	s.Fault(segmenttest.Refuse, segmenttest.LoseWrite, segmenttest.LoseReply)
	synctest.Test(t, func(t *testing.T) {
		o := inProcess(table, func(r tables) error {
			return (&segmentSet{tables: r, next: 3, lower: true}).run(t.Context(), s, "0007")
		})
		require.Zero(t, o.code, o.err)
		require.Equal(t, "tag \"0007\": the next number is 3, the step 1\n", o.out)
		require.Contains(t, o.err, "uid: the numbers 3 to 6 of tag \"0007\" can now come twice\n")
	})
}

// draw prints numbers of a store.
func draw(t *testing.T, s segment.Store, d drawing) outcome {
	return inProcess(plain, func(r tables) error {
		d.tables = &r
		if d.step == 0 {
			d.step = maxNumbers
		}
		return d.run(t.Context(), s)
	})
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
		o := draw(t, s, drawing{tag: "0000", n: 3000, step: 1000})
		require.Zero(t, o.code, o.err)
		require.Equal(t, oneToN(3000), o.out)
		require.EqualValues(t, 3001, m.Row("0000").Next)
		require.NotContains(t, o.err, "level=ERROR")

		m.Outage(true)
		o = draw(t, m.Client(), drawing{tag: "0000", n: 3})
		require.Equal(t, exitFailure, o.code)
		require.Empty(t, o.out)
		require.Contains(t, o.err, "\nuid: gave up after 10s: ")
	})
}

// hanging is a store that answers nothing but Inspect.
type hanging struct{ segment.Store }

func (hanging) Change(ctx context.Context, _ string, _ func(*segmentstore.Row) error) error {
	<-ctx.Done()
	return worker.Transient(ctx.Err())
}

func TestDrawingGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := draw(t, hanging{numbered(1).Client()}, drawing{tag: "0000", n: 1})
		require.Equal(t, exitFailure, o.code)
		require.Contains(t, o.err, "uid: gave up after 10s: context deadline exceeded")
	})
}

func TestDrawingRefuses(t *testing.T) {
	m := numbered(1)
	for err, d := range map[string]drawing{
		`the store has no such tag: "x"`:                                           {tag: "x", n: 1},
		`exhausted: the next number of tag "0000" is 3, the last one allowed is 2`: {tag: "0000", n: 3, last: 2},
	} {
		o := draw(t, m.Client(), d)
		require.Equal(t, exitFailure, o.code)
		require.Equal(t, 1, strings.Count(o.err, "\n"), o.err)
		require.Contains(t, o.err, err)
	}
	require.True(t, m.Row("x").Fresh)
	require.EqualValues(t, 3, m.Row("0000").Next, "what could be had")

	m.Lossy = []string{"it forgets", "it is tired"}
	o := draw(t, m.Client(), drawing{tag: "0000", n: 1})
	require.Equal(t, outcome{exitFailure, "",
		"uid: the store can lose numbers that it has given out, and would then give them out again: " +
			"memory: it forgets; it is tired; --lossy-store accepts that\n"}, o)
	require.Equal(t, outcome{exitOK, "3\n", ""}, draw(t, m.Client(), drawing{tag: "0000", n: 1, lossy: true}))
}

// Each day has as many numbers as are asked for, whenever midnight is.
func TestDailyOverMidnight(t *testing.T) {
	m := segmenttest.NewMemory()
	var passed atomic.Int64 // days
	inProcess(plain, func(r tables) error {
		r.now = func() time.Time { return today.AddDate(0, 0, int(passed.Load())) }
		d := drawing{tables: &r, tag: "order", n: 2, step: 10, daily: true}
		numbers := must(d.series(m.Client()))
		for _, day := range []int{20261121, 20261122} {
			got := make([]segment.OrderNumber, 2)
			n, err := numbers.fill(t.Context(), got)
			require.NoError(t, err)
			require.Equal(t, 2, n)
			require.Equal(t, []segment.OrderNumber{{Day: day, N: 1}, {Day: day, N: 2}}, got)
			passed.Add(1)
		}
		return numbers.close(t.Context())
	})
	require.EqualValues(t, 3, m.Row("order/20261121").Next)
	require.EqualValues(t, 3, m.Row("order/20261122").Next)
}

func TestSegmentInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	store := newStore(t)
	ok(t, "segment", "set", "x", "--create", "--store", store)
	o := inProcess(plain, func(r tables) error {
		r.store.place = store
		return r.onSegments(ctx, func(ctx context.Context, s segment.Store) error {
			d := drawing{tables: &r, tag: "x", n: 5, step: maxNumbers}
			return d.run(ctx, s)
		})
	})
	require.Equal(t, outcome{exitInterrupted, "", "uid: interrupted\n"}, o)
}
