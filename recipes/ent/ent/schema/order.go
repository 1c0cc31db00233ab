// Package schema describes the tables to ent.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"

	"github.com/uidgen/uid"
)

// Key is the key of all tables: a UID, which the hook in keys.go sets. Incremental keeps ent from
// giving the column an AUTO_INCREMENT, and the check has the database refuse a 0.
type Key struct{ mixin.Schema }

// Fields implements ent.Mixin.
func (Key) Fields() []ent.Field {
	incremental := false
	return []ent.Field{
		field.Int64("id").GoType(uid.UID(0)).Immutable().Annotations(entsql.Annotation{Incremental: &incremental}),
	}
}

// Annotations implements ent.Mixin.
func (Key) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Check: "id > 0"}}
}

// An Order is a row of the table orders.
type Order struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Order) Mixin() []ent.Mixin { return []ent.Mixin{Key{}} }

// Fields implements ent.Interface.
func (Order) Fields() []ent.Field { return []ent.Field{field.String("item")} }
