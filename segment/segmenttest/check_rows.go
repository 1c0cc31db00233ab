package segmenttest

import (
	"fmt"
	"slices"

	"github.com/uidgen/uid/segment"
)

var rowsChecks = []check{
	{Name: "rows in pages", Contract: "the rows of up to most tags, in the order of the tags' bytes, from the first one after the tag after; fewer than most are the last ones", Run: rowsInPages},
}

// tags returns those of all rows, once they are the ones wanted or time is up.
func (c *client) tags(wanted []string) []string {
	return tagsOf(c.rows("", 10_000, func(rows []segment.Row) bool { return slices.Equal(tagsOf(rows), wanted) }))
}

func tagsOf(rows []segment.Row) (tags []string) {
	for _, r := range rows {
		tags = append(tags, r.Tag)
	}
	return tags
}

func rowsInPages(p *probe) {
	c := p.open()
	if got := c.tags(nil); len(got) > 0 {
		p.Errorf("nothing was written, and Rows returned tags %q", got)
	}
	const n, writers = 300, 6
	var all []string
	for i := range n {
		// Not the order of letters without case, of lengths, of numbers, or of what is encoded.
		all = append(all, fmt.Sprintf([]string{"a%d", "B%d", "a/%d", "A.%d", "a %d/x", "_%d", "b%d", "%d"}[i%8], i*i))
	}
	row := func(i int) segment.Row {
		return segment.Row{Tag: all[i], Next: int64(i), Step: int64(i + 1), Description: all[i], Takers: []segment.Taker{{Nonce: "a", Last: int64(i)}}}
	}
	p.Each(writers, func(w int) {
		s := p.open()
		for i := w; i < n; i += writers {
			s.set(row(i))
		}
	})
	rows := map[string]segment.Row{}
	for i := range all {
		rows[all[i]] = row(i)
	}
	slices.Sort(all)
	if got := c.tags(all); !slices.Equal(got, all) {
		p.Fatalf("Rows returned tags %q, written were %q", got, all)
	}
	for _, most := range []int{1, 7, n - 1, n, n + 1} {
		after, got := "", 0
		for {
			want := all[got:min(got+most, n)]
			page := c.rows(after, most, func(rows []segment.Row) bool { return slices.Equal(tagsOf(rows), want) })
			if !slices.Equal(tagsOf(page), want) {
				p.Fatalf("up to %d rows after tag %q are of tags %q, wanted are %q", most, after, tagsOf(page), want)
			}
			for _, r := range page {
				if d := diff(r, rows[r.Tag]); d != "" {
					p.Errorf("up to %d rows after tag %q are %+v; %s", most, after, r, d)
				}
			}
			if got += len(page); len(page) < most {
				break
			}
			after = page[len(page)-1].Tag
		}
	}
	// After tags that have no row.
	for i := 0; i < n; i += 7 {
		for _, after := range []string{all[i] + "!", all[i][:len(all[i])-1], all[i] + "0"} {
			if segment.CheckTag(after) != nil {
				continue
			}
			from, found := slices.BinarySearch(all, after)
			if found {
				from++
			}
			want := all[from:min(from+3, n)]
			got := tagsOf(c.rows(after, 3, func(rows []segment.Row) bool { return slices.Equal(tagsOf(rows), want) }))
			if !slices.Equal(got, want) {
				p.Fatalf("up to 3 rows after %q are of tags %q, wanted are %q", after, got, want)
			}
		}
	}
}
