package databases_test

import (
	"bytes"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// marked returns IDs of a table with marks.
func marked(t testing.TB, db *sqlx.DB, skip, most int64) func() (int64, error) {
	t.Helper()
	if db.DriverName() == "mysql" { // one that was started but now tells no history: attempts use up IDs until it does
		engines.Do(t, db, "DO SLEEP(GREATEST(0, 3 - (SELECT VARIABLE_VALUE FROM /*M! information_schema */"+
			" /*!50700 performance_schema */ .session_status WHERE VARIABLE_NAME = 'Uptime')))")
	}
	a := newAsker(db, asked{})
	a.Numbers = tablesOf(db, sqlstore.Config{Skip: skip, Logger: quiet()}).Numbers()
	return func() (int64, error) { return a.acquire(t.Context(), most) }
}

// started returns the ID of a start, by marked.
func started(t testing.TB, next func() (int64, error)) int64 {
	t.Helper()
	id, err := next()
	require.NoError(t, err)
	return id
}

// failOver forgets the rows above an ID, and the table has another history.
func failOver(t testing.TB, s store, db *sqlx.DB, id int64) {
	t.Helper()
	engines.Do(t, db, fmt.Sprint("DELETE FROM WORKER_NODE WHERE ID > ", id))
	switch s.Driver {
	case "sqlite":
		engines.Do(t, db, fmt.Sprint("UPDATE sqlite_sequence SET seq = ", id),
			"CREATE TABLE OTHER (X INT)", "DROP TABLE OTHER")
	case "pgx":
		engines.Do(t, db, fmt.Sprint("ALTER TABLE worker_node ALTER COLUMN id RESTART WITH ", id+1),
			"ALTER TABLE worker_node RENAME TO away", "ALTER TABLE away RENAME TO worker_node")
	case "mysql":
		untilOld(t, db) // a table's time is in whole seconds
		engines.Do(t, db, "ALTER TABLE WORKER_NODE ENGINE = InnoDB",
			fmt.Sprint("ALTER TABLE WORKER_NODE AUTO_INCREMENT = ", id+1))
	}
}

// What a failover forgot is not given again: the first start after it leaves out IDs, and others do not.
func TestSkip(t *testing.T) {
	const most, skip = 1<<22 - 1, 255
	each(t, anywhere, func(t *testing.T, s store, db *sqlx.DB) {
		next := marked(t, db, 0, most)
		start := func() int64 { return started(t, next) }
		require.EqualValues(t, 1, start())
		require.EqualValues(t, 3, start(), "2 is the mark")
		require.EqualValues(t, 4, start())

		failOver(t, s, db, 2)
		first := start()
		require.Greater(t, first, int64(3+skip))
		require.Less(t, first, int64(3+4*skip+5))
		require.Equal(t, first+1, start())
		checked(t, db, doctor.Config{MaxWorkerID: most}).is(t, "disposable IDs", doctor.LevelOK, fmt.Sprintf(
			"6 rows, largest ID %d, next ID %d, of %d, %d skipped after restarts and failovers of the database",
			first+1, first+2, most, first-5))

		failOver(t, s, db, first+1)
		crowded := crowding(t, s, db)
		var ids sync.Map
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				id, err := next()
				assert.NoError(t, err)
				_, twice := ids.LoadOrStore(id, true)
				assert.False(t, twice, id)
				assert.Greater(t, id, first+1+skip)
				assert.Less(t, id, first+1+4*skip+200, "IDs are left out once")
			})
		}
		crowded()
		all.Wait()
	})
}

// crowding has starts wait, until crowded is called, after they have read the newest mark: then six have at least,
// whose skips together are more than one's. It does so on PostgreSQL, where else a start may be over before the next
// begins.
func crowding(t *testing.T, s store, db *sqlx.DB) (crowded func()) {
	if s.Driver != "pgx" {
		return func() {}
	}
	tx := must(db.Beginx())
	must(tx.Exec("SELECT 1 FROM worker_node WHERE type = 5 FOR UPDATE"))
	return func() {
		require.Eventually(t, func() bool {
			return one[int](t, db, "SELECT COUNT(*) FROM pg_stat_activity"+
				" WHERE datname = CURRENT_DATABASE() AND wait_event_type = 'Lock'") > 5
		}, time.Minute, 10*time.Millisecond)
		require.NoError(t, tx.Rollback())
	}
}

