package cli

import (
	"cmp"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// foldedText is the width below which the texts of a table are not folded.
const foldedText = 24

// drawTable returns rows of cells below the titles of their columns. Where that is wider than width, long texts
// are folded; where it still is, each row becomes a list of titles and values.
func drawTable(columns []Column, rows [][]string, width int) string {
	most := 0 // columns of a text
	for i, c := range columns {
		for _, row := range rows {
			if !c.numbers {
				most = max(most, text.LongestLineLen(row[i]), text.LongestLineLen(c.title))
			}
		}
	}
	for {
		out := renderTable(columns, rows, most)
		over := text.LongestLineLen(out) - width
		switch {
		case over <= 0:
			return out
		case most <= foldedText:
			return drawLists(columns, rows, width)
		}
		most = max(foldedText, most-over)
	}
}

func renderTable(columns []Column, rows [][]string, most int) string {
	var titles pretty.Row
	var configs []pretty.ColumnConfig
	for i, c := range columns {
		titles = append(titles, c.title)
		config := pretty.ColumnConfig{Number: i + 1, VAlignHeader: text.VAlignBottom}
		if c.numbers {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		} else {
			config.WidthMax, config.WidthMaxEnforcer = most, fold
		}
		configs = append(configs, config)
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
func drawLists(columns []Column, rows [][]string, width int) string {
	w, longest := plainTable(), 0
	for i, row := range rows {
		if i > 0 {
			w.AppendRow(pretty.Row{"", ""})
		}
		for i, cell := range row {
			if cell != "" {
				name := cmp.Or(strings.ReplaceAll(columns[i].title, "\n", " "), columns[i].key) + ":"
				longest = max(longest, len(name))
				w.AppendRow(pretty.Row{name, cell})
			}
		}
	}
	w.SetColumnConfigs([]pretty.ColumnConfig{{Number: 2, WidthMax: width - longest - 2, WidthMaxEnforcer: fold}})
	return w.Render() + "\n"
}

// fold breaks the lines of a text at spaces.
func fold(s string, width int) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = text.WrapSoft(line, width)
	}
	return strings.Join(lines, "\n")
}

// plainTable returns a table that has a line below its titles, and no others.
func plainTable(columns ...pretty.ColumnConfig) pretty.Writer {
	w := pretty.NewWriter()
	w.SetStyle(pretty.Style{Options: pretty.Options{SeparateColumns: true, SeparateHeader: true},
		Box: pretty.BoxStyle{MiddleHorizontal: "─", MiddleSeparator: "──", MiddleVertical: "  "}})
	w.SetColumnConfigs(columns)
	w.SuppressTrailingSpaces()
	return w
}
