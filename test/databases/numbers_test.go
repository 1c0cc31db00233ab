package databases_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

func TestRows(t *testing.T) {
	each(t, anywhere, func(t *testing.T, _ store, db *sqlx.DB) {
		require.EqualValues(t, 1, acquire(t, db, asked{}))
		require.EqualValues(t, 2, acquire(t, db, asked{Host: "bare"}))
		require.EqualValues(t, 3, acquire(t, db, asked{Host: "pod", Port: "8080"}))
		require.EqualValues(t, 4, acquire(t, db, asked{Host: "pod", Port: "8080"}))

		rows := nodes(t, db)
		require.Len(t, rows, 4)
		require.Equal(t, "h", rows[0].HostName)
		require.Equal(t, "bare", rows[1].HostName)
		require.NotEqual(t, rows[0].Port, rows[1].Port)
		today := one[string](t, db, "SELECT CURRENT_DATE")
		for i, row := range rows {
			require.Contains(t, today, row.LaunchDate[:10])
			require.NotContains(t, row.Created, "0000-00")
			require.NotContains(t, row.Modified, "0000-00")
			if i < 2 {
				require.Equal(t, 2, row.Type)
				require.Len(t, row.Port, 26, "a random text")
			} else {
				require.Equal(t, 1, row.Type)
				require.Equal(t, "pod 8080", row.HostName+" "+row.Port)
			}
		}
	})
}

func TestOwnTable(t *testing.T) {
	each(t, notPostgres, func(t *testing.T, _ store, db *sqlx.DB) {
		cfg := asked{Table: "order"} // a word of SQL, which is no harm
		require.EqualValues(t, 1, acquire(t, db, cfg))
		require.EqualValues(t, 2, acquire(t, db, cfg))
		require.EqualValues(t, 1, acquire(t, db, asked{}), "the other table is another one")
		require.Equal(t, 2, one[int](t, db, "SELECT COUNT(*) FROM `order`"))
		tenantOf(t, db).take(t)
		l := must(tablesOf(db, sqlstore.Config{LeaseTable: "group"}).Leases(""))
		require.NoError(t, lease.Found(t.Context(), l, lease.Founding{Layout: milliseconds}))
		require.Zero(t, (&tenant{Store: l}).take(t).WorkerID)
	})
}

// originalTable has the columns that UidGenerator's script gives the table.
const originalTable = `CREATE TABLE WORKER_NODE (
	ID BIGINT NOT NULL AUTO_INCREMENT, HOST_NAME VARCHAR(64) NOT NULL, PORT VARCHAR(64) NOT NULL, TYPE INT NOT NULL,
	LAUNCH_DATE DATE NOT NULL, MODIFIED TIMESTAMP NOT NULL, CREATED TIMESTAMP NOT NULL, PRIMARY KEY (ID)) ENGINE=INNODB`

// javaInsert is what UidGenerator inserts, with its kinds of values.
const javaInsert = `INSERT INTO WORKER_NODE (HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED)
	VALUES ('10.0.0.7', '1795219200000-4711', 2, '2026-11-21', NOW(), NOW())`

func TestTableSharedWithJava(t *testing.T) {
	t.Parallel()
	for name, zeroDate := range map[string]bool{"our table": false, "its table": true} {
		t.Run(name, func(t *testing.T) {
			s := engines.NewMySQL(t)
			db := s.Open(t)
			if zeroDate {
				loose := s.With(t, func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "''"} })
				engines.Do(t, loose.Open(t), originalTable)
			} else {
				require.EqualValues(t, 1, acquire(t, db, asked{}))
				engines.Do(t, db, "DELETE FROM WORKER_NODE", "ALTER TABLE WORKER_NODE AUTO_INCREMENT = 1")
			}
			first := acquire(t, db, asked{})
			for range 3 {
				java := must(db.MustExec(javaInsert).LastInsertId())
				require.Equal(t, first+1, java)
				first = acquire(t, db, asked{Host: "pod", Port: "1"})
				require.Equal(t, java+1, first)
			}
			require.Equal(t, "1795219200000-4711", nodes(t, db)[1].Port)
		})
	}
}

// A key over host and port, which the original's table does not have, costs a process that is
// started again nothing but the port in its row.
func TestUniqueHostAndPort(t *testing.T) {
	each(t, notPostgres, func(t *testing.T, _ store, db *sqlx.DB) {
		acquire(t, db, asked{})
		engines.Do(t, db, "CREATE UNIQUE INDEX HOST_PORT ON WORKER_NODE (HOST_NAME, PORT)")
		var logged logtest.Records
		cfg := asked{Host: "h", Port: "80", Logger: logged.Logger()}
		for id := int64(2); id < 5; id++ {
			require.Equal(t, id, acquire(t, db, cfg))
		}
		rows := nodes(t, db)
		require.Len(t, rows, 4)
		require.Equal(t, "80", rows[1].Port)
		require.Len(t, rows[2].Port, 26)
		require.Equal(t, 2, logged.Count("keeps a random text for the port"))
	})
}

