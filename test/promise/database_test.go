package promise

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/test/proxy"
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
func (s *scene) keep() { s.sql("CREATE TABLE KEPT AS SELECT * FROM TABLE_OF_IDS") }

func (s *scene) putBack() {
	s.t.Helper()
	s.sql("DELETE FROM TABLE_OF_IDS", "INSERT INTO TABLE_OF_IDS SELECT * FROM KEPT")
	if s.way.column == throwaway {
		var newest int64
		require.NoError(s.t, s.db.Get(&newest, "SELECT MAX(ID) FROM WORKER_NODE"))
		s.countFrom(newest + 1)
	}
}

// countFrom sets the next disposable ID.
func (s *scene) countFrom(id int64) {
	if s.sqlite() {
		s.sql(fmt.Sprintf("UPDATE sqlite_sequence SET seq = %d WHERE name = 'WORKER_NODE'", id-1))
	} else {
		s.sql(fmt.Sprintf("ALTER TABLE WORKER_NODE AUTO_INCREMENT = %d", id))
	}
}

// empty removes all rows as an operator does who starts from scratch.
func (s *scene) empty() {
	if s.db != nil && s.sqlite() {
		s.sql("DELETE FROM TABLE_OF_IDS")
	} else {
		s.sql("TRUNCATE TABLE TABLE_OF_IDS")
	}
}

// A link is a process's own way to the database, which can be cut.
type link struct {
	db       *sqlx.DB
	proxy    *proxy.Proxy // nil for SQLite, whose file does not come back to this process
	down, up func()
}

func (s *scene) link() link {
	s.t.Helper()
	if s.db == nil {
		return link{down: func() {}, up: func() {}}
	}
	if s.sqlite() {
		db := s.store.Open(s.t)
		return link{db: db, down: func() { db.Close() }, up: func() {}}
	}
	cfg, err := mysql.ParseDSN(s.store.Source)
	require.NoError(s.t, err)
	p := kit.NewProxy(s.t, cfg.Addr)
	cfg.Addr = p.Addr()
	db := kit.Store{Driver: s.store.Driver, Source: cfg.FormatDSN()}.Open(s.t)
	return link{db: db, proxy: p, down: func() { p.Refuse(true) }, up: func() { p.Refuse(false) }}
}

// split makes the twin: a second database with the same content.
func (s *scene) split() *sqlx.DB {
	s.t.Helper()
	if s.db == nil {
		return nil
	}
	if s.sqlite() {
		path := filepath.Join(s.t.TempDir(), "twin.db")
		s.sql("VACUUM INTO '" + path + "'")
		s.twin = kit.Store{Driver: "sqlite", Source: path}.Open(s.t)
		return s.twin
	}
	cfg, err := mysql.ParseDSN(s.store.Source)
	require.NoError(s.t, err)
	s.twin = kit.NewMySQL(s.t).Open(s.t)
	kit.Do(s.t, s.twin, fmt.Sprintf("CREATE TABLE %s LIKE %s.%[1]s", s.table(), cfg.DBName),
		fmt.Sprintf("INSERT INTO %s SELECT * FROM %s.%[1]s", s.table(), cfg.DBName))
	return s.twin
}

const (
	countSet     = "the table's counter is set above the largest ID ever given before anybody starts"
	allStopped   = "all processes are stopped first, and start again when the clock has passed all that they issued"
	durableSays  = "DurableStore says that this does not happen; a start refuses settings that show that it can"
	skewAndReach = "the new server's clock is behind the old one's by no more than MaxClockSkew, and, as for `restore`, no owner's Window is longer than any before"
	longestKept  = "no owner's Window is longer than the longest one of any when the backup was made, and of whoever starts"
	idsRepeat    = "the database gives the lost IDs again"
)

