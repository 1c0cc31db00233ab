package report

import (
	"slices"
	"sync"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A Table collects rows, which any number of goroutines add at once.
type Table struct {
	Header table.Row
	// Right are the numbers, from 1 on, of columns to align at the right, as numbers are.
	Right []int

	mu   sync.Mutex
	rows []row
}

type row struct {
	rank  int
	cells table.Row
}

// Add adds a row, which comes before those of a higher rank.
func (t *Table) Add(rank int, cells ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, row{rank, cells})
}

// Len returns how many rows there are.
func (t *Table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

// String is the table for a terminal, and Markdown that for a document.
func (t *Table) String() string   { return t.writer().Render() }
func (t *Table) Markdown() string { return t.writer().RenderMarkdown() }

func (t *Table) writer() table.Writer {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := table.NewWriter()
	w.SetStyle(table.StyleLight)
	w.Style().Format.Header = text.FormatDefault
	w.Style().Options = table.OptionsNoBordersAndSeparators
	var columns []table.ColumnConfig
	for _, n := range t.Right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight})
	}
	w.SetColumnConfigs(columns)
	if len(t.Header) > 0 {
		w.AppendHeader(t.Header)
	}
	slices.SortStableFunc(t.rows, func(a, b row) int { return a.rank - b.rank })
	for _, r := range t.rows {
		w.AppendRow(r.cells)
	}
	return w
}
