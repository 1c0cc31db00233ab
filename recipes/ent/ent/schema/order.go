// Package schema describes the tables to ent.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"

	"github.com/uidgen/uid/orm/uident"
)

// An Order is a row of the table orders, and has parcels.
type Order struct{ ent.Schema }

// Mixin implements ent.Interface. The table's key is a UID.
func (Order) Mixin() []ent.Mixin { return []ent.Mixin{uident.Mixin()} }

// Fields implements ent.Interface.
func (Order) Fields() []ent.Field { return []ent.Field{field.String("item")} }

// Edges implements ent.Interface.
func (Order) Edges() []ent.Edge { return []ent.Edge{edge.To("parcels", Parcel.Type)} }

// A Parcel is a row of the table parcels, and belongs to an order.
type Parcel struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Parcel) Mixin() []ent.Mixin { return []ent.Mixin{uident.Mixin()} }

// Edges implements ent.Interface.
func (Parcel) Edges() []ent.Edge {
	return []ent.Edge{edge.From("order", Order.Type).Ref("parcels").Unique()}
}