var databaseFaults = []fault{
	{
		name:  "outage",
		title: "The database cannot be reached, by one process (a partition) or by all",
		what: "A process is cut off its database until its lease is over and another one has its ID. It draws what it has reserved; with a state file it is also killed (closed, where nothing is reserved beyond what its file has) and started again meanwhile." +
			" Then the database is back (for a SQLite file: the process is started again).",
		play: func(s *scene) {
			l := s.link()
			p := s.start(how{db: l.db})
			s.drawSome(p)
			if s.way.column == lossyFile { // until ticks are reserved beyond its first ones
				s.prolong(p)
			}
			l.down()
			s.draw(p)
			s.pass(window / 2)
			s.draw(p)
			if s.keepsState() && s.db != nil && !s.sqlite() {
				if s.durable() {
					p.kill()
				} else {
					p.stop()
				}
				p = s.start(how{db: l.db, lease: impatient})
				s.drawSome(p)
			}
			s.pass(longGone)
			other := s.start(how{seat: 1})
			s.drain(p)
			s.draw(p, other)
			l.up()
			if s.db != nil && s.sqlite() {
				p.kill()
				p = s.start(how{})
			}
			for range 3 {
				s.pass(window)
				s.draw(p, other)
			}
		},
		crowd: 3,
		cells: everywhere(unique()),
		also:  []string{"test/databases TestServerRestarts"},
	},
	{
		name:  "lost-reply",
		title: "The reply to a commit is lost, or the commit",
		what:  "A process's renewal is committed and it does not hear of it, or is never heard of; the same with another process's start.",
		play: func(s *scene) {
			if s.db == nil || s.sqlite() {
				s.drawSome(s.start(how{}))
				return
			}
			l := s.link()
			p := s.start(how{db: l.db})
			write := "COMMIT"
			if s.leased() {
				write = cluster.LeaseWrite
			}
			for _, swallow := range []func(string){l.proxy.SwallowReply, l.proxy.SwallowRequest} {
				s.drawSome(p)
				if s.leased() {
					swallow(write)
					s.pass(window)
					s.draw(p)
					s.draw(p)
				}
				before := l.proxy.Swallowed()
				swallow(write)
				other := s.start(how{seat: s.processes, db: l.db})
				require.Equal(s.t, before+1, l.proxy.Swallowed())
				s.draw(p, other)
				s.pass(window)
				s.draw(p, other)
			}
			s.pass(longGone)
			s.draw(p, s.start(how{seat: s.processes}), s.start(how{seat: s.processes + 1}))
		},
		crowd: 1,
		cells: mysqlOnly(onDatabases(unique())),
		also:  []string{"test/engines/faults TestLeases", "test/databases TestLostReplies"},
	},
	{
		name:  "failover",
		title: "The newest commits are lost (a failover to a replica that lags, a crash without a synced log)",
		what: "The table is put back to what it was half a Window ago: a renewal and another process's start are lost, and a third process starts." +
			" Without the condition the clock goes back by half a minute with it.",
		play: func(s *scene) {
			p := s.start(how{})
			s.drawSome(p)
			s.prolong(p)
			s.keep()
			s.pass(window / 2)
			s.draw(p)
			s.drain(p)
			other := s.start(how{seat: 1})
			s.drawSome(other)
			s.draw(p, other)
			var third *process
			other.quietly(func() { // else a running process may be the first to take the other one's ID
				s.allQuietly(p, func() {
					s.putBack()
					if !s.met && s.lossy() {
						s.stepDatabase(-30 * time.Second)
					}
					third = s.start(how{seat: 2, lease: anyClock})
				})
			})
			for range 3 {
				s.draw(p, other, third)
				s.pass(window)
				s.drain(third)
			}
			s.draw(p, other, third)
		},
		crowd: 3,
		cells: map[string]cell{
			static: noPart(), file: noPart(), throwaway: notCovered(idsRepeat), leased: uniqueIf(skewAndReach), lossyFile: uniqueIf(skewAndReach),
			durable: notCovered(durableSays), withFile: notCovered(durableSays),
		},
		also: []string{"test/engines/faults TestLeases"},
	},
	{
		name:  "restore",
		title: "An old backup of the database is put back",
		what: "The table is put back to what it was before all IDs that are in use, and another process starts." +
			" With the condition of DurableStore all processes are killed before, and time passes; without that of other leases the running process has a longer Window.",
		play: func(s *scene) {
			p := s.start(how{alone: true})
			s.drawSome(p)
			p.stop()
			s.pass(longGone)
			s.keep()
			s.pass(longGone)
			h := how{}
			if !s.met && s.lossy() {
				h.lease = farSighted
			}
			p = s.start(h)
			s.drawSome(p)
			s.prolong(p)
			s.drain(p)
			if s.met && s.durable() {
				s.killAll(p)
				s.pass(longGone)
			}
			var other *process
			s.allQuietly(p, func() { // else a running process may notice first
				s.putBack()
				if s.met && s.way.column == throwaway {
					s.countFrom(1000)
				}
				other = s.start(how{seat: 1})
			})
			for range 8 { // beyond the longer Window
				s.draw(p, other)
				s.pass(window)
				s.drain(other)
			}
		},
		crowd: 3,
		cells: map[string]cell{
			static: noPart(), file: noPart(), throwaway: uniqueIf(countSet), leased: uniqueIf(longestKept), lossyFile: uniqueIf(longestKept), durable: uniqueIf(allStopped), withFile: uniqueIf(allStopped),
		},
		also: []string{"test/soak TestRound"},
	},
	{
		name:  "truncate",
		title: "TRUNCATE, or DELETE of all rows, under running processes",
		what: "All rows are removed while a process draws, and another one is to start. Without DurableStore it makes the namespace anew, which then rests; with it the start is refused" +
			" until an operator makes the namespace, with a Rest or, without the condition, with none.",
		play:  anew((*scene).empty),
		crowd: 3,
		cells: map[string]cell{
			static: noPart(), file: noPart(),
			throwaway: uniqueIf(countSet), throwaway + "-sqlite": unique("the counter of AUTOINCREMENT stays"),
			leased: uniqueIf(restIsEnough), lossyFile: uniqueIf(restIsEnough), durable: uniqueIf(initRests), withFile: uniqueIf(initRests),
		},
	},
	{
		name:  "drop",
		title: "DROP TABLE under running processes",
		what:  "The same with the whole table.",
		play:  anew(func(s *scene) { s.sql("DROP TABLE TABLE_OF_IDS") }),
		crowd: 3,
		cells: map[string]cell{
			static: noPart(), file: noPart(), throwaway: uniqueIf(countSet),
			leased: uniqueIf(restIsEnough), lossyFile: uniqueIf(restIsEnough), durable: uniqueIf(initRests), withFile: uniqueIf(initRests),
		},
	},
	{
		name:  "rename",
		title: "The table is renamed away and back (a schema change in two steps)",
		what: "While the table is away a process draws and tries to renew, and another one is to start; then the table is back in its place, and another process starts." +
			" With DurableStore there is nothing in its place, or an operator makes a namespace there," +
			" with a Rest or, without the condition, with none. Without the condition of other leases" +
			" the processes have a longer TTL and stand still," +
			" and the table is back when another one has got an ID from a new table.",
		play: func(s *scene) {
			h := how{}
			if !s.met && s.lossy() {
				h.lease = farSighted
			}
			p := s.start(h)
			s.drawSome(p)
			s.sql("ALTER TABLE TABLE_OF_IDS RENAME TO AWAY")
			var other *process
			switch {
			case !s.met && s.lossy():
				s.allQuietly(p, func() {
					s.refused(how{seat: 1}, uid.ErrNoReservation)
					s.pass(newRest + time.Second)
					other = s.start(how{seat: 1})
					for range 2 {
						s.drawSome(other)
						s.pass(window)
						s.drawSome(other)
						s.drain(other)
					}
					s.putInPlace()
				})
			default:
				s.allQuietly(p, func() { // else they may be the first to get their IDs again
					if s.durable() && (!s.met || s.generator == "cached") {
						s.makeAnew()
					}
					if s.way.column != throwaway || !s.met {
						other = s.startUnless(how{seat: 1}, uid.ErrNoReservation, worker.ErrNoNamespace)
					}
				})
				s.pass(window / 2)
				s.draw(p)
				s.draw(p, other)
				s.putInPlace()
			}
			third := s.startUnless(how{seat: 2}, uid.ErrNoReservation) // too far ahead, after a longer Window
			for range 3 {
				s.draw(p, other, third)
				s.drain(p)
				s.pass(window)
			}
		},
		crowd: 3,
		cells: map[string]cell{
			static: noPart(), file: noPart(), throwaway: uniqueIf("nobody starts meanwhile"),
			leased: uniqueIf(backInTime), lossyFile: uniqueIf(backInTime),
			durable: uniqueIf(restsUntilBack), withFile: uniqueIf(restsUntilBack),
		},
	},
	{
		name:  "split",
		title: "Two copies of the database both accept writes",
		what:  "The database is copied while a process draws. One process starts on the copy, and another one on the original.",
		play: func(s *scene) {
			p := s.start(how{})
			s.drawSome(p)
			twin := s.split()
			other, third := s.start(how{seat: 1, db: twin}), s.start(how{seat: 2})
			for range 3 {
				s.draw(p, other, third)
				s.pass(window)
				s.draw(other, third)
			}
		},
		crowd: 3,
		cells: onDatabases(notCovered("each copy gives the same IDs")),
	},
	{
		name:  "regions",
		title: "Two databases that know nothing of each other serve one layout",
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
					s.draw(all...)
					s.pass(window)
					s.draw(all...)
				}
				for _, p := range all {
					p.kill()
				}
				s.pass(longGone)
			}
		},
		cells: map[string]cell{
			static: noPart(), file: noPart(), throwaway: notCovered("each database gives the same IDs"),
			leased: uniqueIf(ownRanges), lossyFile: uniqueIf(ownRanges), durable: uniqueIf(ownRanges), withFile: uniqueIf(ownRanges),
		},
	},
}

