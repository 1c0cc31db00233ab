package main

import (
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/recipes/ent/ent"
	"github.com/uidgen/uid/recipes/ent/ent/order"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/uidtest"
)

func TestMain(m *testing.M) { cluster.Main(m) }

// open opens an empty database with ent's tables.
func open(t *testing.T) *ent.Client {
	t.Helper()
	server := cluster.Shared(t)
	client := ent.NewClient(ent.Driver(entsql.OpenDB(dialect.MySQL, server.Open(t, server.NewDatabase(t)).DB)))
	require.NoError(t, client.Schema.Create(t.Context()))
	return client
}

// Each row that is created without a key, or with a zero one, gets a UID; others keep theirs.
func TestKeys(t *testing.T) {
	ctx, client := t.Context(), open(t)
	uids := uidtest.MustNew(uidtest.Config{Start: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), WorkerID: 1})
	first, err := uids.GetUID()
	require.NoError(t, err)
	client.Use(keys(uids))

	lamp, err := client.Order.Create().SetItem("lamp").Save(ctx)
	require.NoError(t, err)
	require.Equal(t, first+1, lamp.ID)
	require.NoError(t, client.Order.Create().SetItem("chair").SetID(0).Exec(ctx))
	require.NoError(t, client.Order.CreateBulk(
		client.Order.Create().SetItem("table"), client.Order.Create().SetItem("shelf").SetID(7), client.Order.Create().SetItem("bed"),
	).Exec(ctx))
	tx, err := client.Tx(ctx)
	require.NoError(t, err)
	require.NoError(t, tx.Order.Create().SetItem("sofa").Exec(ctx))
	require.NoError(t, tx.Commit())

	ids, err := client.Order.Query().Order(order.ByID()).IDs(ctx)
	require.NoError(t, err)
	require.Equal(t, []uid.UID{7, first + 1, first + 2, first + 3, first + 4, first + 5}, ids)

	// An update draws nothing.
	require.NoError(t, client.Order.UpdateOneID(7).SetItem("desk").Exec(ctx))
	last, err := uids.GetUID()
	require.NoError(t, err)
	require.Equal(t, first+6, last)
}

// Without a UID there is no row.
func TestNoUIDNoRow(t *testing.T) {
	ctx, client := t.Context(), open(t)
	client.Use(keys(uidtest.MustNew(uidtest.Config{Err: uid.ErrNoReservation})))
	require.ErrorIs(t, client.Order.Create().SetItem("lamp").Exec(ctx), uid.ErrNoReservation)
	require.ErrorIs(t, client.Order.CreateBulk(client.Order.Create().SetItem("lamp")).Exec(ctx), uid.ErrNoReservation)
	n, err := client.Order.Query().Count(ctx)
	require.NoError(t, err)
	require.Zero(t, n)
}

// The database makes no key of its own: it refuses rows of programs that lack the hook.
func TestTheDatabaseRefusesZero(t *testing.T) {
	ctx, client := t.Context(), open(t)
	require.ErrorContains(t, client.Order.Create().SetItem("lamp").Exec(ctx), "doesn't have a default value")
	require.ErrorContains(t, client.Order.Create().SetItem("lamp").SetID(0).Exec(ctx), "CONSTRAINT")
}
