package migrating

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A second row that begins where Leaf's stands gives Leaf's next numbers out again. A misspelt tag begins nothing.
func TestACopyOfLeafsRow(t *testing.T) {
	o := newTable(t, "BIGINT")
	engines.Do(t, o.DB, `CREATE TABLE leaf_alloc (
	biz_tag VARCHAR(128) PRIMARY KEY, max_id BIGINT NOT NULL DEFAULT 1, step INT NOT NULL, description VARCHAR(256),
	update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)`,
		"INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 51, 50), ('orders2', 51, 50)")
	require.NoError(t, o.insert("leaf", 51, 52)) // of the numbers that Leaf takes next
	tables := must(sqlstore.New(o.DB, sqlstore.Config{Logger: quiet}))
	first := func(tag string) (any, error) {
		// The test's server forgets its newest commits in a crash.
		g := must(segment.New(tables.Segments(), tag, segment.Config{LossyStore: true, Logger: quiet}))
		defer g.Close()
		return g.GetUID()
	}
	o.refuses(t, must(first("orders2")))
	_, err := first("order")
	require.ErrorIs(t, err, segment.ErrNoTag)
}
