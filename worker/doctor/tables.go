package doctor

import (
	"context"
	"fmt"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/registry"
	"github.com/uidgen/uid/worker/sqlstore"
)

const (
	whatNodes  = "table of disposable IDs"
	whatLeases = "table of leased IDs"
)

// read finds out which tables exist, and what they hold.
func (c *check) read(ctx context.Context, db *sqlstore.DB) (registry.Overview, error) {
	nodes, found, err := db.Nodes(ctx)
	if err := c.tableThere(whatNodes, c.nodes, found, err); err != nil {
		return registry.Overview{}, err
	}
	c.hasNodes = found
	o, err := registry.Read(ctx, struct{ registry.Store }{db}, 0)
	if err := c.tableThere(whatLeases, c.leases, o.HasLeases, err); err != nil {
		return o, err
	}
	if err != nil {
		o = registry.Overview{Now: o.Now}
	}
	c.hasLease = o.HasLeases
	if found {
		o.Nodes = &nodes
	}
	return o, nil
}

// tableThere adds a finding if a table is missing or cannot be read.
func (c *check) tableThere(what, name string, found bool, err error) error {
	switch {
	case database.KindOf(err) == database.Transient:
		return err
	case err != nil:
		c.unread = true
		c.add(Finding{LevelError, what, "unreadable", fmt.Sprintf("Reading %s failed: %v.", name, err),
			"Compare it with the statement that creates it, in internal/database/schema, and look at the rights of this account."})
	case !found:
		do := "Nothing, if no worker uses it; the first one creates it if its account may."
		if name == c.leases {
			do = "Nothing, if no worker uses it; else uid worker init makes it, if nobody has had an ID from it. A worker without DurableStore does, too, and then leases none for five minutes."
		}
		c.add(Finding{LevelNote, what, "none", "There is no table " + name + ": nobody has had an ID from it yet, or it was renamed or dropped.", do})
	}
	return nil
}

// columns compares the tables that exist with what workers expect of them.
func (c *check) columns(ctx context.Context) error {
	if c.hasNodes {
		if err := c.columnsOf(ctx, whatNodes, c.nodes, database.NodeColumns); err != nil {
			return err
		}
	}
	if c.hasLease {
		return c.columnsOf(ctx, whatLeases, c.leases, database.LeaseColumns)
	}
	return nil
}

func (c *check) columnsOf(ctx context.Context, what, name string, want []database.Column) error {
	shape, err := database.ReadShape(ctx, c.conn, c.dialect, name)
	if err != nil {
		return c.noteUnknown(what, err)
	}
	if len(shape.Columns) == 0 {
		return nil // this account may not see it
	}
	c.add(finding(database.JudgeTable(what, name, c.dialect, shape, want)))
	return nil
}
