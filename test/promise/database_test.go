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

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
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
	s.sqlAround(nil, statements...)
}

// sqlAround is sql, and does something after the first statement.
func (s *scene) sqlAround(do func(), statements ...string) {
	s.t.Helper()
	if s.db == nil {
		return
	}
	require.False(s.t, s.keyed(), statements)
	conn, err := s.db.Connx(s.t.Context())
	require.NoError(s.t, err)
	defer conn.Close()
	for i, statement := range statements {
		statement = strings.ReplaceAll(statement, "TABLE_OF_IDS", s.table())
		_, err := conn.ExecContext(s.t.Context(), statement)
		require.NoError(s.t, err, statement)
		if i == 0 && do != nil {
			do()
		}
	}
}

// keep keeps a copy of the table, and putBack puts that in the table's place.
func (s *scene) keep() {
	if s.keyed() {
		s.kept = s.all()
		if w := s.db.keys.whole; w != nil {
			var err error
			s.back, err = w.keep()
			require.NoError(s.t, err)
		}
		return
	}
	s.sql("CREATE TABLE IF NOT EXISTS KEPT AS SELECT * FROM TABLE_OF_IDS WHERE 1 = 0", "DELETE FROM KEPT",
		"INSERT INTO KEPT SELECT * FROM TABLE_OF_IDS")
}

func (s *scene) putBack() {
	s.t.Helper()
	if s.back != nil {
		require.NoError(s.t, s.back())
		return
	}
	s.removeRows()
	s.insertRows()
	if s.way.column == throwaway {
		var newest int64
		require.NoError(s.t, s.db.Get(&newest, "SELECT MAX(ID) FROM WORKER_NODE"))
		s.countFrom(newest + 1)
	}
}

// removeRows removes all rows, and insertRows inserts those that were kept. Neither shows in a history, nor changes
// the counter of disposable IDs.
func (s *scene) removeRows() {
	s.t.Helper()
	if s.keyed() {
		s.remove(everything)
	} else {
		s.sql("DELETE FROM TABLE_OF_IDS")
	}
}

