package segmenttest

import (
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/segment"
)

var drawChecks = []check{
	{Name: "many draw at once", Contract: "nobody else can change the row before the outcome is stored: no number is given out twice, and none is left out; a Store may be called by any number of goroutines", Run: manyDraw},
	{Name: "foreign draws", Contract: "programs that know nothing of Takers leave them as they are; no number is given out to them and to others", Run: foreignDraws},
	{Name: "draws that fail", Contract: "the row tells what became of a write whose outcome was open; an error that may pass is marked", Run: drawsFail},
}

func manyDraw(p *probe) {
	draw{tag: "orders", first: 1}.run(p)
	draw{tag: "large", first: 1<<53 + 1}.run(p)
	draw{tag: "shared", first: 1, shared: true}.run(p)
}

func foreignDraws(p *probe) {
	if p.Foreign == nil {
		p.Notef("not tried: the Subject has no Foreign")
		return
	}
	c, other := p.open(), p.open()
	row := extremes("orders")[2]
	c.set(row)
	for _, n := range []int64{1, 1000, 1 << 53} {
		want := row
		got := p.foreign(row.Tag, n)
		if row.Next += n; got.First != want.Next {
			p.Errorf("the next number was %d, and a foreign draw got numbers from %d", want.Next, got.First)
		}
		for _, s := range []*client{c, other} {
			if d := s.differs(row); d != "" {
				p.Errorf("%d numbers were drawn by others, and the row has changed in other ways: %s", n, d)
			}
		}
		rows := c.rows("", 1, func(rows []segment.Row) bool { return len(rows) == 1 && rows[0].Next == row.Next })
		if len(rows) != 1 || diff(rows[0], row) != "" {
			p.Errorf("%d numbers were drawn by others, and Rows returned %+v, wanted is %+v", n, rows, row)
		}
	}
	foreignMeets(p)
	draw{tag: "many", first: 1, foreign: true}.run(p)
	draw{tag: "large", first: 1<<53 + 1, foreign: true}.run(p)
}

// foreignMeets lets others draw while a decision runs. With a store that locks they wait.
func foreignMeets(p *probe) {
	c := p.open()
	for range 3 {
		row := c.old("meets")
		drawn := make(chan segment.Range, 1)
		var all sync.WaitGroup
		var once sync.Once
		var got segment.Range
		err := c.Change(p.Ctx, row.Tag, func(r *segment.Row) error {
			once.Do(func() {
				begun := make(chan struct{})
				all.Go(func() {
					defer close(begun)
					p.Guarded(func() { drawn <- p.foreign(row.Tag, 10) })
				})
				timer := time.NewTimer(p.Patience)
				defer timer.Stop()
				select {
				case <-begun:
				case <-timer.C:
				}
			})
			got = take(r, "late", 5)
			return nil
		})
		all.Wait()
		if err != nil && !passes(err) {
			p.Errorf("a Change came to %v while others drew", err)
		}
		if err != nil || len(drawn) == 0 {
			continue
		}
		draw{tag: row.Tag, first: row.Next}.dense(p, []segment.Range{got, <-drawn})
		if takers := append(slices.Clone(row.Takers), segment.Taker{Nonce: "late", Last: got.Last}); !slices.Equal(c.read(row.Tag).Takers, takers) {
			p.Errorf("others drew while a decision ran, and Takers are %+v, wanted are %+v", c.read(row.Tag).Takers, takers)
		}
	}
}

func drawsFail(p *probe) {
	if p.Fault == nil {
		p.Notef("not tried: the Subject has no Fault")
		return
	}
	draw{tag: "orders", first: 1, faults: true}.run(p)
	draw{tag: "large", first: 1<<53 + 1, faults: true}.run(p)
	if p.Foreign != nil {
		draw{tag: "foreign", first: 1, faults: true, foreign: true}.run(p)
	}
}
