package promise

import (
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
)

// What happens to rows is told among what happens to databases.
var rowFaults = []fault{
	{
		name: "row-deleted", title: "The rows of IDs in use are deleted by hand",
		what: "The rows of four processes that draw are deleted, and two others start, one after another.",
		play: func(s *scene) {
			p := s.drawing()
			s.drain(p)
			s.keep()
			s.deleteRows()
			other := s.start(how{seat: 1})
			s.rounds(3, []*process{other}, p, other)
			third := s.start(how{seat: 2})
			s.rounds(2, []*process{third}, p, other, third)
		},
		crowd: 3,
		cells: onDatabases(unique()).but(unique("but for servers before MySQL 8.0 and MariaDB 10.2.4, "+
			"which forget the counter at a restart"), throwaway),
	},
	{
		name: "row-lowered", title: "HIGH is lowered by hand, and the lease ended",
		what: "HIGH and LEASE_UNTIL of the rows of processes that draw are set to 0, and others start on the same IDs.",
		play: func(s *scene) {
			p := s.drawing()
			for _, cure := range s.cures(s.leased()) {
				s.drainAll(p)
				p = s.harmed(cure, func() {
					if s.leased() {
						s.lower()
					}
				}, p)
			}
		},
		crowd: 3, cells: onLeases(uniqueIf(allStopped)),
	},
	{
		name: "row-back", title: "Rows of IDs in use are deleted and put back, and the namespace's stays",
		what: "The rows of four processes that draw are deleted for twenty seconds," +
			" in which they draw and renew and another one starts, and put back where there are none by then." +
			" Then all is played again, without a start; and again while one process stands still and the others draw.",
		play: func(s *scene) {
			p := s.drawing()
			var other *process
			for _, during := range []func(){
				func() { other = s.start(how{seat: 1}) },
				func() {},
			} {
				s.keep()
				s.deleteRows()
				during()
				for range 2 {
					s.pass(10 * time.Second)
					s.draw(p, other)
					s.drain(p)
				}
				s.putRowsBack()
				s.rounds(2, []*process{p}, p, other)
			}
			s.keep()
			p.quietly(func() {
				s.deleteRows()
				s.pass(window)
				s.draw(other)
				s.putRowsBack()
			})
			s.drawApart(p, other)
		},
		crowd: 3, cells: onDatabases(unique()),
	},
}