// A start that a second failover forgets, after which another server goes on from the same rows, has an ID that the
// next one does not get again, but by chance: one in 766.
func TestSkipIsAnotherOne(t *testing.T) {
	each(t, anywhere, func(t *testing.T, s store, db *sqlx.DB) {
		next := marked(t, db, 0, 1<<22-1)
		started(t, next)
		ids := map[int64]bool{}
		for range 3 {
			failOver(t, s, db, 2)
			id := started(t, next)
			require.Greater(t, id, int64(3+255))
			ids[id] = true
		}
		require.Greater(t, len(ids), 1, "%v", ids)
	})
}

// A start whose row is followed by the mark of another one takes an ID above that: its own may have been forgotten.
func TestMarkAfterTheRow(t *testing.T) {
	t.Parallel()
	s := engines.NewMySQL(t)
	db := s.Open(t)
	next := marked(t, db, 0, 1<<22-1)
	started(t, next)
	engines.Do(t, db, "CREATE TRIGGER LATE AFTER INSERT ON WORKER_NODE FOR EACH ROW IF NEW.HOST_NAME = 'late' THEN"+
		" DO GET_LOCK('late', 60); DO RELEASE_LOCK('late'); END IF")
	failOver(t, s, db, 2)
	holder := must(db.Connx(t.Context()))
	defer holder.Close()
	must(holder.ExecContext(t.Context(), "DO GET_LOCK('late', 0)"))
	late := newAsker(db, asked{Host: "late"})
	late.Numbers = tablesOf(db, sqlstore.Config{Logger: quiet()}).Numbers()
	id := make(chan int64, 1)
	go func() { id <- must(late.acquire(t.Context(), 1<<22-1)) }()
	require.Eventually(t, func() bool {
		return one[int](t, db, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'") == 1
	}, time.Minute, 10*time.Millisecond)
	first := started(t, next)
	must(holder.ExecContext(t.Context(), "DO RELEASE_LOCK('late')"))
	require.Greater(t, <-id, first)
}

// How many IDs are left out follows from the layout.
func TestSkipOfLayouts(t *testing.T) {
	t.Parallel()
	s := engines.NewSQLite(t)
	db := s.Open(t)
	for most, skip := range map[int64]int64{1<<10 - 1: 1, 1<<16 - 1: 15, 1<<20 - 1: 255, 1<<40 - 1: 255} {
		started(t, marked(t, db, 0, most))
		for range 5 {
			before := one[int64](t, db, "SELECT MAX(ID) FROM WORKER_NODE")
			failOver(t, s, db, before)
			id := started(t, marked(t, db, 0, most))
			require.GreaterOrEqual(t, id, before+1+skip+1, most)
			require.LessOrEqual(t, id, before+1+4*skip+1, most)
		}
		engines.Do(t, db, "DROP TABLE WORKER_NODE")
	}
}

func TestSkipIsBounded(t *testing.T) {
	each(t, anywhere, func(t *testing.T, s store, db *sqlx.DB) {
		for i := range int64(3) {
			require.Equal(t, i+1, started(t, marked(t, db, -1, 1<<22-1)), "no marks")
		}
		started(t, marked(t, db, 0, 1023)) // a mark
		failOver(t, s, db, 5)
		rows := len(nodes(t, db))
		for _, skip := range []int64{3, 10, math.MaxInt64} { // four times 3 are more than are left after 6
			_, err := marked(t, db, skip, 16)()
			logtest.Error(t, err, uid.ErrNoWorkerID, fmt.Sprint("up to 4 times ", skip, " have to be skipped"))
			require.Len(t, nodes(t, db), rows, "nothing is left")
		}
		require.Greater(t, started(t, marked(t, db, 10, 1000)), int64(16))
	})
}

// A table is marked anew before its mark is far away.
func TestMarksAreRenewed(t *testing.T) {
	each(t, notPostgres, func(t *testing.T, s store, db *sqlx.DB) {
		next := marked(t, db, 0, 1<<22-1)
		started(t, next)
		putNode(t, db, 700) // as Java's generator does
		for _, want := range []int64{701, 703, 704} {
			require.Equal(t, want, started(t, next))
		}
	})
}

// The nodes of a cluster have histories of their own. Each is learned of once.
func TestSkipOnGalera(t *testing.T) {
	engines.Needs(t, "galera")
	g, err := cluster.StartGalera("galera")
	cluster.For(t, g, err)
	ids := map[int64]bool{}
	for i := range 9 {
		id := started(t, marked(t, g.Nodes[i%3].Open(t, "uid"), 0, 1<<22-1))
		require.Less(t, id, int64(2*4*255+200))
		ids[id] = true
	}
	require.Len(t, ids, 9)
}

// A start with a disposable ID is no more round trips than one with a lease, and one more for a port. A pool's first
// start on MariaDB asks what the server is, which is two. A release of a lease is two.
func TestStartRoundTrips(t *testing.T) {
	t.Parallel()
	eachCounted(t, func(t *testing.T, admin, db *sqlx.DB, takes func(int64, string, func())) {
		if db.DriverName() == "mysql" && !strings.Contains(one[string](t, admin, "SELECT VERSION()"), "MariaDB") {
			return // MySQL does not tell whether a transaction is open
		}
		started(t, marked(t, admin, 0, 1023))
		require.NoError(t, lease.Found(t.Context(), strangerOf(admin, ""), lease.Founding{Layout: milliseconds}))
		require.NoError(t, db.Ping()) // connects
		trips, first := int64(6), int64(8)
		if db.DriverName() == "pgx" {
			trips, first = 5, 5
		}
		start := func(trips int64, what string, w uid.Worker) {
			t.Helper()
			takes(trips, what, func() { must(w.Acquire(t.Context(), millis(1023))) })
		}
		l := must(lease.New(strangerOf(db, ""), lease.Config{Logger: quiet()}))
		start(first, "a lease", l)
		takes(2, "its release", func() { require.NoError(t, l.Release(t.Context(), 0)) })
		for port, more := range map[string]int64{"": 0, "80": 1} {
			numbers := tablesOf(db, sqlstore.Config{Logger: quiet()}).Numbers()
			cfg := disposable.Config{Host: "h", Port: port, Logger: quiet()}
			start(trips+more, "a disposable ID, port "+port, must(disposable.New(numbers, cfg)))
		}
	})
}

// An interrupter does something before it sends a text, once.
type interrupter struct {
	net.Conn
	text string
	do   func()
	once sync.Once
}

func (c *interrupter) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(c.text)) {
		c.once.Do(c.do)
	}
	return c.Conn.Write(b)
}

