package doctor

import (
	"context"
	"fmt"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
)

const (
	whatNodes  = "disposable IDs"
	whatLeases = "leased IDs"
)

// read reads what the store holds. A part that is missing or cannot be read becomes a finding. It
// fails when the store cannot be asked.
func (c *check) read(ctx context.Context, store registry.Store) (registry.Overview, error) {
	var nodes *registry.NodeInfo
	if s, ok := store.(registry.NodeStore); ok {
		n, found, err := s.Nodes(ctx)
		if retry.IsTransient(err) {
			return registry.Overview{}, err
		}
		if c.there(whatNodes, found, err) {
			nodes = &n
		}
	}
	o, err := registry.Read(ctx, struct{ registry.Store }{store}, 0)
	if retry.IsTransient(err) || err != nil && o.Now.IsZero() {
		return o, err
	}
	if !c.there(whatLeases, o.HasLeases, err) {
		o = registry.Overview{Now: o.Now}
	}
	o.Nodes = nodes
	return o, nil
}

// there reports whether a part of the store was read; else it adds a finding.
func (c *check) there(what string, found bool, err error) bool {
	switch {
	case err != nil:
		c.unread = true
		c.add(Finding{LevelError, what, "unreadable", fmt.Sprintf("Reading them failed: %v.", err),
			"Look at the rights of this account, and whether what is there is as the store's documentation says."})
	case !found:
		do := "Nothing, if no worker uses them; the first one makes the place if its account may."
		if what == whatLeases {
			do = "Nothing, if no worker uses them; else uid worker init makes the place, if nobody has had an ID " +
				"from it. The first start makes it, too, and then begins two minutes ahead of the clock."
		}
		c.add(Finding{LevelNote, what, "none", "The store has no place for them (a table, say): nobody has had one " +
			"from it yet, or the place was renamed or dropped.", do})
	}
	return found && err == nil
}