const backInTime = "it is back within five minutes, or no owner's TTL is longer than the rest of the namespace that a start makes in its place"

const restsUntilBack = "no other namespace is made in its place, " +
	"or one with a Rest (Registry.Init) that lasts until the table is back"

const ownRanges = "each database's namespace has a range of the worker IDs (Founding.IDs), and the ranges do not overlap"

// second makes the twin: a second, empty database.
func (s *scene) second() *sqlx.DB {
	s.t.Helper()
	if s.db == nil {
		return nil
	}
	s.twin = s.way.store(s.t).Open(s.t)
	return s.twin
}

// region makes the namespace of a region: with its range of IDs, if the condition holds.
func (s *scene) region(h how, ids lease.Range) {
	s.t.Helper()
	if !s.met {
		ids = lease.Range{}
	}
	db := h.db
	if db == nil {
		db = s.db
	}
	leases, err := s.tables(db).Leases(h.namespace)
	require.NoError(s.t, err)
	require.NoError(s.t, lease.Found(s.t.Context(), leases, lease.Founding{Terms: promised.Terms(), IDs: ids}))
}

const (
	restIsEnough = "no owner's 3/2 Window is longer than the namespace's rest: 5 minutes, or the TTL or Quarantine of the process that makes it anew, if one is longer"
	initRests    = "Registry.Init gets a Rest of at least every owner's TTL, Offline, 3/2 Window and generator's MaxLead"
)

