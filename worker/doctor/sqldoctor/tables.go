package sqldoctor

import (
	"context"

	"github.com/uidgen/uid/internal/database"
)

// tables compares the tables that exist with what workers expect of them.
func (e *exam) tables(ctx context.Context) error {
	var err error
	if e.hasNodes, err = e.columnsOf(ctx, "table of disposable IDs", e.nodes, database.NodeColumns); err != nil {
		return err
	}
	e.hasLease, err = e.columnsOf(ctx, "table of leased IDs", e.leases, database.LeaseColumns)
	return err
}

// columnsOf reports whether there is such a table that this account may see.
func (e *exam) columnsOf(ctx context.Context, what, name string, want []database.Column) (there bool, err error) {
	shape, err := database.ReadShape(ctx, e.conn, e.dialect, name)
	if err != nil {
		return false, e.noteUnknown(what, err)
	}
	if len(shape.Columns) == 0 {
		return false, nil
	}
	e.add(judged(database.JudgeTable(what, name, e.dialect, shape, want)))
	return true, nil
}
