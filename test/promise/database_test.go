package promise

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// table is the name of the way's table, or "".
func (s *scene) table() string {
	switch {
	case s.leased():
		return "WORKER_LEASE"
	case s.way.column == throwaway:
		return "WORKER_NODE"
	}
	return ""
}

// sql runs statements, in which TABLE_OF_IDS is the way's table, on one connection: another one of SQLite may not
// have noticed yet that a table is gone. It does nothing where there is no database.
func (s *scene) sql(statements ...string) {
	s.t.Helper()
	if s.db == nil {
		return
	}
	require.False(s.t, s.keyed(), statements)
	conn, err := s.db.Connx(s.t.Context())
	require.NoError(s.t, err)
	defer conn.Close()
	for _, statement := range statements {
		statement = strings.ReplaceAll(statement, "TABLE_OF_IDS", s.table())
		_, err := conn.ExecContext(s.t.Context(), statement)
		require.NoError(s.t, err, statement)
	}
}

// keep keeps a copy of the table, and putBack puts that in the table's place.
func (s *scene) keep() {
	if s.keyed() {
		s.kept = s.all()
		return
	}
	s.sql("CREATE TABLE IF NOT EXISTS KEPT AS SELECT * FROM TABLE_OF_IDS WHERE 1 = 0", "DELETE FROM KEPT",
		"INSERT INTO KEPT SELECT * FROM TABLE_OF_IDS")
}

func (s *scene) putBack() {
	s.t.Helper()
	if s.keyed() {
		s.remove(func(key string) bool { return s.kept[key] == "" })
		s.put(s.db.keys, s.kept, everything)
		return
	}
	s.sql("DELETE FROM TABLE_OF_IDS", "INSERT INTO TABLE_OF_IDS SELECT * FROM KEPT")
	if s.way.column == throwaway {
		var newest int64
		require.NoError(s.t, s.db.Get(&newest, "SELECT MAX(ID) FROM WORKER_NODE"))
		s.countFrom(newest + 1)
	}
}

// countFrom sets the next disposable ID.
func (s *scene) countFrom(id int64) {
	switch {
	case s.sqlite():
		s.sql(fmt.Sprintf("UPDATE sqlite_sequence SET seq = %d WHERE name = 'WORKER_NODE'", id-1))
	case s.postgres():
		s.sql(fmt.Sprintf("SELECT setval(pg_get_serial_sequence('worker_node', 'id'), %d, FALSE)", id))
	default:
		s.sql(fmt.Sprintf("ALTER TABLE WORKER_NODE AUTO_INCREMENT = %d", id))
	}
}

// empty removes all rows as an operator does who starts from scratch.
func (s *scene) empty() {
	switch {
	case s.keyed():
		s.remove(everything)
	case s.sqlite():
		s.sql("DELETE FROM TABLE_OF_IDS")
	default:
		s.sql("TRUNCATE TABLE TABLE_OF_IDS")
	}
}

// drop removes the table, or all keys.
func (s *scene) drop() {
	if s.keyed() {
		s.remove(everything)
	} else {
		s.sql("DROP TABLE TABLE_OF_IDS")
	}
}

// A link is a process's own way to the database, which can be cut.
type link struct {
	db       *base
	proxy    *harness.Proxy // nil for SQLite, whose file does not come back to this process
	down, up func()
}

func (s *scene) link() link {
	s.t.Helper()
	if s.db == nil {
		return link{down: func() {}, up: func() {}}
	}
	if s.keyed() {
		db := &base{keys: s.db.keys}
		return link{db: db, down: func() { db.down.Store(true) }, up: func() { db.down.Store(false) }}
	}
	if s.sqlite() {
		db := s.opened(s.store)
		return link{db: db, down: func() { db.Close() }, up: func() {}}
	}
	p, through := s.store.Proxied(s.t)
	db := s.opened(through)
	return link{db: db, proxy: p, down: func() { p.Refuse(true) }, up: func() { p.Refuse(false) }}
}

// split returns a second database with the same content, or nil where there is none.
func (s *scene) split() *base {
	s.t.Helper()
	if s.sqlite() {
		path := filepath.Join(s.t.TempDir(), "twin.db")
		s.sql("VACUUM INTO '" + path + "'")
		return s.opened(engines.Database{Driver: "sqlite", Source: path})
	}
	twin := s.second()
	switch {
	case twin == nil:
	case s.keyed():
		s.put(twin.keys, s.all(), everything)
	case s.postgres():
		s.copyTo(twin)
	default:
		cfg, err := mysql.ParseDSN(s.store.Source)
		require.NoError(s.t, err)
		engines.Do(s.t, twin.DB, fmt.Sprintf("CREATE TABLE %s LIKE %s.%[1]s", s.table(), cfg.DBName),
			fmt.Sprintf("INSERT INTO %s SELECT * FROM %s.%[1]s", s.table(), cfg.DBName))
	}
	return twin
}

// copyTo copies a database of PostgreSQL, whose rows and counter come through the test.
func (s *scene) copyTo(db *base) {
	s.t.Helper()
	was := s.db
	s.db = db // where the start below makes the table
	if s.leased() {
		s.make("", promised)
	} else {
		_, err := s.tables(db).Numbers().Next(s.t.Context(), numberstore.Host{Name: "copy"}, 1<<10)
		require.NoError(s.t, err)
	}
	s.db = was
	var rows string
	require.NoError(s.t, was.Get(&rows, "SELECT COALESCE(JSON_AGG(r), '[]')::text FROM "+s.table()+" r"))
	engines.Do(s.t, db.DB, "DELETE FROM "+s.table())
	_, err := db.Exec("INSERT INTO "+s.table()+
		" SELECT * FROM JSON_POPULATE_RECORDSET(NULL::"+s.table()+", $1::json)", rows)
	require.NoError(s.t, err)
	if s.way.column == throwaway {
		engines.Do(s.t, db.DB, "SELECT setval(pg_get_serial_sequence('worker_node', 'id'), MAX(ID)) FROM WORKER_NODE")
	}
}

const (
	countSet   = "the table's counter is set above the largest ID ever given before anybody starts"
	allStopped = "all processes are stopped first, and start again when the clock has passed all that they issued"
	neverSays  = "Losses: Never says that this does not happen; a start refuses settings that show that it can"
	oneLine    = "the new server's clock is behind the old one's by no more than MaxClockSkew; " +
		"it has no commit that the old one lacked, and the old one takes no more writes"
	historyMoves = "it is put back as a table or file of its own, as a dump is, or the server is restarted: " +
		"that changes the history. Rows put back in place do not"
	fewForgotten = "no more starts are lost at once than Skip of sqlstore.Config says (255 with the default layout); " +
		"a second failover that also loses the first start after another one gives its ID again with a chance of " +
		"about 1 in 766 for each start while that process lives; and no process with Java's generator starts first"
