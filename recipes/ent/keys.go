package main

import (
	"context"

	"entgo.io/ent"

	"github.com/uidgen/uid"
)

// keyed is the mutation of any table whose key is a UID.
type keyed interface {
	ID() (uid.UID, bool)
	SetID(uid.UID)
}

// keys returns a hook that gives each row that is created without a key, or with a zero one, a UID.
// When there is none the create fails. Bulk creates call it for each row.
func keys(uids uid.Generator) ent.Hook {
	return func(next ent.Mutator) ent.Mutator {
		return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
			if row, ok := m.(keyed); ok && m.Op().Is(ent.OpCreate) {
				if id, set := row.ID(); !set || id == 0 {
					u, err := uids.GetUIDContext(ctx)
					if err != nil {
						return nil, err
					}
					row.SetID(u)
				}
			}
			return next.Mutate(ctx, m)
		})
	}
}
