package cli

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		0:                               "0s",
		time.Microsecond:                "0s",
		1500 * time.Millisecond:         "1.5s",
		10 * time.Second:                "10s",
		time.Minute:                     "1m",
		10 * time.Minute:                "10m",
		10*time.Minute + time.Second:    "10m1s",
		20*time.Minute + 10*time.Second: "20m10s",
		time.Hour:                       "1h",
		10*time.Hour + 20*time.Minute:   "10h20m",
		time.Hour + 10*time.Second:      "1h0m10s",
		47*time.Hour + 30*time.Minute:   "47h30m",
		2 * day:                         "2.0 days",
		700 * day:                       "700.0 days",
		3 * 8766 * time.Hour:            "3.0 years",
		math.MaxInt64:                   "292.3 years",
	} {
		require.Equal(t, want, Words(d))
	}
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 999: "999", 1000: "1,000", 65536: "65,536", 4194304: "4,194,304", 1e15: "1,000,000,000,000,000",
		0.5: "0.5", 136.5333: "137", 33.333: "33.3", 1e30: "1e+30",
	} {
		require.Equal(t, want, Number(n).Text)
	}
}

func TestErrorsAreOneLine(t *testing.T) {
	var stderr bytes.Buffer
	p := &Program{Stderr: &stderr}
	require.Equal(t, ExitFailure, p.report(errors.Join(errors.New("one"), errors.New("two\r\n"))))
	require.Equal(t, "uid: one; two\n", stderr.String())
}

// longest is how many columns of a terminal a text takes.
func longest(s string) int { return text.LongestLineLen(s) }

func TestTextTable(t *testing.T) {
	columns := []Column{Numbers("a", "name"), Numbers("b", "n\nof it"), Text("c", "why it is so"), Text("d", "end")}
	rows := [][]string{
		{"a", "1", "because of a long text with spaces", "x"},
		{"b", "22,222", "short", "y\nz"},
	}
	require.Equal(t, `
           n
name   of it  why it is so                        end
─────────────────────────────────────────────────────
   a       1  because of a long text with spaces  x
   b  22,222  short                               y
                                                  z
`, "\n"+drawTable(columns, rows, 53))
	require.Equal(t, `
           n
name   of it  why it is so                 end
──────────────────────────────────────────────
   a       1  because of a long text with  x
              spaces
   b  22,222  short                        y
                                           z
`, "\n"+drawTable(columns, rows, 46))
	require.Equal(t, `
name:          a
n of it:       1
why it is so:  because of
               a long
               text with
               spaces
end:           x

name:          b
n of it:       22,222
why it is so:  short
end:           y
               z
`, "\n"+drawTable(columns, rows, 25))
}

// Any table fits whose words and numbers do; none loses a word.
func TestTablesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var columns []Column
		var rows [][]string
		for i := range rapid.IntRange(1, 8).Draw(t, "columns") {
			title := rapid.SampledFrom([]string{"", "a", "two words", "two\nlines"}).Draw(t, "title")
			columns = append(columns, Column{title: title, numbers: i > 0 && rapid.Bool().Draw(t, "numbers")})
		}
		words := map[string]bool{}
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			var row []string
			for _, c := range columns {
				cell := rapid.StringMatching(`[0-9]{1,12}`).Draw(t, "number")
				if !c.numbers {
					cell = strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,12}`), 0, 9).Draw(t, "words"), " ")
				}
				row = append(row, cell)
				for word := range strings.FieldsSeq(cell) {
					words[word] = true
				}
			}
			rows = append(rows, row)
		}
		width := rapid.IntRange(leastWidth, 200).Draw(t, "width")
		out := drawTable(columns, rows, width)
		require.LessOrEqual(t, longest(out), width, out)
		for word := range words {
			require.Contains(t, out, word)
		}
		for line := range strings.Lines(out) {
			require.Equal(t, strings.TrimRight(line, " \n")+"\n", line)
		}
	})
}

func TestWidth(t *testing.T) {
	for columns, want := range map[string]int{"": 80, "80": 80, "132": 132, "40": 40, "39": 40, "1": 40, "0": 80,
		"-5": 80, "wide": 80, " 90": 80} {
		p := &Program{Getenv: func(string) string { return columns }}
		require.Equal(t, want, p.width(), columns)
	}
}