// impatient has a lease give up on its database soon.
func impatient(cfg *lease.Config) { cfg.Timeout = 300 * time.Millisecond }

// farSighted gives a lease a Window that is longer than the rest of a new namespace.
func farSighted(cfg *lease.Config) {
	cfg.Window, cfg.TTL = 5*time.Minute, 10*time.Minute
}

// anew plays that the rows are gone.
func anew(remove func(s *scene)) func(s *scene) {
	return func(s *scene) {
		if !s.met && s.lossy() {
			s.outlived(remove)
			return
		}
		p := s.start(how{})
		s.drawSome(p)
		s.prolong(p)
		remove(s)
		var other *process
		switch {
		case s.durable():
			s.refused(how{seat: 1}, worker.ErrNoNamespace)
			s.makeAnew()
			other = s.startUnless(how{seat: 1}, uid.ErrNoReservation)
		case s.leased():
			s.refused(how{seat: 1}, uid.ErrNoReservation)
		default:
			if s.met && s.way.column == throwaway {
				s.made()
				s.countFrom(1000)
			}
			other = s.start(how{seat: 1})
		}
		s.draw(p, other)
		s.pass(window)
		s.draw(p, other)
		s.pass(newRest + time.Second - window)
		third := s.startUnless(how{seat: 2}, uid.ErrNoReservation)
		for range 3 {
			s.draw(p, other, third)
			s.drain(third)
			s.drain(p)
			s.pass(window)
		}
		s.pass(longGone)
		s.draw(s.startUnless(how{seat: 3}, uid.ErrNoReservation))
	}
}

// outlived plays that what a process has drawn lies further ahead than a new namespace rests.
// All stand still then: else it could be quicker than another one to have its ID again.
func (s *scene) outlived(remove func(s *scene)) {
	s.t.Helper()
	p := s.start(how{lease: farSighted})
	s.drawSome(p)
	s.prolong(p)
	s.drain(p)
	s.allQuietly(p, func() {
		remove(s)
		s.refused(how{seat: 1}, uid.ErrNoReservation)
		s.pass(newRest + time.Second)
		other := s.start(how{seat: 1})
		for range 3 {
			s.drawSome(other)
			s.drain(other)
			s.pass(window)
		}
	})
}

// makeAnew makes the namespace as an operator does, with a Rest if that is the condition.
func (s *scene) makeAnew() {
	s.t.Helper()
	if s.met {
		s.found(promisedOffline + ttl)
	} else {
		s.found(0)
	}
}

// putInPlace renames the table back, when it has removed what took its place.
func (s *scene) putInPlace() {
	s.t.Helper()
	s.sql("DROP TABLE IF EXISTS TABLE_OF_IDS", "ALTER TABLE AWAY RENAME TO TABLE_OF_IDS")
}

// newRest is for how long a namespace rests that a start has made.
const newRest = 5 * time.Minute

// made makes the table of disposable IDs if it is missing, by a start that is given up.
func (s *scene) made() {
	p := s.start(how{seat: 99})
	p.kill()
	s.sql("DELETE FROM TABLE_OF_IDS")
}

// mysqlOnly leaves SQLite out, where a fault is one of servers.
func mysqlOnly(cells map[string]cell) map[string]cell {
	for _, w := range ways {
		if strings.HasSuffix(w.name, "-sqlite") {
			cells[w.name] = noPart()
		}
	}
	return cells
}