func (s *scene) insertRows() {
	s.t.Helper()
	switch {
	case s.copies(): // which nobody uses: the namespace's object has to go
		s.put(s.db.keys, s.kept, everything)
		s.refused(how{seat: 90}, uid.ErrConfig)
		s.remove(func(key string) bool { return !isRow(key) })
	case s.keyed():
		s.put(s.db.keys, s.kept, everything)
	default:
		s.sql("INSERT INTO TABLE_OF_IDS SELECT * FROM KEPT")
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

// countSet sets it as the note countAbove says, where the condition holds.
func (s *scene) countSet() {
	s.t.Helper()
	if !s.met {
		return
	}
	largest := int64(0)
	for _, p := range s.started {
		largest = max(largest, p.granted().WorkerID)
	}
	s.countFrom(largest + 1)
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
	if s.keyed() && s.db.keys.whole != nil {
		return &base{keys: s.db.keys.whole.split(s.t)}
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
		_, err := s.tables(db).Numbers().Next(s.t.Context(), storage.Host{Name: "copy"}, 1<<10)
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
	countAbove = "the table's counter is set above the largest ID ever given before anybody starts"
	neverSays  = "Losses: Never says that this does not happen; a start refuses settings that show that it can"
	oneLine    = "the new server's clock is behind the old one's by no more than MaxClockSkew; " +
		"it has no commit that the old one lacked, and the old one takes no more writes"
	fewForgotten = "no more starts are lost at once than Skip of sqlstore.Config says (255 with the default layout); " +
		"no process with Java's generator starts first; and no second failover loses the first start after another " +
		"one, whose ID comes again with a chance of about 1 in 766 a start"
	notBack  = "the former file does not come back: nothing tells that it was away"
	allTried = "nobody starts meanwhile; or all owners have tried to renew (within half a Window, " +
		"unless they stand still); or their TTL is over when it is back"
	copied   = "a copy is refused, until the namespace's Lease is deleted"
	noneMade = "nobody makes a namespace in its place: starts have MustExist"
)

var databaseFaults = []fault{
	{
		name: "outage", title: "The database is away, for one process or for all",
		what: "A process is cut off its database until its lease is over and another one has its ID. It draws what " +
			"it has reserved; with a state file it is also killed and started again meanwhile. Then the database is " +
			"back (for a SQLite file: the process is started again).",
		play: func(s *scene) {
			l := s.link()
			p := s.start(how{db: l.db})
			s.drawSome(p)
			l.down()
			s.draw(p)
			s.pass(window / 2)
			s.draw(p)
			if s.keepsState() && s.db != nil && !s.sqlite() {
				p.kill()
				p = s.start(how{db: l.db, lease: impatient})
				s.drawSome(p)
			}
			s.pass(longGone)
			other := s.start(how{seat: 1})
			s.drain(p)
			s.draw(p, other)
			l.up()
			if s.sqlite() {
				p.kill()
				p = s.start(how{})
			}
			for range 3 {
				s.pass(window)
				s.draw(p, other)
			}
		},
		crowd: 3, cells: everywhere(unique()),
	},
	{
		name: "lost-reply", title: "A commit or its reply is lost",
		what: "A process's renewal is committed and it does not hear of it, or is never heard of; the same with " +
			"another process's start. Then it is killed in such a renewal, and others have its ID while its UIDs " +
			"would be ahead of the clock.",
		play: func(s *scene) {
			if s.db == nil || s.sqlite() {
				s.drawSome(s.start(how{}))
				return
			}
			l := s.link()
			p := s.start(how{db: l.db})
			write := "INSERT INTO"
			switch {
			case s.leased() && s.postgres():
				write = cluster.LeaseWriteOnPostgres
			case s.leased():
				write = cluster.LeaseWrite
			}
			swallowed := func() int { return int(l.db.swallowed.Load()) }
			swallows := func(what int32) func(string) { return func(string) { l.db.swallows.Store(what) } }
			losses := []func(string){swallows(loseReply), swallows(loseRequest)}
			if !s.keyed() {
				swallowed, losses = l.proxy.Swallowed, []func(string){l.proxy.SwallowReply, l.proxy.SwallowRequest}
			}
			for _, swallow := range losses {
				s.drawSome(p)
				if s.leased() {
					swallow(write)
					s.pass(window)
					s.draw(p)
					s.draw(p)
				}
				var other *process
				p.quietly(func() { // else what is swallowed may be its own
					before := swallowed()
					swallow(write)
					other = s.start(how{seat: s.processes, db: l.db})
					require.Equal(s.t, before+1, swallowed())
				})
				s.drawAcross(p, other)
				if s.leased() {
					swallow(write)
					s.drain(p) // all that it takes for reserved
					p.kill()
					s.pass(2 * ttl)
					for range 3 {
						other = s.start(how{seat: s.processes})
						s.drain(other)
					}
					p = s.start(how{db: l.db})
				}
			}
			s.pass(longGone)
			s.draw(p, s.start(how{seat: s.processes}), s.start(how{seat: s.processes + 1}))
		},
		crowd: 1, cells: without(onDatabases(unique()), "-sqlite"),
		also: []string{"test/soak TestEngine", "test/databases TestLostReplies"},
	},
	{
		name: "failover",
		title: "The newest commits are lost (failover to a replica that lags, crash without a synced log, " +
			"volume's snapshot)",
		what: "The table is put back to what it was half a Window ago, and the server tells of another history: a " +
			"renewal and another process's start are lost, and a third process starts. The server's clock goes " +
			"back by MaxClockSkew with it, without the condition by ten seconds more. As many starts are lost as " +
			"Skip says; without the condition there is no Skip.",
		play: func(s *scene) {
			if s.way.column == throwaway {
				s.made()
				s.keep() // later it would be a change of a SQLite file, which is another history
			}
			p := s.start(how{lease: standardSkew})
			s.drawSome(p)
			s.prolong(p)
			s.keep()
			s.pass(window / 2)
			s.draw(p)
			s.drain(p)
			other := s.start(how{seat: 1, lease: standardSkew})
			s.drawSome(other)
			if s.way.column == throwaway {
				for range s.spared - 1 {
					s.start(how{}).take(1)
				}
			}
			s.drainAll(p, other)
			var third *process
			s.allQuietly(func() { // else a running process may be the first to take the other one's ID
				s.putBack()
				if s.met || s.way.column != throwaway {
					s.promote()
				}
				third = s.start(s.behind(how{seat: 2}))
			}, p, other)
			for range 3 {
				s.draw(p, other, third)
				s.pass(window)
				s.drain(third)
			}
			s.draw(p, other, third)
		},
		whole: true, crowd: 3, cells: onDatabases(uniqueIf(oneLine)).
			but(uniqueIf(fewForgotten), throwaway).but(notCovered(neverSays), durable, withFile),
		also: []string{"test/soak TestEngine"},
	},
	{
		name: "emptied", title: "TRUNCATE, DELETE of all rows or keys, or DROP TABLE, under running processes",
		what: "The table is dropped, and later all rows are removed, while four processes have drawn as far ahead as " +
			"they may, and as many others start and do the same; the first of them makes the namespace anew, a Burn " +
			"ahead of the clock.",
		play: func(s *scene) {
			s.anew(s.drop)
			if s.flatOut() {
				s.anew(s.empty)
			}
		},
		crowd: 3, cells: onDatabases(unique()).but(uniqueIf(countAbove), throwaway),
	},
	{
		name: "rename", title: "The table, or its schema, is renamed away and back",
		what: "While the table is away processes draw and try to renew, half a Window later, or stand still for a " +
			"TTL, if they have a state file, and another one starts, which makes a table in its place; then that is " +
			"gone and the first one back, and another process starts. With the condition of Losses: Never the start " +
			"is refused. Without a condition the first processes stand still for a Window.",
		play: func(s *scene) {
			away, back := func() { s.sql("ALTER TABLE TABLE_OF_IDS RENAME TO AWAY") },
				func() { s.sql("DROP TABLE IF EXISTS TABLE_OF_IDS", "ALTER TABLE AWAY RENAME TO TABLE_OF_IDS") }
			switch {
			case s.keyed():
				away = func() { s.keep(); s.remove(everything) }
				back = s.putBack
			case s.postgres() && s.generator == "uncached":
				away = func() { s.sql("ALTER SCHEMA public RENAME TO away", "CREATE SCHEMA public") }
				back = func() { s.sql("DROP SCHEMA public CASCADE", "ALTER SCHEMA away RENAME TO public") }
			}
			if !s.met || s.copies() {
				s.thereAndBack(away, back)
				return
			}
			p := s.drawing()
			s.aged()
			away()
			var other *process
			if s.lossy() {
				other = s.start(how{seat: 1})
			} else if s.durable() {
				s.refused(how{seat: 1, lease: mustExist}, worker.ErrNoNamespace)
			}
			if s.way.column == lossyFile {
				s.allQuietly(func() { s.pass(ttl); s.drain(other) }, p)
			} else {
				s.pass(window / 2)
				s.draw(p, other)
			}
			back()
			s.drawApart(p, other, s.start(how{seat: 2}))
		},
		crowd: 3, cells: onDatabases(uniqueIf(allTried)).
			but(uniqueIf("nobody starts meanwhile"), throwaway).but(uniqueIf(noneMade), durable, withFile).
			but(unique(copied), onKubernetes...),
	},
	{
		name: "split", title: "Two copies of the database accept writes",
		what: "The database is copied while a process draws. " +
			"One process starts on the copy, and another one on the original.",
		play: func(s *scene) {
			p := s.drawing()
			twin := s.split()
			other, third := s.start(how{seat: 1, db: twin}), s.start(how{seat: 2})
			s.drawApart(p, other, third)
		},
		whole: true, crowd: 3, cells: onDatabases(notCovered(twoFiles)),
	},
	{
		name: "regions", title: "Two databases that know nothing of each other serve one layout",
		what: "Two processes draw on each of two databases, and two others on each when the leases of the first" +
			" have ended. Of leases each database has half of the worker IDs, or, without the condition, all.",
		play: func(s *scene) {
			here, there := how{namespace: "regions"}, how{namespace: "regions", seat: 1, db: s.second()}
			if s.leased() {
				half := promised.MaxWorkerID() / 2
				s.region(here, lease.Range{First: 0, Last: half})
				s.region(there, lease.Range{First: half + 1, Last: promised.MaxWorkerID()})
			}
			here2, there2 := here, there
			here2.seat, there2.seat = 2, 3
			for range 2 {
				all := []*process{s.start(here), s.start(there), s.start(here2), s.start(there2)}
				for range 2 {
					s.drawAcross(all...)
				}
				for _, p := range all {
					p.kill()
				}
				s.pass(longGone)
			}
		},
		cells: onDatabases(uniqueIf(ownRanges)).but(notCovered(twoFiles), throwaway),
	},
}

const ownRanges = "each database's namespace has a range of the worker IDs (Founding.IDs), " +
	"and the ranges do not overlap"

// second returns a second, empty database, or nil where there is none.
func (s *scene) second() *base {
	s.t.Helper()
	switch {
	case s.db == nil:
		return nil
	case s.keyed():
		return &base{keys: s.way.keys(s.t, false)}
	}
	return s.opened(s.way.store(s.t))
}

// region makes the namespace of a region: with its range of IDs, if the condition holds.
func (s *scene) region(h how, ids lease.Range) {
	s.t.Helper()
	if !s.met {
		ids = lease.Range{}
	}
	leases, err := s.leases(cmp.Or(h.db, s.db), h.namespace)
	require.NoError(s.t, err)
	require.NoError(s.t, lease.Found(s.t.Context(), leases, lease.Founding{Layout: promised, IDs: ids}))
}

// behind sets the server's clock back by the default MaxClockSkew, without the condition by ten seconds more, where the
// history decides. It returns how a process starts then.
func (s *scene) behind(h how) how {
	h.lease = standardSkew
	if !s.lossy() {
		return h
	}
	by := 2 * time.Second
	h.clock = -time.Second // as far from that clock as from the former one
	if !s.met {
		by += 10 * time.Second
		h.clock = -by
	}
	s.stepDatabase(-by)
	return h
}

// standardSkew has a lease wait for the default MaxClockSkew.
func standardSkew(cfg *lease.Config) { cfg.MaxClockSkew = 0 }

// impatient has a lease give up on its database soon.
func impatient(cfg *lease.Config) { cfg.Timeout = 300 * time.Millisecond }

// mustExist has a lease's start make no namespace.
func mustExist(cfg *lease.Config) { cfg.MustExist = true }

// anew plays that the rows are gone.
func (s *scene) anew(remove func()) {
	s.t.Helper()
	p := s.drawing()
	s.prolong(p)
	s.drainAll(p) // as far ahead as they may be
	var others []*process
	s.allQuietly(func() { // else a running process may be the first to have its ID again
		remove()
		if s.met && s.way.column == throwaway {
			s.made()
			s.countSet()
		}
		for len(others) < 4 {
			others = append(others, s.start(how{seat: 1 + len(others)}))
		}
	}, p)
	others = append(others, p, s.start(how{seat: 8}))
	s.rounds(2, others, others...)
	s.pass(longGone)
	s.draw(s.start(how{seat: 9}))
	s.killAll(s.started...)
	s.crowd, s.crew = len(s.crew), nil // who join again
	s.pass(longGone)
}

// thereAndBack plays that rows go away and come back while their owners stand still, and that another process
// has an ID of new rows meanwhile.
func (s *scene) thereAndBack(away, back func()) {
	s.t.Helper()
	p := s.drawing()
	s.allQuietly(func() {
		away()
		other := s.start(how{seat: 1})
		for range 2 {
			s.drawSome(other)
			s.pass(window / 2)
			s.drain(other)
		}
		other.kill() // else it would write a file that is gone, and the journal of the one in its place
		back()
	}, p)
	s.drawApart(p, s.start(how{seat: 2}))
}

// drawApart has processes draw all that they can have, as their time goes by.
func (s *scene) drawApart(ps ...*process) {
	s.t.Helper()
	s.rounds(3, ps, ps...)
}

// rounds has processes draw so many times, and some of them all that they can have. After each time a window goes by.
func (s *scene) rounds(n int, drained []*process, ps ...*process) {
	s.t.Helper()
	for range n {
		s.draw(ps...)
		for _, p := range drained {
			s.drain(p)
		}
		s.pass(window)
	}
}

// aged waits until a table that is made, or renamed, has another time than the one that is there: it is
// part of the history, and counts seconds.
func (s *scene) aged() {
	s.t.Helper()
	if !s.mysql() {
		return
	}
	require.Eventually(s.t, func() bool {
		var aged bool
		require.NoError(s.t, s.db.Get(&aged, "SELECT CREATE_TIME < NOW() FROM information_schema.TABLES "+
			"WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", s.table()))
		return aged
	}, 20*time.Second, 20*time.Millisecond)
}

// grown waits until a server has a history, which it has not in its first two seconds: till then each start burns
// ticks.
func (s *scene) grown() {
	s.t.Helper()
	if !s.mysql() {
		return
	}
	require.Eventually(s.t, func() bool {
		var name string
		var seconds int
		require.NoError(s.t, s.db.QueryRowx("SHOW GLOBAL STATUS LIKE 'Uptime'").Scan(&name, &seconds))
		return seconds > 2
	}, 20*time.Second, 20*time.Millisecond)
}

// made makes the table of disposable IDs if it is missing, by a start that is given up.
func (s *scene) made() {
	p := s.start(how{seat: 99})
	p.kill()
	s.sql("DELETE FROM TABLE_OF_IDS")
}

// mysqlOnly leaves out what is no server of MySQL's kind.
func mysqlOnly(cells verdicts) verdicts {
	return without(cells, "-sqlite", "-postgres", "-etcd", "-kubernetes", "-zookeeper", "-redis")
}

// without leaves some engines out, where a fault is one of others.
func without(cells verdicts, suffixes ...string) verdicts {
	for _, w := range ways {
		if slices.Contains(suffixes, w.suffix) {
			cells[w.name] = noPart()
		}
	}
	return cells
}