var operatorFaults = []fault{
	{
		name: "release", title: "A live lease is ended by hand (uid worker release --force)",
		what: "The lease of a process that draws is ended, and another one starts when the quarantine is over; " +
			"its row is then edited, and a third one starts.",
		play: func(s *scene) {
			p := s.drawing()
			s.drain(p)
			if s.leased() {
				_, err := s.registry().Release(s.t.Context(), "", p.granted().WorkerID, true)
				require.NoError(s.t, err)
			}
			s.pass(ttl + time.Second)
			other := s.start(how{seat: 1})
			s.draw(p, other)
			if s.leased() {
				s.endLeases()
			}
			third := s.start(how{seat: 2})
			s.rounds(3, nil, p, other, third)
		},
		crowd: 3, cells: onLeases(unique()),
	},
	{
		name: "columns", title: "A column is too small for its numbers (HIGH as INT)",
		what: "HIGH of a table in use is made an INT by a session without a strict mode, which clamps what it holds; " +
			"the process goes on, and another one is refused. For disposable IDs the key is made a TINYINT.",
		play: func(s *scene) {
			p := s.drawing()
			if !s.leased() {
				if s.way.column == throwaway && s.mysql() {
					s.sql("ALTER TABLE WORKER_NODE MODIFY ID TINYINT NOT NULL AUTO_INCREMENT")
					s.refused(how{}, uid.ErrConfig)
					s.draw(p)
				}
				return
			}
			if !s.mysql() {
				return
			}
			const setMode = "SET SESSION sql_mode = "
			s.sql(setMode+"''", "ALTER TABLE WORKER_LEASE MODIFY HIGH INT NOT NULL", setMode+"DEFAULT")
			s.refused(how{seat: 1}, uid.ErrConfig)
			s.draw(p)
			for range 3 {
				s.pass(window)
				s.draw(p)
			}
		},
		crowd: 3, cells: mysqlOnly(onDatabases(unique())),
		also: []string{"test/databases TestTableOfOtherColumns"},
	},
	{
		name: "charsets", title: "Two processes speak to the server in different charsets",
		what: "One process's connection is in utf8mb4 and the other one's in latin1. A Namespace beyond ASCII, which " +
			"would become two, is refused; in an ASCII one they have two IDs.",
		play: func(s *scene) {
			if !s.mysql() {
				s.drawSome(s.start(how{}))
				return
			}
			latin1 := func(c *mysql.Config) { require.NoError(s.t, c.Apply(mysql.Charset("latin1", ""))) }
			db := s.opened(s.store.With(s.t, latin1))
			if s.leased() {
				for _, name := range []string{"bücher", "订单"} {
					_, err := s.tables(db).Leases(name)
					require.ErrorIs(s.t, err, uid.ErrConfig)
				}
			}
			p, other := s.start(how{}), s.start(how{seat: 1, db: db})
			for range 3 {
				s.drawSome(p, other)
				s.draw(p, other)
				s.pass(window)
			}
		},
		crowd: 1, cells: mysqlOnly(onDatabases(unique())),
	},
	{
		name: "layouts", title: "Two layouts among the processes of one place",
		what: "Processes draw in one layout, and another one starts with other widths, which is refused where the " +
			"layout is kept.",
		play: func(s *scene) {
			wider := bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 9, SequenceBits: 2, Unit: promisedTick})
			other := how{layout: wider}
			if s.met && (s.way.column == static || s.way.column == throwaway) {
				other = how{}
			}
			if s.way.column == static {
				// 7 and two bits are 14 and 15 and one bit.
				s.drawSome(s.start(how{seat: 7}), s.start(how{seat: 8}), s.start(other))
				return
			}
			p := s.start(how{})
			if s.way.column == throwaway {
				all := []*process{p, s.start(how{}), s.start(other)} // 3 and two bits are 6 and 7 and one bit
				for range 4 {
					all = append(all, s.start(how{}))
				}
				s.drawSome(all...)
				return
			}
			q := s.start(how{seat: 1})
			s.drawSome(p, q)
			p.kill()
			s.refused(other, worker.ErrLayout)
			s.draw(q)
		},
		cells: everywhere(unique()).but(uniqueIf(oneLayout), static, throwaway),
	},
	{
		name: "rollback-bits", title: "uncached with RollbackBits beside others of the same layout",
		what: "Two uncached generators count steps back in their worker IDs' uppermost bit, and the clock of one " +
			"goes back. Another generator on a layout that calls that bit rollback is refused; where the layout is " +
			"kept, so is one on the layout without names. Where it is not kept, and without the condition, that one " +
			"gets an ID in which the bit is set.",
		play: func(s *scene) {
			named := bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 1, Unit: promisedTick,
				Fields: []uid.Field{{Name: "rollback", Bits: 1}, {Name: "worker", Bits: 9}}})
			if s.leased() {
				s.make("turns", named)
			}
			p := s.start(how{layout: named, rollback: 1, namespace: "turns"})
			q := s.start(how{layout: named, rollback: 1, namespace: "turns", seat: 2})
			s.pass(2 * window) // until their clocks are at their first ticks
			s.drawSome(p, q)
			p.step(-time.Second)
			s.draw(p)
			_, err := s.try(how{seat: 1, layout: named, namespace: "turns"})
			require.ErrorIs(s.t, err, uid.ErrConfig)
			if s.leased() {
				s.refused(how{seat: 1, namespace: "turns"}, worker.ErrLayout)
			}
			if s.met {
				s.draw(p, q)
				return
			}
			const counted = 1 << 9 // the bit, as part of an ID
			if s.way.column == throwaway {
				s.countFrom(counted + 1)
			}
			plain := s.start(how{seat: counted})
			p.step(time.Second)
			for range 4 {
				s.draw(p, plain)
				s.pass(time.Second)
			}
		},
		cells: everywhere(unique()).but(uniqueIf(noBitSet), static, throwaway),
	},
}

const (
	oneLayout = "all generators have one layout, which nothing checks here"
	noBitSet  = "no other generator has an ID in which a bit that RollbackBits takes is set, " +
		"which nothing checks here"
)

// onLeases has the same verdict for all ways that lease IDs.
func onLeases(c cell) verdicts { return onDatabases(c).but(noPart(), throwaway) }

// endLeases ends all leases by hand, and lower lowers HIGH besides.
func (s *scene) endLeases() {
	s.t.Helper()
	if s.keyed() {
		s.edit(func(row *storage.Lease) bool { row.Until = time.UnixMicro(0); return true })
	} else {
		s.sql("UPDATE TABLE_OF_IDS SET LEASE_UNTIL = 0 WHERE WORKER_ID >= 0")
	}
}

func (s *scene) lower() {
	s.t.Helper()
	if s.keyed() {
		s.edit(func(row *storage.Lease) bool { row.High, row.Until = 0, time.UnixMicro(0); return true })
	} else {
		s.sql("UPDATE TABLE_OF_IDS SET HIGH = 0, LEASE_UNTIL = 0 WHERE WORKER_ID >= 0")
	}
}

// deleteRows deletes the IDs' rows as an operator does, and putRowsBack puts back those that are missing. The
// namespace's row stays as it is.
func (s *scene) deleteRows() {
	s.t.Helper()
	if s.keyed() {
		s.remove(isRow)
		return
	}
	s.sql("DELETE FROM TABLE_OF_IDS WHERE " + s.idColumn() + " >= 0")
}

func (s *scene) putRowsBack() {
	s.t.Helper()
	if s.keyed() {
		there := s.all()
		s.put(s.db.keys, s.kept, func(key string) bool { return isRow(key) && there[key] == "" })
		return
	}
	column := s.idColumn()
	s.sql("INSERT INTO TABLE_OF_IDS SELECT * FROM KEPT WHERE " + column +
		" NOT IN (SELECT " + column + " FROM TABLE_OF_IDS)")
}

func (s *scene) idColumn() string {
	if s.leased() {
		return "WORKER_ID"
	}
	return "ID"
}
