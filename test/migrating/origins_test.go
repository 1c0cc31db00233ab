package migrating

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A sonyflake of version 2, whose time begins in 2025, is ten years older to who reads it as one of version 1.
func TestSonyflakesOfBothVersions(t *testing.T) {
	const id = 99934493955050238
	for format, year := range map[string]int{"sonyflake2": 2026, "sonyflake": 2016} {
		require.Equal(t, year, must(must(foreign.ParseFormat(format)).Parse(id)).Time.Year(), format)
	}
}

// A view gives columns of other names those of UidGenerator's table. It is refused: nothing shows its counter and
// history.
func TestViewOfNodes(t *testing.T) {
	o := newTable(t, "BIGINT")
	withNodes(t, o, 1000)
	engines.Do(t, o.DB, "RENAME TABLE WORKER_NODE TO sys_node",
		"ALTER TABLE sys_node CHANGE CREATED create_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP",
		`CREATE VIEW WORKER_NODE AS SELECT ID, HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, create_time AS CREATED
			FROM sys_node`)
	_, err := disposed(o).Acquire(t.Context(), bits.Default().Terms())
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "table WORKER_NODE: a view")
}

// A fork of Leaf adds up to random_step to each number. Here the column changes nothing: numbers are dense.
func TestRandomStepOfLeaf(t *testing.T) {
	o := newTable(t, "BIGINT")
	engines.Do(t, o.DB, `CREATE TABLE leaf_alloc (biz_tag VARCHAR(128) NOT NULL DEFAULT '' PRIMARY KEY,
		max_id BIGINT UNSIGNED NOT NULL DEFAULT 1, step INT NOT NULL,
		update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
		description VARCHAR(256) DEFAULT NULL, random_step INT UNSIGNED NOT NULL DEFAULT 1) ENGINE = InnoDB`,
		"INSERT INTO leaf_alloc (biz_tag, max_id, step, random_step) VALUES ('auth', 112000, 100, 10)")
	g := must(segment.New(must(sqlstore.New(o.DB, sqlstore.Config{Logger: quiet})).Segments(), "auth",
		segment.Config{LossyStore: true, Logger: quiet}))
	defer g.Close()
	for n := range 50 {
		require.EqualValues(t, 112000+n, must(g.GetUID()))
	}
}
