package segmenttest

import (
	"math"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/storage"
)

// extremes are rows at the ends of what a row can hold.
func extremes(tag string) []row {
	var short, long []taker
	for i := range int64(storage.MaxTakers) {
		// Their order is that of their takes, and of nothing else.
		letters := string(rune('A'+i*7%26)) + string(rune('a'+i/26))
		short = append(short, taker{Nonce: letters, Last: i*7%32 - 1})
		long = append(long, taker{Nonce: letters + strings.Repeat("9", 30), Last: math.MaxInt64 - i*5%32})
	}
	rows := []row{
		{Next: 0, Step: 1},
		{Next: math.MaxInt64, Step: storage.MaxStep, Description: strings.Repeat("\U0001F984", 256),
			Writes: math.MaxInt64, Floor: math.MaxInt64, Takers: long},
		{Next: 1<<53 + 1, Step: 1<<24 + 1, Description: "  'ä\"\\%_\n\t`–ß\u0301; {}[]<&> ",
			Writes: 1<<53 + 1, Floor: 1<<53 + 1, Takers: short},
		{Next: 1 << 62, Step: 1_000_000, Description: strings.Repeat("ÿ", 256), Writes: 1, Takers: short[:1]},
		{Next: math.MaxInt64 - 1, Step: 7, Description: "null", Takers: []taker{
			{Nonce: "0", Last: -1}, {Nonce: "00", Last: 1<<53 + 1}, {Nonce: "1e5", Last: 0}, {Nonce: "1E5", Last: 0},
		}},
		{Next: 1, Step: 2, Description: "\U0001F984"},
		{Next: 1000, Step: 1, Writes: 2, Floor: 2000},
	}
	for i := range rows {
		rows[i].Tag = tag
	}
	return rows
}

// noRows make none of a row.
func noRows() []edit {
	return []edit{
		func(r *row) { r.Next = -1 },
		func(r *row) { r.Step = 0 },
		func(r *row) { r.Step = storage.MaxStep + 1 },
		func(r *row) { r.Description = strings.Repeat("x", 257) },
		func(r *row) { r.Description = strings.Repeat("\U0001F984", 257) },
		func(r *row) {
			r.Takers = slices.Repeat([]taker{{Nonce: "a", Last: 1}}, storage.MaxTakers+1)
		},
		func(r *row) { r.Writes = -1 },
		func(r *row) { r.Floor = -1 },
		func(r *row) { r.Takers = []taker{{Last: 1}} },
		func(r *row) { r.Takers = []taker{{Nonce: "a:b", Last: 1}} },
		func(r *row) { r.Takers = []taker{{Nonce: strings.Repeat("a", 33), Last: 1}} },
		func(r *row) { r.Takers = []taker{{Nonce: "a", Last: -2}} },
	}
}

// oddTags are tags that a path, a pattern, a number or an encoding may take for something else.
func oddTags() []string {
	var all strings.Builder
	for b := byte(' '); b <= '~'; b++ {
		if storage.CheckTag(string([]byte{'x', b, 'x'})) == nil {
			all.WriteByte(b)
		}
	}
	tags := strings.Fields(`a a+b a%20b a/b a//b a%2Fb a%252Fb a/ /a / // . .. ... ../a a/.. a/. a.b a0b
		? * a* a? % %% a% _ a_ __ : :: a:b a: - -- -a ' '' " $ $1 () # a#b & <a> ; = , ! +
		0 00 1 01 -1 1.0 1e5 null true rows max_id`)
	for _, b := range "y/%." {
		tags = append(tags, strings.Repeat(string(b), 128))
	}
	return append(tags, "a b", "a  b", "x"+all.String()+"x", strings.Repeat("y", 127))
}
