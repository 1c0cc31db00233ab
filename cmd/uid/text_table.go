package main

import (
	"slices"
	"strings"
)

// A textTable is a table for people. It is as wide as it has to be, but no wider than its output
// where that can be helped: titles are folded, then long texts, and what still does not fit goes
// below, beside the columns that tell the rows apart.
type textTable struct {
	columns []column
	rows    [][]string // a cell can have several lines
}

const (
	tableGap = "  "
	// foldedText is the width below which texts are not folded while there is another way.
	foldedText = 24
)

// render returns the table's lines, of at most width columns if that can be.
func (t textTable) render(width int) string {
	var b strings.Builder
	for i, part := range t.fit(width) {
		if i > 0 {
			b.WriteByte('\n')
		}
		part.draw(&b)
	}
	return b.String()
}

// fit returns tables that hold what t holds and fit the width.
func (t textTable) fit(width int) (parts []textTable) {
	if t.width() <= width {
		return []textTable{t}
	}
	t = t.foldTitles()
	folded := t.foldTexts(width)
	if folded.width() <= width {
		return []textTable{folded}
	}
	if len(t.columns) == 1 {
		return []textTable{t.force(width)}
	}
	keys := t.keys(width / 2)
	if keys == 1 && t.cells(0) > width/2 && !t.columns[0].numbers {
		t = t.foldColumn(0, width/2, true)
		folded = t.foldTexts(width)
	}
	widths := folded.widths()
	for next := keys; next < len(t.columns); {
		which := indexes(0, keys)
		taken := folded.pick(which).width()
		for first := next; next < len(t.columns) && (next == first || taken+len(tableGap)+widths[next] <= width); next++ {
			taken += len(tableGap) + widths[next]
			which = append(which, next)
		}
		part := t.pick(which)
		if folded := part.foldTexts(width); folded.width() <= width {
			part = folded
		} else {
			part = part.force(width)
		}
		parts = append(parts, part)
	}
	return parts
}

// indexes returns first to end-1.
func indexes(first, end int) (all []int) {
	for i := first; i < end; i++ {
		all = append(all, i)
	}
	return all
}

// pick returns a table with some of the columns.
func (t textTable) pick(which []int) textTable {
	picked := textTable{rows: make([][]string, len(t.rows))}
	for _, i := range which {
		picked.columns = append(picked.columns, t.columns[i])
		for r, row := range t.rows {
			picked.rows[r] = append(picked.rows[r], row[i])
		}
	}
	return picked
}

// keys returns how many columns it takes to tell the rows apart, the first ones: one if they
// would take more than width, or cannot do it.
func (t textTable) keys(width int) int {
	for n := 1; n < len(t.columns) && t.pick(indexes(0, n)).width() <= width; n++ {
		seen := map[string]bool{}
		for _, row := range t.rows {
			seen[strings.Join(row[:n], "\x00")] = true
		}
		if len(seen) == len(t.rows) {
			return n
		}
	}
	return 1
}

// foldTitles folds titles that are wider than what is below them.
func (t textTable) foldTitles() textTable {
	t.columns = slices.Clone(t.columns)
	for i, c := range t.columns {
		t.columns[i].title = strings.Join(fold(c.title, t.cells(i), false), "\n")
	}
	return t
}

// foldTexts folds the widest texts until the table fits, or none is left that is wide.
func (t textTable) foldTexts(width int) textTable {
	for excess := t.width() - width; excess > 0; excess = t.width() - width {
		widest := -1
		for i := range t.columns {
			if w := t.cells(i); w > foldedText && t.foldable(i, foldedText) && (widest < 0 || w > t.cells(widest)) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		t = t.foldColumn(widest, max(foldedText, t.cells(widest)-excess), false)
	}
	return t
}

// foldable reports whether a column can be made as narrow as width at its spaces.
func (t textTable) foldable(i, width int) bool {
	if t.columns[i].numbers {
		return false
	}
	for _, row := range t.rows {
		for _, word := range strings.Fields(row[i]) {
			if displayWidth(word) > width {
				return false
			}
		}
	}
	return true
}

// force breaks the words of the last column, if it holds texts, when the table is still too wide;
// of the others, if that is not enough.
func (t textTable) force(width int) textTable {
	for i := len(t.columns) - 1; i >= 0; i-- {
		if excess := t.width() - width; excess > 0 && !t.columns[i].numbers {
			t = t.foldColumn(i, max(8, t.cells(i)-excess), true)
		}
	}
	return t
}

// foldColumn returns a table whose column i is folded to width.
func (t textTable) foldColumn(i, width int, hard bool) textTable {
	rows := make([][]string, len(t.rows))
	for r, row := range t.rows {
		rows[r] = slices.Clone(row)
		var lines []string
		for line := range strings.SplitSeq(row[i], "\n") {
			lines = append(lines, fold(line, width, hard)...)
		}
		rows[r][i] = strings.Join(lines, "\n")
	}
	t.rows = rows
	return t
}

// cells returns the width of a column's cells.
func (t textTable) cells(i int) (w int) {
	for _, row := range t.rows {
		w = max(w, widest(row[i]))
	}
	return w
}

func widest(s string) (w int) {
	for line := range strings.SplitSeq(s, "\n") {
		w = max(w, displayWidth(line))
	}
	return w
}

// widths returns the width of each column.
func (t textTable) widths() (all []int) {
	for i, c := range t.columns {
		all = append(all, max(widest(c.title), t.cells(i)))
	}
	return all
}

func (t textTable) width() int {
	total := len(tableGap) * (len(t.columns) - 1)
	for _, w := range t.widths() {
		total += w
	}
	return total
}

// draw writes the table as it is. Titles stand above a line, their last lines side by side.
func (t textTable) draw(b *strings.Builder) {
	widths := t.widths()
	titles, height := make([]string, len(t.columns)), 0
	for _, c := range t.columns {
		height = max(height, 1+strings.Count(c.title, "\n"))
	}
	for i, c := range t.columns {
		titles[i] = strings.Repeat("\n", height-1-strings.Count(c.title, "\n")) + c.title
	}
	t.drawRow(b, widths, titles)
	b.WriteString(strings.Repeat("─", t.width()) + "\n")
	for _, row := range t.rows {
		t.drawRow(b, widths, row)
	}
}

func (t textTable) drawRow(b *strings.Builder, widths []int, row []string) {
	cells, height := make([][]string, len(row)), 0
	for i, cell := range row {
		cells[i] = strings.Split(cell, "\n")
		height = max(height, len(cells[i]))
	}
	for n := range height {
		var line strings.Builder
		for i, lines := range cells {
			cell := ""
			if n < len(lines) {
				cell = lines[n]
			}
			pad := strings.Repeat(" ", widths[i]-displayWidth(cell))
			if t.columns[i].numbers {
				cell = pad + cell
			} else {
				cell += pad
			}
			if i > 0 {
				line.WriteString(tableGap)
			}
			line.WriteString(cell)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
