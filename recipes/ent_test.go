package recipes_test

import (
	"testing"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/orm/uident"
	"github.com/uidgen/uid/recipes/ent/ent"
	"github.com/uidgen/uid/recipes/ent/ent/order"
	"github.com/uidgen/uid/uidtest"
)

// openEnt opens an empty database with ent's tables.
func (d database) openEnt(t *testing.T) *ent.Client {
	t.Helper()
	client := ent.NewClient(ent.Driver(entsql.OpenDB(d.name, d.open(t))))
	require.NoError(t, client.Schema.Create(t.Context()))
	require.NoError(t, client.Schema.Create(t.Context()), "at a second start all is there")
	return client
}

// Each row that is created without a key, or with a zero one, gets a UID; others keep theirs.
func TestEntKeys(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		ctx, client, uids := t.Context(), d.openEnt(t), known()
		first := must(uids.GetUID())
		client.Use(uident.Hook(uids))

		lamp := must(client.Order.Create().SetItem("lamp").Save(ctx))
		require.Equal(t, first+1, lamp.ID)
		require.NoError(t, client.Order.Create().SetItem("chair").SetID(0).Exec(ctx))
		many, err := client.Order.CreateBulk(
			client.Order.Create().SetItem("table"),
			client.Order.Create().SetItem("shelf").SetID(7),
			client.Order.Create().SetItem("bed"),
		).Save(ctx)
		require.NoError(t, err)
		require.Equal(t, []uid.UID{first + 3, 7, first + 4}, []uid.UID{many[0].ID, many[1].ID, many[2].ID})
		tx := must(client.Tx(ctx))
		require.NoError(t, tx.Order.Create().SetItem("sofa").Exec(ctx))
		require.NoError(t, tx.Commit())

		ids := must(client.Order.Query().Order(order.ByID()).IDs(ctx))
		require.Equal(t, []uid.UID{7, first + 1, first + 2, first + 3, first + 4, first + 5}, ids)

		// An update draws nothing.
		require.NoError(t, client.Order.Update().Where(order.ID(7)).SetItem("desk").Exec(ctx))
		require.Equal(t, first+6, must(uids.GetUID()))
	})
}

// Rows refer to each other by UIDs, also rows that were created together.
func TestEntEdges(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		ctx, client := t.Context(), d.openEnt(t)
		client.Use(uident.Hook(known()))
		client.Parcel.Create().ExecX(ctx)
		parcels := client.Parcel.CreateBulk(client.Parcel.Create(), client.Parcel.Create()).SaveX(ctx)
		client.Order.CreateBulk(
			client.Order.Create().SetItem("lamp").AddParcels(parcels[1]),
			client.Order.Create().SetItem("chair").AddParcels(parcels[0]),
		).ExecX(ctx)
		chair := client.Order.Query().Where(order.IDGT(parcels[1].ID + 1)).WithParcels().OnlyX(ctx)
		require.Equal(t, "chair", chair.Item)
		require.Equal(t, []uid.UID{parcels[0].ID}, []uid.UID{chair.Edges.Parcels[0].ID})
		require.Equal(t, chair.ID, parcels[0].QueryOrder().OnlyIDX(ctx))
	})
}

// Without a UID there is no row.
func TestNoUIDNoRowOfEnt(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		ctx, client := t.Context(), d.openEnt(t)
		client.Use(uident.Hook(uidtest.MustNew(uidtest.Config{Err: uid.ErrNoReservation})))
		lamp := client.Order.Create().SetItem("lamp")
		require.ErrorIs(t, lamp.Exec(ctx), uid.ErrNoReservation)
		require.ErrorIs(t, client.Order.CreateBulk(lamp).Exec(ctx), uid.ErrNoReservation)
		require.Zero(t, must(client.Order.Query().Count(ctx)))
	})
}

// The mixin has the database make no key of its own: it refuses rows of programs that lack the hook.
func TestTheDatabaseRefusesEntsZero(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		ctx, client := t.Context(), d.openEnt(t)
		require.Regexp(t, refusal, client.Order.Create().SetItem("lamp").Exec(ctx))
		require.Regexp(t, refusal, client.Order.Create().SetItem("lamp").SetID(0).Exec(ctx))
	})
}
