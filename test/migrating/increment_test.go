package migrating

import (
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
)

// insertKeyless inserts a row as old writers do, which leave the key to the table.
func (o table) insertKeyless(writer string) (id int64, err error) {
	r, err := o.Exec("INSERT INTO orders (writer) VALUES (?)", writer)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// InnoDB's counter goes on behind the largest key, whoever has made that: behind a new process's UID, which is that
// process's next one.
func TestAutoIncrementBesideUIDs(t *testing.T) {
	orders := newTable(t, "BIGINT AUTO_INCREMENT")
	_, err := orders.insertKeyless("old")
	require.NoError(t, err)
	g := newCached(t, worker.Static(1, t.Name()), bits.Default(), 0)
	first := must(g.GetUID())
	require.NoError(t, orders.insert("new", first))
	took, err := orders.insertKeyless("old")
	require.NoError(t, err)
	require.EqualValues(t, first+1, took)
	var refused *mysql.MySQLError
	require.ErrorAs(t, orders.insert("new", must(g.GetUID())), &refused)
	require.EqualValues(t, 1062, refused.Number)
}

// A counter of its own and a trigger, made before the first new process starts, keep old writers below all UIDs. Back,
// old writers go on above them once the trigger is gone.
func TestFromAutoIncrement(t *testing.T) {
	orders := newTable(t, "BIGINT AUTO_INCREMENT")
	for range 5 {
		_, err := orders.insertKeyless("old")
		require.NoError(t, err)
	}
	// The 1,000 are for rows that are written before the trigger is there.
	for _, statement := range []string{
		"CREATE TABLE order_ids (next BIGINT NOT NULL)",
		"INSERT INTO order_ids SELECT COALESCE(MAX(id), 0) + 1000 FROM orders",
		"CREATE TRIGGER orders_id BEFORE INSERT ON orders FOR EACH ROW BEGIN " +
			"IF NEW.id = 0 THEN " +
			"UPDATE order_ids SET next = LAST_INSERT_ID(next + 1); SET NEW.id = LAST_INSERT_ID(); END IF; END",
	} {
		engines.Do(t, orders.DB, statement)
	}
	g := newCached(t, worker.Static(1, t.Name()), bits.Default(), 0)
	old := func() (any, error) { return 0, nil }
	orders.write(t, 100, map[string]writer{"old": old, "old too": old, "new": of(g)})
	require.Less(t, orders.edge(t, "MAX(id)", "old%"), orders.edge(t, "MIN(id)", "new"))
	id, err := orders.insertKeyless("old")
	require.NoError(t, err)
	require.Equal(t, orders.edge(t, "MAX(id)", "old"), id, "drivers tell the key")

	engines.Do(t, orders.DB, "DROP TRIGGER orders_id")
	id, err = orders.insertKeyless("back")
	require.NoError(t, err)
	require.Equal(t, orders.edge(t, "MAX(id)", "new")+1, id)
}