func TestTableOfOtherColumns(t *testing.T) {
	t.Parallel()
	const common = ", HOST_NAME VARCHAR(64), PORT VARCHAR(64), TYPE INT, LAUNCH_DATE DATE, MODIFIED TIMESTAMP NULL, " +
		"CREATED TIMESTAMP NULL"
	for _, c := range []struct{ name, sqlite, mysql, says string }{
		{"column missing",
			"ID INTEGER PRIMARY KEY AUTOINCREMENT, HOST_NAME TEXT",
			"ID BIGINT AUTO_INCREMENT PRIMARY KEY, HOST_NAME VARCHAR(64)", "PORT"},
		{"column too many", "ID INTEGER PRIMARY KEY AUTOINCREMENT" + common + ", OWNER TEXT NOT NULL",
			"ID BIGINT AUTO_INCREMENT PRIMARY KEY" + common + ", OWNER VARCHAR(9) NOT NULL", ""},
		{"no key", "ID BIGINT" + common, "ID BIGINT DEFAULT 0" + common, "not confirmed"},
		{"key of another type", "ID BIGINT PRIMARY KEY" + common, "ID BIGINT PRIMARY KEY" + common, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, notPostgres, func(t *testing.T, s store, db *sqlx.DB) {
				columns := map[string]string{"sqlite": c.sqlite, "mysql": c.mysql}[s.Driver]
				engines.Do(t, db, "CREATE TABLE WORKER_NODE ("+columns+")")
				err := tryID(t, db, asked{})
				require.Error(t, err)
				require.ErrorContains(t, err, c.says)
				require.NotErrorIs(t, err, context.DeadlineExceeded)
			})
		})
	}
}

// A commit, an insert or a read whose reply is lost gives its ID up.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	for text, port := range map[string]string{"INSERT INTO": "", "COMMIT": "", "SELECT PORT": "", "UPDATE": "80"} {
		t.Run(text, func(t *testing.T) {
			s := engines.NewMySQL(t)
			acquire(t, s.Open(t), asked{})
			var logged logtest.Records
			p, db := proxied(t, s)
			p.SwallowReply(text)
			id := acquire(t, db, asked{Host: "h", Port: port, Logger: logged.Logger()})
			require.Equal(t, 1, p.Swallowed())
			require.Equal(t, 1, logged.Count("trying again"))
			require.EqualValues(t, 3, id, "ID 2 was burnt")
			rows := nodes(t, s.Open(t))
			require.EqualValues(t, 3, rows[len(rows)-1].ID)
			require.Equal(t, text != "INSERT INTO", len(rows) == 3, "the server had carried out what was committed")
		})
	}
}

// A column that is gone is named, on real databases, and what a trigger or a table has
// the server say under such a number is not passed on.
func TestColumnErrors(t *testing.T) {
	each(t, notPostgres, func(t *testing.T, _ store, db *sqlx.DB) {
		acquire(t, db, asked{})
		tenant := tenantOf(t, db)
		fails := func(says string) {
			t.Helper()
			err := tryID(t, db, asked{})
			require.ErrorContains(t, err, says)
			require.NotContains(t, logtest.Texts(err), canary)
		}
		engines.Do(t, db, "ALTER TABLE WORKER_LEASE RENAME COLUMN HIGH TO hunter2")
		_, err := tenant.tryTake(t.Context())
		require.ErrorContains(t, err, "a column is missing: HIGH")

		engines.Do(t, db, "ALTER TABLE WORKER_NODE RENAME COLUMN PORT TO hunter2")
		fails("a column is missing: PORT")
		if db.DriverName() != "mysql" {
			return
		}
		engines.Do(t, db, "DELETE FROM WORKER_NODE",
			"ALTER TABLE WORKER_NODE CHANGE COLUMN hunter2 PORT VARCHAR(7) NOT NULL")
		fails("a value is too long for its column: PORT")
		engines.Do(t, db, "ALTER TABLE WORKER_NODE "+
			"MODIFY COLUMN PORT VARCHAR(64) NOT NULL, ADD COLUMN hunter2 INT NOT NULL")
		fails("1364 (HY000): a column that workers leave out has no default value")
	})
}

