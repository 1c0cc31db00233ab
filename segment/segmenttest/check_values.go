package segmenttest

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/uidgen/uid/segment"
)

var valueChecks = []check{
	{Name: "rows keep their values", Contract: "rows are read back as they were written: numbers up to MaxInt64, descriptions of 256 characters, MaxTakers takers in their order", Run: rowsKeepValues},
	{Name: "tags are apart", Contract: "a row for each tag that CheckTag allows", Run: tagsApart},
	{Name: "letters of tags", Contract: "a store may take tags that differ only in the case of letters for the same one", Run: lettersOfTags},
	{Name: "name and settings", Contract: "Name is for people; Inspect changes nothing, and what is missing so far is no error", Run: nameAndSettings},
}

// extremes are rows at the ends of what a row can hold.
func extremes(tag string) []segment.Row {
	var short, long []segment.Taker
	for i := range int64(segment.MaxTakers) {
		// Their order is that of their takes, and of nothing else.
		letters := string(rune('A'+i*7%26)) + string(rune('a'+i/26))
		short = append(short, segment.Taker{Nonce: letters, Last: i*7%32 - 1})
		long = append(long, segment.Taker{Nonce: letters + strings.Repeat("9", 30), Last: math.MaxInt64 - i*5%32})
	}
	rows := []segment.Row{
		{Next: 0, Step: 1},
		{Next: math.MaxInt64, Step: segment.MaxStep, Description: strings.Repeat("\U0001F984", 256),
			Writes: math.MaxInt64, Floor: math.MaxInt64, Takers: long},
		{Next: 1<<53 + 1, Step: 1<<24 + 1, Description: "  'ä\"\\%_\n\t`–ß\u0301; {}[]<&> ",
			Writes: 1<<53 + 1, Floor: 1<<53 + 1, Takers: short},
		{Next: 1 << 62, Step: 1_000_000, Description: strings.Repeat("ÿ", 256), Writes: 1, Takers: short[:1]},
		{Next: math.MaxInt64 - 1, Step: 7, Description: "null", Takers: []segment.Taker{{Nonce: "0", Last: -1}, {Nonce: "00", Last: 1<<53 + 1}, {Nonce: "1e5", Last: 0}, {Nonce: "1E5", Last: 0}}},
		{Next: 1, Step: 2, Description: "\U0001F984"},
		{Next: 1000, Step: 1, Writes: 2, Floor: 2000},
	}
	for i := range rows {
		rows[i].Tag = tag
	}
	return rows
}

func rowsKeepValues(p *probe) {
	c, other := p.open(), p.open()
	for i, want := range extremes("orders") {
		c.set(want)
		if d := other.differs(want); d != "" {
			p.Errorf("row %d was written and read with other values: %s", i, d)
		}
		rows := other.rows("", 10, func(rows []segment.Row) bool { return len(rows) == 1 && diff(rows[0], want) == "" })
		if len(rows) != 1 {
			p.Errorf("one row was written, and Rows returned %d", len(rows))
		} else if d := diff(rows[0], want); d != "" {
			p.Errorf("row %d was written and read by Rows with other values: %s", i, d)
		}
	}
	// Each as a new row, and over each other one.
	for i, old := range extremes("each") {
		fresh := old
		fresh.Tag = "new " + string(rune('a'+i))
		c.set(fresh)
		if d := other.differs(fresh); d != "" {
			p.Errorf("row %d was created and read with other values: %s", i, d)
		}
		for j, want := range extremes("each") {
			c.set(old)
			other.set(want)
			if d := c.differs(want); d != "" {
				p.Errorf("row %d was written over row %d and read with other values: %s", j, i, d)
			}
		}
	}
}

