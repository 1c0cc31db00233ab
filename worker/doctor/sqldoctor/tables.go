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
	if e.hasLease, err = e.columnsOf(ctx, "table of leased IDs", e.leases, database.LeaseColumns); err != nil {
		return err
	}
	if _, err = e.columnsOf(ctx, "table of segments", e.segments, database.SegmentColumns); err != nil {
		return err
	}
	_, err = e.columnsOf(ctx, "table of segments' takers", e.segments+database.TakersSuffix, database.TakerColumns)
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
	v := database.JudgeTable(what, name, e.dialect, shape, want)
	if kept := database.JudgeKept(what, name, shape); kept.Severity > v.Severity {
		if v = kept; name == e.leases && !e.Never {
			v.Severity = database.Warn // the namespace is made anew, and rests
		}
	}
	e.add(judged(v))
	return true, nil
}
