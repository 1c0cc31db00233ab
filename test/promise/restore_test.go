package promise

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/lease"
)

// A store sees of its server, and of what people do to it, the rows, a clock, and what the history's text is made of.
// So another server is other rows and another text here, and the former one is the former ones. That real ones tell
// such texts is for the tests of histories in test/databases.
var restoreFaults = []fault{
	{
		name: "server-restart", title: "The database server, or the machine of a SQLite file, is restarted",
		what: "The server tells of another history, or, with a SQLite file, all processes are killed. Others start.",
		play: func(s *scene) {
			p := s.drawing()
			s.prolong(p)
			s.drainAll(p)
			if s.sqlite() {
				s.killAll(p)
			} else {
				s.promote()
			}
			s.drawApart(p, s.start(how{seat: 1}), s.start(how{seat: 2}))
		},
		crowd: 3, cells: onDatabases(unique()),
		also: []string{"test/databases TestHistoryOfAServer", "test/soak TestEngine"},
	},
	{
		name: "there-and-back", title: "There and back: to server B, then A again, which lacks B's writes",
		what: "Three processes start on another server than the first ones, which go on there, too; then the table " +
			"is what it was before. With the condition of leases the server tells of one more history, and its clock " +
			"is behind by MaxClockSkew; else it tells of the first.",
		play: func(s *scene) {
			p := s.start(how{lease: standardSkew})
			s.drawSome(p)
			if s.sqlite() {
				return
			}
			s.prolong(p)
			s.drainAll(p)
			s.keep()
			if s.leased() {
				s.promote()
			}
			all := []*process{p}
			for seat := range 3 {
				all = append(all, s.start(how{seat: 1 + seat, lease: standardSkew}))
			}
			s.rounds(2, all, all...)
			s.allQuietly(func() {
				s.putBack()
				h := how{}
				switch {
				case !s.leased():
					s.countSet()
				case s.met:
					s.promote()
					h = s.behind(h)
				default:
					s.line.Add(-1)
				}
				other := h
				h.seat, other.seat = 4, 5
				all = append(all, s.start(h), s.start(other))
			}, all...)
			s.drawApart(all...)
		},
		whole: true, crowd: 3, cells: without(onDatabases(uniqueIf(backRestarted)).
			but(uniqueIf(countAbove), throwaway).but(notCovered(neverSays), durable, withFile), "-sqlite"),
		also: []string{"test/databases TestHistoryOfAServer"},
	},
	{
		name:  "applies",
		title: "A replica, or one of two servers that replicate to each other, takes over before it has applied all",
		what: "Twice another server takes over, which lacks what the processes have written in the last half Window; " +
			"once others have started there, that is laid over their rows. With the condition it lacks nothing.",
		play: func(s *scene) {
			all := []*process{s.drawing()}
			if !s.mysql() {
				return
			}
			s.prolong(all[0])
			s.sql("CREATE TABLE LATE LIKE TABLE_OF_IDS")
			for range 2 {
				s.keep()
				s.pass(window / 2)
				all = append(all, s.start(how{seat: len(all)}))
				s.draw(all...)
				s.drainAll(all...)
				s.allQuietly(func() {
					if !s.met {
						s.sql("DELETE FROM LATE", "INSERT INTO LATE SELECT * FROM TABLE_OF_IDS")
						s.putBack()
					}
					s.promote()
					other := s.start(how{seat: len(all)})
					s.drawSome(other)
					s.drain(other)
					if !s.met {
						s.sql("REPLACE INTO TABLE_OF_IDS SELECT * FROM LATE")
					}
					all = append(all, other)
				}, all...)
				s.rounds(2, all, all...)
			}
		},
		crowd: 3, cells: mysqlOnly(onDatabases(uniqueIf(allApplied))),
		also: []string{"test/databases TestStartOnAServerThatFollows"},
	},
	{
		name:  "restore",
		title: "A backup takes the table's or the file's place (a dump, createdb -T, rm and cp, mv)",
		what: "A backup is made when no ID is in use. A table is dropped, made anew and filled from it, or it is a " +
			"copy of the database, which is renamed; a SQLite file is removed and the backup copied or moved there.",
		play:  comesBack((*scene).replacement, func(s *scene) bool { return s.durable() && !s.copies() }),
		crowd: 3, cells: onDatabases(unique()).
			but(uniqueIf(countAbove), throwaway).but(uniqueIf(allStopped), durable, withFile).
			but(unique(copied), onKubernetes...),
		also: []string{
			"test/soak TestRound", "test/databases TestHistoryOfATable", "test/databases TestHistoryOfAFile",
		},
	},
	{
		name: "in-place",
		title: "A backup is laid over what is there (cp over a SQLite file, IMPORT TABLESPACE, EXCHANGE PARTITION, " +
			"etcd's snapshot)",
		what: "The same with the ways that keep the table or the file; on PostgreSQL rows are deleted and inserted, " +
			"and on Kubernetes etcd is put back to a snapshot.",
		play:  comesBack((*scene).overlay, (*scene).leased),
		whole: true, crowd: 3, cells: onDatabases(uniqueIf(allStopped)).but(uniqueIf(countAbove), throwaway),
		also: []string{"test/engines/etcd TestRestore"},
	},
	{
		name:  "rows-back",
		title: "All rows, the namespace's too, are deleted, and put back after a start",
		what: "Two processes start when the rows of those that draw are gone, and draw all that they can have; then " +
			"there are the former rows, and two more start, the first on an ID that was free in these.",
		play: func(s *scene) {
			former := s.start(how{seat: 5, alone: true})
			p := s.drawing()
			former.kill()
			for range 3 { // until the former one's quarantine is over
				s.pass(ttl - window)
				s.draw(p)
			}
			for _, cure := range s.cures(s.leased() && !s.copies()) {
				s.prolong(p)
				s.drainAll(p)
				s.keep()
				all := []*process{p}
				s.allQuietly(func() {
					s.removeRows()
					all = append(all, s.start(how{seat: 1}), s.start(how{seat: 2}))
				}, p)
				s.rounds(2, all, all...)
				p = s.harmed(cure, func() {
					s.removeRows()
					s.insertRows()
				}, all...)
			}
		},
		crowd: 3, cells: onDatabases(uniqueIf(allStopped)).but(unique(), throwaway).
			but(unique(copied), onKubernetes...),
	},
}