// oddTags are tags that a path, a pattern, a number or an encoding may take for something else.
func oddTags() []string {
	var all strings.Builder
	for b := byte(' '); b <= '~'; b++ {
		if segment.CheckTag(string([]byte{'x', b, 'x'})) == nil {
			all.WriteByte(b)
		}
	}
	return []string{
		"a", "a b", "a  b", "a+b", "a%20b", "a/b", "a//b", "a%2Fb", "a%252Fb", "a/", "/a", "/", "//", ".", "..", "...", "../a", "a/..", "a/.", "a.b", "a0b",
		"?", "*", "a*", "a?", "%", "%%", "a%", "_", "a_", "__", ":", "::", "a:b", "a:", "-", "--", "-a", "'", "''", "\"", "$", "$1", "()", "#", "a#b", "&", "<a>", ";", "=", ",", "!", "+",
		"0", "00", "1", "01", "-1", "1.0", "1e5", "null", "true", "rows", "max_id", "x" + all.String() + "x",
		strings.Repeat("y", 128), strings.Repeat("y", 127), strings.Repeat("/", 128), strings.Repeat("%", 128), strings.Repeat(".", 128),
	}
}

func tagsApart(p *probe) {
	c, tags := p.open(), oddTags()
	for i, tag := range tags {
		if row := c.read(tag); !row.Fresh {
			p.Errorf("tag %q is new, and was read as %+v", tag, row)
		}
		c.set(segment.Row{Tag: tag, Next: int64(i), Step: 1, Takers: []segment.Taker{{Nonce: "a", Last: int64(i)}}})
	}
	other := p.open()
	for i, tag := range tags {
		if d := other.differs(segment.Row{Tag: tag, Next: int64(i), Step: 1, Takers: []segment.Taker{{Nonce: "a", Last: int64(i)}}}); d != "" {
			p.Errorf("tag %q was written and read with other values: %s", tag, d)
		}
	}
	slices.Sort(tags)
	if got := c.tags(tags); !slices.Equal(got, tags) {
		p.Errorf("Rows returned tags %q, written were %q", got, tags)
	}
}

func lettersOfTags(p *probe) {
	c, other := p.open(), p.open()
	c.set(segment.Row{Tag: "Orders", Next: 5, Step: 1})
	row := other.read("orders")
	want := []string{"Orders"}
	switch {
	case row.Fresh:
		other.set(segment.Row{Tag: "orders", Next: 7, Step: 1})
		want = append(want, "orders")
		if upper, lower := c.read("Orders"), c.read("orders"); upper.Next != 5 || lower.Next != 7 {
			p.Errorf("tags \"Orders\" and \"orders\" are two, were written with next numbers 5 and 7, and are %+v and %+v", upper, lower)
		}
	case row.Next == 5:
		other.change("orders", func(r *segment.Row) { r.Next = 7 })
		if upper, lower := c.read("Orders"), c.read("orders"); upper.Next != 7 || lower.Next != 7 {
			p.Errorf("tags \"Orders\" and \"orders\" are one, were written with the next number 7, and are %+v and %+v", upper, lower)
		}
	default:
		p.Errorf("tag \"Orders\" was written with the next number 5, and \"orders\" is %+v", row)
	}
	if got := c.tags(want); !slices.Equal(got, want) {
		p.Errorf("Rows returned tags %q, written were %q", got, want)
	}
}

func nameAndSettings(p *probe) {
	c, other := p.open(), p.open()
	name := c.Name()
	if name == "" {
		p.Errorf("Name() is empty")
	}
	inspect := func(when string) {
		for _, s := range []*client{c, other} {
			if _, err := s.Inspect(p.Ctx); err != nil {
				p.Errorf("Inspect of a store that %s: %v", when, err)
			}
		}
	}
	inspect("has nothing yet")
	if row := c.read("orders"); !row.Fresh {
		p.Errorf("in a store that only Inspect has seen a row is offered as %+v", row)
	}
	want := extremes("orders")[2]
	c.set(want)
	inspect("is used")
	if d := c.differs(want); d != "" {
		p.Errorf("Inspect changes a row: %s", d)
	}
	if got := c.tags([]string{"orders"}); !slices.Equal(got, []string{"orders"}) {
		p.Errorf("after Inspect the store has tags %q, wanted is the one that was written", got)
	}
	if c.Name() != name || other.Name() != name || p.open().Name() != name {
		p.Errorf("Name() was %q; now it is %q, that of another client %q, and of a new one %q", name, c.Name(), other.Name(), p.open().Name())
	}
	ctx, cancel := context.WithCancel(p.Ctx)
	cancel()
	_, _ = c.Inspect(ctx) // only for its error, which must not hold the secret
}
