package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is known of the tables that people see: they fit.
func TestKnownTablesFit(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	tables := 0
	for _, file := range files {
		if filepath.Base(file) == "mutants.txt" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		out, _, found := strings.Cut(string(text), "--- standard error\n")
		require.True(t, found)
		if strings.Contains(out, "───") || strings.Contains(file, "help") {
			tables++
			require.LessOrEqual(t, longest(out), usualWidth, file)
		}
	}
	require.GreaterOrEqual(t, tables, 30)
}

func numbersAndTexts(titles ...string) (all []column) {
	for _, title := range titles {
		all = append(all, column{key: title, title: title, numbers: strings.HasPrefix(title, "n")})
	}
	return all
}

func TestTextTable(t *testing.T) {
	wide := textTable{numbersAndTexts("name", "n of it", "why it is so", "end"), [][]string{
		{"a", "1", "because of a long text with spaces", "x"},
		{"b", "22,222", "short", "y\nz"},
	}}
	require.Equal(t, `
name  n of it  why it is so                        end
──────────────────────────────────────────────────────
   a        1  because of a long text with spaces  x
   b   22,222  short                               y
                                                   z
`, "\n"+wide.render(54))
	require.Equal(t, `
        n of
name      it  why it is so                        end
─────────────────────────────────────────────────────
   a       1  because of a long text with spaces  x
   b  22,222  short                               y
                                                  z
`, "\n"+wide.render(53))
	require.Equal(t, `
        n of
name      it  why it is so                 end
──────────────────────────────────────────────
   a       1  because of a long text with  x
              spaces
   b  22,222  short                        y
                                           z
`, "\n"+wide.render(46))
	require.Equal(t, `
        n of
name      it
────────────
   a       1
   b  22,222

name  why it is so
───────────────────────
   a  because of a long
      text with spaces
   b  short

name  end
─────────
   a  x
   b  y
      z
`, "\n"+wide.render(24))
}

// The first columns that tell the rows apart stand beside each part.
func TestKeysOfTables(t *testing.T) {
	rows := func(cells ...string) (all [][]string) {
		for _, c := range cells {
			all = append(all, strings.Split(c, " "))
		}
		return all
	}
	for _, c := range []struct {
		rows [][]string
		want int
	}{
		{rows("a x 1", "b x 2"), 1},
		{rows("a x 1", "a y 1"), 2},
		{rows("a x 1", "a x 2"), 1},              // all three would
		{rows("a x 1", "a "+"yyyyyyyy"+" 1"), 1}, // too wide
		{rows("a x 1"), 1},
	} {
		require.Equal(t, c.want, textTable{numbersAndTexts("k", "l", "m"), c.rows}.keys(8), "%v", c.rows)
	}
}

// What cannot be folded at a space is broken elsewhere.
func TestLongWordsInTables(t *testing.T) {
	path := "/" + strings.Repeat("folder/", 9) + "file"
	require.Equal(t, `
file
────────────────────────────────────
/folder/folder/folder/folder/folder/
folder/folder/folder/folder/file
`, "\n"+textTable{numbersAndTexts("file"), [][]string{{path}}}.render(40))
	require.Equal(t, `
file              n
───────────────────
/folder/folder/  12
folder/folder/
folder/folder/
folder/folder/
folder/file
`, "\n"+textTable{numbersAndTexts("file", "n"), [][]string{{path, "12"}}}.render(40))
}

// Any table fits whose words and numbers do; none loses a word.
func TestTablesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := textTable{}
		for i := range rapid.IntRange(1, 8).Draw(t, "columns") {
			title := rapid.SampledFrom([]string{"", "a", "two words", "two\nlines"}).Draw(t, "title")
			table.columns = append(table.columns, column{title: title, numbers: i > 0 && rapid.Bool().Draw(t, "numbers")})
		}
		words := map[string]bool{}
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			var row []string
			for _, c := range table.columns {
				cell := rapid.StringMatching(`[0-9]{1,12}`).Draw(t, "number")
				if !c.numbers {
					cell = strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,12}`), 0, 9).Draw(t, "words"), " ")
				}
				row = append(row, cell)
				for word := range strings.FieldsSeq(cell) {
					words[word] = true
				}
			}
			table.rows = append(table.rows, row)
		}
		width := rapid.IntRange(leastWidth, 200).Draw(t, "width")
		out := table.render(width)
		require.LessOrEqual(t, longest(out), width, out)
		for word := range words {
			require.Contains(t, out, word)
		}
		for line := range strings.Lines(out) {
			require.Equal(t, strings.TrimRight(line, " \n")+"\n", line)
		}
	})
}
