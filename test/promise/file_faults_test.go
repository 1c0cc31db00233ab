package promise

import (
	"errors"
	"io/fs"
	"os"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker"
)

var fileFaults = []fault{
	{
		name: "file-copied", title: "A state file or a SQLite file is copied, and both are used",
		what: "A state file is copied while a process draws, and another process is started on the copy; without the " +
			"condition both are on one host. A SQLite file without state files is copied while in use, and processes " +
			"start on both.",
		play: func(s *scene) {
			p := s.drawing()
			if !s.keepsState() {
				if !s.sqlite() {
					return
				}
				other, third := s.start(how{seat: 1, db: s.split()}), s.start(how{seat: 2})
				s.drawApart(p, other, third)
				return
			}
			h := how{path: s.path(0) + ".copy"}
			last := p.copyState(h.path)
			var other *process
			if s.met {
				h.host = "beta"
				s.refused(h, worker.ErrState)
			} else {
				s.drawBeyond(p, last)
				other = s.start(h)
				s.drawBeyond(other, last)
			}
			s.drawApart(p, other)
		},
		crowd: 3, cells: onFiles(uniqueIf(otherHost)).but(notCovered(twoFiles), sqliteWays...),
	},
	{
		name:  "file-moved",
		title: "A state file or a SQLite file is moved away while in use, and a new one made",
		what: "A state file is moved while a process draws, and another process starts in the same way, so that it " +
			"makes a new file. A SQLite file without state files is moved, with and without a write-ahead log, and " +
			"the same is played as for DROP TABLE, or, without the condition of leases by history, as for a table " +
			"that is renamed away and back.",
		play: func(s *scene) {
			if s.sqlite() && !s.keepsState() {
				if s.generator == "uncached" { // SQLite itself notices only without it
					s.sql("PRAGMA journal_mode = WAL")
				}
				if s.lossy() && !s.met {
					s.thereAndBack(s.moveDatabase, s.moveBack)
				} else {
					s.anew(s.moveDatabase)
				}
				return
			}
			p := s.drawing()
			s.drain(p)
			if s.keepsState() {
				require.NoError(s.t, os.Rename(s.path(0), s.path(0)+".moved"))
			}
			if s.met && s.way.column == file {
				p.kill()
				s.passed()
			}
			other := s.start(how{seat: s.otherSeat()})
			s.rounds(3, nil, p, other)
		},
		crowd: 3, cells: onFiles(unique()).
			but(uniqueIf(clockHasPassed), file).
			but(notCovered("a new file gives the same IDs again"), throwaway+"-sqlite").
			but(uniqueIf(notBack), leased+"-sqlite").but(unique(), durable+"-sqlite"),
		also: []string{"worker/statefile TestFileLostUnderGenerators"},
	},
	{
		name: "file-linked", title: "A state file or a SQLite file has two names (a hard link)",
		what: "A second process starts by the other name, which is refused, while a first one draws; then the first " +
			"one is killed, and another one starts by the second name, and one more by the first.",
		play: func(s *scene) {
			path := s.path(0)
			if s.sqlite() && !s.keepsState() {
				path = s.store.Source
			}
			p := s.drawing()
			if !s.keepsState() && !s.sqlite() {
				return
			}
			require.NoError(s.t, os.Link(path, path+".link"))
			h := how{path: path + ".link"}
			if !s.keepsState() {
				h = how{seat: 1, db: s.opened(engines.Database{Driver: "sqlite", Source: path + ".link"})}
			}
			other := s.startUnless(h, uid.ErrWorkerInUse, worker.ErrState)
			s.drawAcross(p, other)
			p.kill()
			other.kill()
			third := s.startUnless(h, worker.ErrState)
			s.draw(third)
			third.kill()
			require.NoError(s.t, os.Remove(path+".link"))
			s.draw(s.start(how{}))
		},
		crowd: 3, cells: onFiles(unique()).but(unique(), sqliteWays...),
	},
	{
		name: "disk-restored", title: "The disk of a state file or a SQLite file is put back to a snapshot",
		what: "A state file is copied, and so is the SQLite file, if there is one; with a state file its process " +
			"draws, else no ID is in use. Processes draw as far ahead as they may, are killed, and start again on " +
			"the copies.",
		play: func(s *scene) {
			p := s.drawing()
			var disk []string
			if s.keepsState() {
				disk = append(disk, s.path(0))
			}
			if s.sqlite() {
				disk = append(disk, s.store.Source)
			}
			if disk == nil {
				return
			}
			if !s.keepsState() {
				s.killAll(p)
				s.pass(longGone)
			}
			var last int64
			s.allQuietly(func() { // else the copy may be of a grant that nobody has heard of yet
				for _, path := range disk {
					s.copyFile(path, path+".backup")
				}
				last = p.granted().Last
			}, p)
			if s.keepsState() {
				s.drawBeyond(p, last)
			} else {
				s.pass(longGone)
				p = s.drawing()
			}
			s.drainAll(p)
			s.killAll(p)
			for _, path := range disk {
				s.copyFile(path+".backup", path)
			}
			if s.met {
				s.passed()
			}
			s.drawApart(s.start(how{}), s.start(how{seat: 1}))
		},
		crowd: 3, cells: onFiles(uniqueIf(clockHasPassed)).but(uniqueIf(clockHasPassed), sqliteWays...),
	},
	{
		name: "state-damaged", title: "The newest record of a state file is damaged after a kill",
		what: "Two processes draw all that is reserved, renew it and are killed;" +
			" a bit of the newest record of each one's file is flipped. Others start on the files, and the same again.",
		crowd: 1,
		play: func(s *scene) {
			for round := range 3 {
				p, other := s.start(how{}), s.start(how{seat: 1})
				s.draw(p, other)
				if !s.keepsState() {
					return
				}
				s.drain(p)
				s.drain(other)
				s.pass(window)
				s.draw(p, other)
				p.kill()
				other.kill()
				require.NoError(s.t, state.Damage(s.path(0), 1000*round))
				require.NoError(s.t, state.Damage(s.path(1), 1000*round+1))
			}
			s.draw(s.start(how{}), s.start(how{seat: 1}))
		},
		cells: onFiles(unique()),
		also: []string{
			"worker/statefile TestFileKills", "worker/lease TestNoTickTwice", "internal/state TestFileWithAFlippedBit",
		},
	},
	{
		name: "disk-full", title: "The disk is full",
		what: "Nothing can be written any more: to the state file, or, without one, to the database (in SQLite no " +
			"page can be added; on servers the table's trigger reports error 1114, or 53100). A process draws what " +
			"it has, another one is refused; later there is room again.",
		play: func(s *scene) {
			db := s.roomyDatabase()
			p := s.start(how{db: db})
			s.drawSome(p)
			if s.way.column == static {
				return
			}
			room := s.fillDisk(p)
			s.drawAcross(p)
			if s.db != nil && !s.keepsState() {
				_, err := s.try(how{seat: 1, db: db, lease: impatient})
				require.Error(s.t, err)
			}
			s.pass(window)
			s.draw(p)
			room()
			p.kill()
			p = s.start(how{db: db})
			other := s.start(how{seat: 1, db: db})
			s.drawAcross(p, other)
		},
		crowd: 3, cells: everywhere(unique()).but(noPart(), static),
		also: []string{"worker/statefile TestFileOnAFullDisk", "internal/state TestFileOnAFullDisk"},
	},
}

