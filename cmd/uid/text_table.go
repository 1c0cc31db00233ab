package main

import (
	"cmp"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	tableGap = "  "
	// foldedText is the width below which the texts of a table are not folded.
	foldedText = 24
)

// drawTable returns rows of cells below the titles of their columns. Where that is wider than width,
// titles and then long texts are folded; where it still is, each row becomes a list of titles and values.
func drawTable(columns []column, rows [][]string, width int) string {
	var titles pretty.Row
	var configs []pretty.ColumnConfig
	widths, words := make([]int, len(columns)), make([]int, len(columns)) // of a column, and of its longest word
	total := len(tableGap) * (len(columns) - 1)
	for i, c := range columns {
		for _, row := range rows {
			widths[i], words[i] = max(widths[i], text.LongestLineLen(row[i])), max(words[i], longestWord(row[i]))
		}
		titles = append(titles, c.title)
		total += max(widths[i], text.LongestLineLen(c.title))
	}
	if total > width {
		total = len(tableGap) * (len(columns) - 1)
		for i, c := range columns {
			widths[i] = max(widths[i], longestWord(c.title))
			titles[i] = wrapTo(c.title, widths[i])
			total += widths[i]
		}
	}
	for total > width {
		widest := -1
		for i, c := range columns {
			if !c.numbers && widths[i] > max(foldedText, words[i]) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return drawLists(columns, rows, width)
		}
		less := min(total-width, widths[widest]-max(foldedText, words[widest]))
		widths[widest], total = widths[widest]-less, total-less
	}
	for i, c := range columns {
		align := text.AlignLeft
		if c.numbers {
			align = text.AlignRight
		}
		configs = append(configs, pretty.ColumnConfig{
			Number: i + 1, Align: align, AlignHeader: align, VAlignHeader: text.VAlignBottom,
			WidthMax: max(widths[i], text.LongestLineLen(titles[i].(string))), WidthMaxEnforcer: wrapTo,
		})
	}
	w := plainTable(configs...)
	w.AppendHeader(titles)
	for _, row := range rows {
		var cells pretty.Row
		for _, cell := range row {
			cells = append(cells, cell)
		}
		w.AppendRow(cells)
	}
	return w.Render() + "\n"
}

// drawLists returns each row as a list of titles and values, with a line between two rows.
func drawLists(columns []column, rows [][]string, width int) string {
	names, longest := make([]string, len(columns)), 0
	for i, c := range columns {
		names[i] = cmp.Or(strings.ReplaceAll(c.title, "\n", " "), c.key) + ":"
		longest = max(longest, displayWidth(names[i]))
	}
	w := plainTable(pretty.ColumnConfig{Number: 2, WidthMax: width - longest - len(tableGap), WidthMaxEnforcer: wrapTo})
	for i, row := range rows {
		if i > 0 {
			w.AppendRow(pretty.Row{"", ""})
		}
		for i, cell := range row {
			if cell != "" {
				w.AppendRow(pretty.Row{names[i], cell})
			}
		}
	}
	return w.Render() + "\n"
}

// plainTable returns a table that has a line below its titles, and no others.
func plainTable(columns ...pretty.ColumnConfig) pretty.Writer {
	w := pretty.NewWriter()
	w.SetStyle(pretty.Style{Options: pretty.Options{SeparateColumns: true, SeparateHeader: true}, Box: pretty.BoxStyle{
		MiddleHorizontal: "─", MiddleSeparator: strings.Repeat("─", len(tableGap)), MiddleVertical: tableGap,
	}})
	w.SetColumnConfigs(columns)
	w.SuppressTrailingSpaces()
	return w
}

// wrapTo breaks the lines of a text at spaces; words that are wider than width are broken, too.
func wrapTo(s string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		for part := range strings.SplitSeq(text.WrapSoft(line, width), "\n") {
			lines = append(lines, strings.TrimRight(part, " "))
		}
	}
	return strings.Join(lines, "\n")
}

func longestWord(s string) (longest int) {
	for word := range strings.FieldsSeq(s) {
		longest = max(longest, displayWidth(word))
	}
	return longest
}

// displayWidth returns how many columns of a terminal a text takes.
func displayWidth(s string) int { return text.StringWidthWithoutEscSequences(s) }
