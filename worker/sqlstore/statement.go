package sqlstore

import (
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/database"
)

// A piece is a part of a statement, with the arguments of its placeholders in their order. Statements are put together
// of pieces, so that no argument can be apart from its placeholder.
type piece struct {
	text string
	args []any
}

// sqlOf is a piece of a text and its arguments.
func sqlOf(text string, args ...any) piece { return piece{text, args} }

// concat puts pieces together.
func concat(pieces ...piece) (all piece) {
	var text strings.Builder
	for _, p := range pieces {
		text.WriteString(p.text)
		all.args = append(all.args, p.args...)
	}
	all.text = text.String()
	return all
}

// listed is one placeholder for each value, between commas.
func listed(values ...any) piece {
	return piece{"?" + strings.Repeat(", ?", len(values)-1), values}
}

// here is the condition that a statement runs where something was read, and that nothing was lost since.
func (t *tables) here(table string, read *database.Origin) piece {
	text, args := read.Here(t.dialect, table)
	return piece{text, args}
}

// assign sets columns to values. of is the table's alias and a dot, or empty.
func assign(of string, columns []string, values []any) piece {
	return piece{of + strings.Join(columns, " = ?, "+of) + " = ?", values}
}

// equal is the condition that columns have values.
func equal(of string, columns []string, values []any) piece {
	return piece{of + strings.Join(columns, " = ? AND "+of) + " = ?", values}
}

func without[V any](list []V, i int) []V { return slices.Delete(slices.Clone(list), i, i+1) }