const (
	otherHost = "the copy is on a host with another name (or Host), where it is refused"
	twoFiles  = "both give the same IDs"
)

// onFiles has the same verdict for all ways that keep a state file.
func onFiles(c cell) verdicts { return everywhere(c).but(noPart(), static, throwaway, leased, durable) }

// sqliteWays are those without a state file that keep their IDs in a SQLite file.
var sqliteWays = []string{throwaway + "-sqlite", leased + "-sqlite", durable + "-sqlite"}

// keepsState reports whether the way has a state file.
func (s *scene) keepsState() bool {
	return s.way.column == file || s.way.column == withFile || s.way.column == lossyFile
}

// otherSeat is that of another process, but of the same one where there is a state file:
// two processes that are configured to have different ones are not what is played.
func (s *scene) otherSeat() int {
	if s.keepsState() {
		return 0
	}
	return 1
}

// moveDatabase moves the SQLite file away, and opens a new one in its place. moveBack moves the first one back.
func (s *scene) moveDatabase() { s.move(s.store.Source, s.store.Source+".moved") }
func (s *scene) moveBack()     { s.move(s.store.Source+".moved", s.store.Source) }

// move moves a SQLite file to where another one may be, and opens what is in the scene's place then.
func (s *scene) move(from, to string) {
	s.t.Helper()
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(to + end); !errors.Is(err, fs.ErrNotExist) {
			require.NoError(s.t, err)
		}
		if err := os.Rename(from+end, to+end); end == "" || !errors.Is(err, fs.ErrNotExist) {
			require.NoError(s.t, err) // there may be only the first of the three
		}
	}
	s.db = s.opened(s.store)
}