// A start that has read the newest mark writes nothing under another history: it looks again, and leaves out IDs.
func TestStartUnderAnotherHistory(t *testing.T) {
	each(t, servers, func(t *testing.T, s store, db *sqlx.DB) {
		next := marked(t, db, 0, 1<<22-1)
		for started(t, next) < 7 {
		}
		between := over(t, s, func(c net.Conn) net.Conn {
			return &interrupter{Conn: c, text: "INSERT INTO", do: func() { failOver(t, s, db, 4) }}
		})
		require.Greater(t, started(t, marked(t, between, 0, 1<<22-1)), int64(4+255))
	})
}

// A transaction that the program has left open on a pooled connection does not take a start's row back.
func TestStartInAnOpenTransaction(t *testing.T) {
	each(t, servers, func(t *testing.T, s store, db *sqlx.DB) {
		started(t, marked(t, db, 0, 1<<22-1))
		one := s.Open(t)
		one.SetMaxOpenConns(1)
		next := marked(t, one, 0, 1<<22-1)
		for _, begin := range []string{"START TRANSACTION", map[string]string{
			"mysql": "SET autocommit = 0", "pgx": "BEGIN"}[s.Driver]} {
			_, err := one.Exec(begin)
			require.NoError(t, err)
			id := started(t, next)
			_, err = one.Exec("ROLLBACK")
			require.NoError(t, err)
			require.Len(t, allRows(t, db, fmt.Sprint("SELECT ID FROM WORKER_NODE WHERE ID = ", id)), 1, begin)
		}
	})
}