const (
	backRestarted = "A was restarted before, and its clock is behind B's by no more than MaxClockSkew"
	allApplied    = "no clients reach it before: starts are refused, but with Follows, and where MySQL does not show it"
	allStopped    = "all processes are stopped first, and start after uid worker init --lost, or when the clock has " +
		"passed all that they issued (at once if nothing was ahead of it, at most two minutes and a tick later)"
)

// drainAll has processes and the crew draw as far ahead as they may.
func (s *scene) drainAll(ps ...*process) {
	s.t.Helper()
	for _, p := range append(slices.Clone(s.crew), ps...) {
		s.drain(p)
	}
}

// comesBack plays that a backup is put back, which keep keeps. Where stops says so, the condition is that all
// processes are stopped.
func comesBack(keep func(s *scene) (putBack func()), stops func(s *scene) bool) func(s *scene) {
	return func(s *scene) {
		p := s.start(how{alone: true})
		for _, cure := range s.cures(stops(s)) {
			s.drawSome(p)
			p.kill()
			s.pass(longGone)
			putBack := keep(s)
			s.pass(longGone)
			p = s.drawing()
			s.prolong(p)
			s.drainAll(p)
			p = s.harmed(cure, func() {
				putBack()
				if s.way.column == throwaway {
					s.countSet()
				}
			}, p)
		}
	}
}

// cures are what the note allStopped says, of which one is enough, or else nothing.
func (s *scene) cures(stops bool) []func() {
	switch {
	case !stops || !s.met:
		return []func(){nil}
	case !s.flatOut():
		return []func(){s.passed}
	}
	return []func(){s.passed, func() {
		lost := lease.Founding{Layout: promised, Lost: true}
		require.NoError(s.t, s.registry().Init(s.t.Context(), "", lost))
	}}
}

// harmed does harm under processes, after which two others start. With a cure all are stopped before. It returns a
// process that draws.
func (s *scene) harmed(cure, harm func(), all ...*process) *process {
	s.t.Helper()
	seat := 6
	if cure != nil {
		s.killAll(all...)
		seat = 0 // whose state file is free again
	}
	var p *process
	s.allQuietly(func() { // else a running process may notice first
		harm()
		if cure != nil {
			cure()
		}
		p = s.start(how{seat: seat})
		s.draw(p) // at once
	}, all...)
	other := s.start(how{seat: 7})
	s.drawApart(append(all, p, other)...)
	other.kill()
	return p
}