// roomyDatabase is the scene's, or for SQLite a handle with one connection, whose file
// fillDisk can keep from growing.
func (s *scene) roomyDatabase() *base {
	if !s.sqlite() {
		return s.db
	}
	db := s.opened(s.store)
	db.SetMaxOpenConns(1)
	return db
}

// fillDisk lets nothing be written any more to what the process keeps its ID in, until what
// it returns is called.
func (s *scene) fillDisk(p *process) (room func()) {
	s.t.Helper()
	switch {
	case s.keepsState():
		var undo func()
		p.quietly(func() { undo = harness.StateFile(p.leash.Worker).Fill() })
		return func() { p.quietly(undo) }
	case s.db == nil:
		return func() {}
	case s.keyed():
		s.db.keys.full.Store(true)
		return func() { s.db.keys.full.Store(false) }
	case s.sqlite():
		// Whatever is written to the table takes another page, and there is none.
		engines.Do(s.t, p.db.DB, "CREATE TABLE BALLAST (B BLOB)")
		for _, on := range []string{"INSERT", "UPDATE"} {
			engines.Do(s.t, p.db.DB, "CREATE TRIGGER FULL_"+on+" AFTER "+on+" ON "+s.table()+
				" BEGIN INSERT INTO BALLAST VALUES (zeroblob(100000)); END")
		}
		engines.Do(s.t, p.db.DB, "PRAGMA max_page_count = 1") // as many as there are
		return func() {
			engines.Do(s.t, p.db.DB,
				"PRAGMA max_page_count = 1000000", "DROP TRIGGER FULL_INSERT", "DROP TRIGGER FULL_UPDATE")
		}
	}
	if s.postgres() {
		s.sql("CREATE FUNCTION FULL_UP() RETURNS trigger LANGUAGE plpgsql AS "+
			"$$ BEGIN RAISE EXCEPTION 'The disk is full' USING ERRCODE = '53100'; END $$",
			"CREATE TRIGGER FULL_UP BEFORE INSERT OR UPDATE ON TABLE_OF_IDS FOR EACH ROW EXECUTE FUNCTION FULL_UP()")
		return func() { s.sql("DROP TRIGGER FULL_UP ON TABLE_OF_IDS") }
	}
	for _, on := range []string{"INSERT", "UPDATE"} {
		s.sql("CREATE TRIGGER FULL_" + on + " BEFORE " + on + " ON TABLE_OF_IDS FOR EACH ROW " +
			"SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = 'The table is full'")
	}
	return func() { s.sql("DROP TRIGGER FULL_INSERT", "DROP TRIGGER FULL_UPDATE") }
}
