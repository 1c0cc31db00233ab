// Package uident keys the rows of ent's tables with UIDs: a mixin for the schema, and a hook for the
// client.
//
//	func (Order) Mixin() []ent.Mixin { return []ent.Mixin{uident.Mixin()} }
//
//	client.Use(uident.Hook(uids))
package uident

import (
	"context"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"

	"github.com/uidgen/uid"
)

// Mixin makes the key of a table a UID, in a BIGINT that databases do not number by themselves (an INTEGER
// PRIMARY KEY of SQLite they do). A check of the table refuses the 0 of a program that lacks the hook.
func Mixin() ent.Mixin { return key{} }

type key struct{ mixin.Schema }

// Fields implements ent.Mixin. The field is no Int64: of numbers ent believes that the database has made them. On MySQL
// a bulk create would return the keys 0, 1, 2 instead of those that it has written, on others an error.
func (key) Fields() []ent.Field {
	bigint := map[string]string{dialect.MySQL: "bigint", dialect.Postgres: "bigint", dialect.SQLite: "bigint"}
	return []ent.Field{field.Other("id", uid.UID(0)).SchemaType(bigint).Immutable()}
}

// Annotations implements ent.Mixin.
func (key) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Check: "id > 0"}}
}

// keyed is the mutation of any table whose key is a UID.
type keyed interface {
	ID() (uid.UID, bool)
	SetID(uid.UID)
}

// Hook returns a hook that gives each row that is created without a key, or with a zero one, a UID.
// When there is none the create fails.
func Hook(uids uid.Generator) ent.Hook {
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
