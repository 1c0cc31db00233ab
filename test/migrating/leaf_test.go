package migrating

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/faulty"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A second row that begins where Leaf's stands gives Leaf's next numbers out again. A misspelt tag begins nothing.
func TestACopyOfLeafsRow(t *testing.T) {
	o := newTable(t, "BIGINT")
	kit.Do(t, o.DB, faulty.LeafTable, "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 51, 50), ('orders2', 51, 50)")
	require.NoError(t, o.insert("leaf", 51, 52)) // of the numbers that Leaf takes next
	tables, err := sqlstore.New(o.DB, sqlstore.Config{Logger: quiet})
	require.NoError(t, err)
	first := func(tag string) (any, error) {
		// The test's server forgets its newest commits in a crash.
		g, err := segment.New(segment.Source{Store: tables.Segments(), Tag: tag}, segment.Config{LossyStore: true, Logger: quiet})
		require.NoError(t, err)
		defer g.Close()
		return g.GetUID()
	}
	id, err := first("orders2")
	require.NoError(t, err)
	o.refuses(t, id)
	_, err = first("order")
	require.ErrorIs(t, err, segment.ErrNoTag)
}
