package databases_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A program with a sql.DB need not know of sqlx: the dialect follows from the driver.
func TestPlainDatabase(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		tables, err := sqlstore.New(s.Open(t).DB, sqlstore.Config{})
		require.NoError(t, err)
		require.EqualValues(t, s.Driver, tables.Dialect())

		store, err := tables.Leases("orders")
		require.NoError(t, err)
		require.NoError(t, lease.Found(t.Context(), store, lease.Founding{Layout: milliseconds}))
		leased, err := lease.New(store, lease.Config{MaxClockSkew: time.Millisecond})
		require.NoError(t, err)
		once, err := disposable.New(tables.Numbers(), disposable.Config{})
		require.NoError(t, err)
		g, err := cached.New(leased, cached.Config{Layout: milliseconds})
		require.NoError(t, err)
		_, err = g.GetUID()
		require.NoError(t, err)
		require.NoError(t, g.Close())
		g, err = cached.New(once, cached.Config{})
		require.NoError(t, err)
		_, err = g.GetUID()
		require.NoError(t, err)
		require.NoError(t, g.Close())

		numbers, err := segment.New(segment.Source{Store: tables.Segments(), Tag: "invoices"}, segment.Config{Create: true, LossyStore: true})
		require.NoError(t, err)
		n, err := numbers.GetUID()
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
		require.NoError(t, numbers.Close())
	})
}