// A generator with a floor ahead of the clock begins above it, and so does the next one on the
// table, which asks for none. Rows of Java's kind say nothing of floors, whatever their times are.
func TestDisposableFloor(t *testing.T) {
	each(t, anywhere, func(t *testing.T, _ store, db *sqlx.DB) {
		layout := bits.Default()
		numbers := tablesOf(db, sqlstore.Config{}).Numbers()
		begin := func(at time.Time) time.Time {
			t.Helper()
			_, kept, err := numbers.(storage.Beginner).NextFrom(t.Context(), storage.Host{Name: "h", Port: "1"},
				1000, at)
			require.NoError(t, err)
			return kept
		}
		first := func(after uid.UID) uid.UID {
			t.Helper()
			w := must(disposable.New(numbers, disposable.Config{Host: "h", Logger: quiet()}))
			g, err := cached.New(w, cached.Config{Layout: layout, After: after})
			require.NoError(t, err)
			u, err := g.GetUID()
			require.NoError(t, err)
			require.NoError(t, g.Close())
			return u
		}
		first(0)
		modified := func(day string) { engines.Do(t, db, "UPDATE WORKER_NODE SET MODIFIED = '"+day+" 00:00:00'") }
		modified("2037-01-01") // a clock was wrong
		_, floor, err := layout.Range(time.Now().Add(time.Minute), time.Now().Add(time.Minute).Add(1))
		require.NoError(t, err)
		require.Less(t, first(0), floor)
		require.Greater(t, first(floor), floor)
		require.Greater(t, first(0), floor, "the row keeps it")
		for range 3 {
			engines.Do(t, db, "INSERT INTO WORKER_NODE (HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED) VALUES "+
				"('java', '80', 1, CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)")
		}
		require.Greater(t, first(0), floor, "and so does the row of who found it")
		rows := nodes(t, db)
		require.Len(t, rows, 9)
		for i, kind := range []int{2, 5, 2, 4, 4, 1, 1, 1, 4} {
			require.Equal(t, kind, rows[i].Type, "row %d", i)
		}

		// Once the clock has passed a floor it is none any more.
		modified("2026-01-01")
		require.Less(t, first(0), floor)
		require.Zero(t, begin(time.Time{}))

		// A time within a second is kept by the next one: the columns hold whole seconds.
		second := time.Now().Truncate(time.Second).Add(5 * time.Minute)
		for _, at := range []time.Time{second.Add(-time.Second + 1), second.Add(-1), second} {
			kept := begin(at)
			require.True(t, kept.Equal(second), "%v for %v", kept, at)
			kept = begin(time.Time{})
			require.True(t, kept.Equal(second), "%v is what others find of %v", kept, at)
			modified("2026-01-01")
		}
	})
}

// A floor is the same time in every session, and a column that does not keep it is refused.
func TestFloorInAnySession(t *testing.T) {
	each(t, anywhere, func(t *testing.T, s store, db *sqlx.DB) {
		column, east, west, keeps := "ALTER TABLE WORKER_NODE MODIFY MODIFIED ",
			"SET time_zone = '+05:30'", "SET time_zone = '-11:00'", map[string]bool{"DATETIME": true, "DATE": false}
		switch s.Driver {
		case "sqlite":
			return // its sessions have no time zone, and its columns no type
		case "pgx":
			column, east, west = "ALTER TABLE WORKER_NODE ALTER COLUMN MODIFIED TYPE ",
				"SET TIME ZONE 'Asia/Kolkata'", "SET TIME ZONE 'America/Chicago'"
			keeps = map[string]bool{"TIMESTAMP": true, "TIMESTAMPTZ": false, "DATE": false}
		}
		db.SetMaxOpenConns(1) // to be the one of the zone
		begin := func(zone string, at time.Time) (time.Time, error) {
			t.Helper()
			engines.Do(t, db, zone)
			numbers := tablesOf(db, sqlstore.Config{Skip: -1}).Numbers().(storage.Beginner)
			_, kept, err := numbers.NextFrom(t.Context(), storage.Host{Name: "h"}, 1023, at)
			return kept, err
		}
		at := time.Now().Truncate(time.Second).Add(5 * time.Minute)
		for kind, well := range keeps {
			engines.Do(t, db, "DROP TABLE IF EXISTS WORKER_NODE")
			_, err := begin(east, time.Time{})
			require.NoError(t, err)
			engines.Do(t, db, column+kind)
			kept, err := begin(east, at)
			if !well {
				logtest.Error(t, err, uid.ErrConfig, "MODIFIED of table ")
				continue
			}
			require.NoError(t, err, kind)
			require.True(t, kept.Equal(at), "%v for %v", kept, at)
			kept, err = begin(west, time.Time{})
			require.NoError(t, err, kind)
			require.True(t, kept.Equal(at), "%v for %v, with %s", kept, at, kind)
		}
	})
}

func TestOverviewCountsNodes(t *testing.T) {
	each(t, anywhere, func(t *testing.T, _ store, db *sqlx.DB) {
		for range 3 {
			acquire(t, db, asked{Table: "other"})
		}
		engines.Do(t, db, "DELETE FROM other WHERE ID > 1")
		r := must(registry.New(tablesOf(db, sqlstore.Config{NodeTable: "other"}).Registry(), registry.Config{}))
		o, err := r.Overview(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, registry.NodeInfo{Rows: 1, Last: 1, Next: 4}, *o.Nodes)
		require.EqualValues(t, 3, o.Nodes.Used(), "IDs of deleted rows are used, too")
	})
}
