package migrating

import (
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/form"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
)

// A table with UUIDs gets a BIGINT key beside them, without a stop: the column, writers that fill
// both, the rows of before, the readers, and then writers without UUIDs.
func TestBigintBesideUUID(t *testing.T) {
	db := engines.NewMySQL(t).Open(t)
	engines.Do(t, db, "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, writer VARCHAR(20) NOT NULL) ENGINE=InnoDB")
	g := newCached(t, worker.Static(1), bits.Default(), 0)
	old := func(rows int) {
		for range rows {
			db.MustExec("INSERT INTO orders (id, writer) VALUES (?, 'old')", uuid.NewString())
		}
	}
	both := func(rows int) {
		const row = "INSERT INTO orders (id, uid, writer) VALUES (?, ?, 'both')"
		for range rows {
			db.MustExec(row, uuid.NewString(), must(g.GetUID()))
		}
	}
	count := func(where string) (n int) {
		require.NoError(t, db.Get(&n, "SELECT COUNT(*) FROM orders WHERE "+where))
		return n
	}
	// backfill gives each row without a uid one, some rows at a time. The condition on uid makes it
	// safe to run twice at once, and to break off and begin anew.
	backfill := func() (filled int) {
		for {
			var ids []string
			require.NoError(t, db.Select(&ids, "SELECT id FROM orders WHERE uid IS NULL ORDER BY id LIMIT 50"))
			if len(ids) == 0 {
				return filled
			}
			uids := make([]uid.UID, len(ids))
			must(g.Fill(uids))
			for i, id := range ids {
				db.MustExec("UPDATE orders SET uid = ? WHERE id = ? AND uid IS NULL", uids[i], id)
			}
			filled += len(ids)
		}
	}
	old(120)
	// 1. The column, empty, with its index. Old writers go on.
	engines.Do(t, db, "ALTER TABLE orders ADD COLUMN uid BIGINT NULL, ADD UNIQUE INDEX (uid), LOCK=NONE")
	old(1)
	// 2. Writers fill both, one process after the other; going back is no more than old rows again.
	both(40)
	old(40)
	both(40)
	// Too early: there are still old writers when the rows of before are filled.
	require.Equal(t, 120+1+40, backfill())
	old(1)
	require.Equal(t, 1, count("uid IS NULL"))
	const mandatory = "ALTER TABLE orders MODIFY uid BIGINT NOT NULL, LOCK=NONE"
	_, err := db.Exec(mandatory)
	require.Error(t, err, "the database sees that a row was left out")
	// 3. The rows of before, when all writers fill both; then the column refuses old writers.
	both(20)
	require.Equal(t, 1, backfill())
	require.Zero(t, backfill(), "again, it changes nothing")
	engines.Do(t, db, mandatory)
	_, err = db.Exec("INSERT INTO orders (id, writer) VALUES (?, 'old')", uuid.NewString())
	var refused *mysql.MySQLError
	require.ErrorAs(t, err, &refused)
	require.EqualValues(t, 1364, refused.Number, "the field has no default value")
	// 4. Readers go by uid; each row can be found by either, so that they may go back.
	require.Equal(t, count("1"), count("uid > 0"))
	var rows []struct {
		ID  string
		UID uid.UID
	}
	require.NoError(t, db.Select(&rows, "SELECT id, uid FROM orders ORDER BY uid"))
	for _, r := range rows[:10] {
		var id string
		require.NoError(t, db.Get(&id, "SELECT id FROM orders WHERE uid = ?", r.UID))
		require.Equal(t, r.ID, id)
	}
	// 5. The key is the uid; old readers still have their UUIDs, which now may be missing.
	engines.Do(t, db, "ALTER TABLE orders DROP PRIMARY KEY, ADD PRIMARY KEY (uid), ADD UNIQUE INDEX (id), "+
		"MODIFY id CHAR(36) NULL, LOCK=NONE")
	db.MustExec("INSERT INTO orders (uid, writer) VALUES (?, 'new')", must(g.GetUID()))
	_, err = db.Exec("INSERT INTO orders (uid, writer) VALUES (?, 'twice')", rows[0].UID)
	require.ErrorAs(t, err, &refused)
	require.EqualValues(t, 1062, refused.Number)
	// 6. Back from here needs UUIDs for the new rows: version 8, of the same uids.
	shop := form.Namespace("shop")
	require.NoError(t, db.Select(&rows, "SELECT COALESCE(id, '') AS id, uid FROM orders WHERE id IS NULL"))
	require.Len(t, rows, 1)
	db.MustExec("UPDATE orders SET id = ? WHERE uid = ?", must(shop.UUID(rows[0].UID)).String(), rows[0].UID)
	engines.Do(t, db,
		"ALTER TABLE orders DROP PRIMARY KEY, ADD PRIMARY KEY (id), ADD UNIQUE INDEX (uid), "+
			"MODIFY uid BIGINT NULL, LOCK=NONE")
	old(1)
}

// A column keeps its type, and new rows get UUIDs of version 8: no old UUID is one, they sort as
// the UIDs do, and they give the UIDs back.
func TestUUIDColumnsStay(t *testing.T) {
	shop := form.Namespace("shop")
	for id, column := range []struct {
		keyType string
		key     func(form.UUID) any
	}{
		{"CHAR(36)", func(x form.UUID) any { return x.String() }},
		{"BINARY(16)", func(x form.UUID) any { return x[:] }},
		{"UUID", func(x form.UUID) any { return x }},
	} {
		t.Run(column.keyType, func(t *testing.T) {
			t.Parallel()
			o, key := newTable(t, column.keyType), column.key
			g := newCached(t, worker.Static(int64(10+id)), bits.Default(), 0)
			fourth := func() (any, error) { return key(form.UUID(uuid.New())), nil }
			seventh := func() (any, error) { return key(form.UUID(must(uuid.NewV7()))), nil }
			var want []uid.UID
			eighth := func() (any, error) {
				want = append(want, must(g.GetUID()))
				return key(must(shop.UUID(want[len(want)-1]))), nil
			}
			o.write(t, 150, map[string]writer{"v4": fourth, "v7": seventh, "v8": eighth})

			var got []form.UUID
			require.NoError(t, o.Select(&got, "SELECT id FROM orders WHERE writer = 'v8' ORDER BY id"))
			for i, x := range got {
				require.Equal(t, want[i], must(shop.UID(x)))
			}
			require.Len(t, got, len(want))
			// The default layout's are above version 7's: id > last goes on from these.
			var above int
			require.NoError(t, o.Get(&above, "SELECT COUNT(*) FROM orders "+
				"WHERE writer = 'v8' AND id > (SELECT MAX(id) FROM orders WHERE writer = 'v7')"))
			require.Equal(t, len(want), above)
		})
	}
}