// replacement makes a backup, and returns what puts it in the place of what is there then.
func (s *scene) replacement() (putBack func()) {
	s.t.Helper()
	switch backup := s.store.Source + ".backup"; {
	case s.sqlite():
		s.copyFile(s.store.Source, backup)
		return func() {
			if s.generator == "uncached" {
				s.move(backup, s.store.Source)
				return
			}
			require.NoError(s.t, s.db.Close()) // so that the file's number is free, and may be that of the next one
			require.NoError(s.t, os.Remove(s.store.Source))
			s.copyFile(backup, s.store.Source)
			s.db = s.opened(s.store)
		}
	case s.postgres() && s.generator == "cached":
		return s.copiedDatabase()
	}
	s.keep()
	return func() {
		switch {
		case s.lossy() && s.keyed():
			s.promote()
		case s.keyed():
		default:
			s.aged()
			s.sql("DROP TABLE TABLE_OF_IDS")
			if s.leased() {
				s.make("", promised)
			} else {
				s.made()
			}
		}
		s.putBack()
	}
}

// copiedDatabase makes a copy of a database of PostgreSQL, and returns what renames it.
func (s *scene) copiedDatabase() (putBack func()) {
	s.t.Helper()
	u, err := url.Parse(s.store.Source)
	require.NoError(s.t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	admin := engines.Database{Driver: s.store.Driver, Source: u.String()}.Open(s.t)
	do := func(statements ...string) {
		s.db.SetMaxIdleConns(0) // nobody may be connected
		for _, statement := range statements {
			engines.Do(s.t, admin, strings.ReplaceAll(statement, "{name}", name))
		}
		s.db.SetMaxIdleConns(2)
	}
	do("CREATE DATABASE {name}_copy TEMPLATE {name}")
	return func() {
		do("ALTER DATABASE {name} RENAME TO {name}_away", "ALTER DATABASE {name}_copy RENAME TO {name}",
			"DROP DATABASE {name}_away")
	}
}

// overlay makes a backup, and returns what lays it over what is there then.
func (s *scene) overlay() (putBack func()) {
	s.t.Helper()
	switch {
	case s.sqlite():
		backup := s.store.Source + ".backup"
		s.copyFile(s.store.Source, backup)
		return func() { s.copyFile(backup, s.store.Source) }
	case !s.mysql():
		s.keep()
		return s.putBack
	}
	cfg, err := mysql.ParseDSN(s.store.Source)
	require.NoError(s.t, err)
	var data string
	require.NoError(s.t, s.db.Get(&data, "SELECT @@datadir"))
	table := filepath.Join(data, cfg.DBName, s.table())
	_, err = os.Stat(table + ".ibd") // it may be a server elsewhere
	if s.generator == "cached" || err != nil || len(s.store.Others) > 0 {
		s.sql("DROP TABLE IF EXISTS PARTS", "CREATE TABLE PARTS LIKE TABLE_OF_IDS",
			"ALTER TABLE PARTS PARTITION BY RANGE ("+s.idColumn()+") (PARTITION P VALUES LESS THAN MAXVALUE)",
			"INSERT INTO PARTS SELECT * FROM TABLE_OF_IDS")
		return func() { s.sql("ALTER TABLE PARTS EXCHANGE PARTITION P WITH TABLE TABLE_OF_IDS") }
	}
	copyTo := func(from, to string) func() {
		return func() {
			for _, end := range []string{".ibd", ".cfg"} {
				s.copyFile(from+end, to+end)
			}
		}
	}
	s.sqlAround(copyTo(table, table+"-backup"), "FLUSH TABLES TABLE_OF_IDS FOR EXPORT", "UNLOCK TABLES")
	return func() {
		s.sqlAround(copyTo(table+"-backup", table),
			"ALTER TABLE TABLE_OF_IDS DISCARD TABLESPACE", "ALTER TABLE TABLE_OF_IDS IMPORT TABLESPACE")
	}
}

// passed lets time go by until the clock has passed all that was issued, which it does as soon as the notes say.
func (s *scene) passed() {
	s.t.Helper()
	terms, next := promised.Terms(), int64(0)
	for _, p := range s.started {
		next = max(next, p.next)
	}
	wait := terms.Epoch.Add(time.Duration(next) * terms.Unit).Sub(s.steady())
	most := cmp.Or(s.lead(), 90*time.Second)
	if s.leased() {
		most = lease.Burn - skew // two minutes with the default MaxClockSkew
	}
	require.LessOrEqual(s.t, wait, most+promisedTick)
	s.pass(max(wait, 0))
}
