package promise

import (
	"time"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// halfMinute has a lease start though the clocks are that far apart, so that the rest of the protocol has to
// do with it.
func halfMinute(cfg *lease.Config) { cfg.MaxClockSkew = 31 * time.Second }

var clockFaults = []fault{
	{
		name: "clock-back", title: "A process's clock is set back",
		what: "The clock of one process goes back by an hour, and later forward again.",
		play: func(s *scene) {
			p := s.drawing()
			p.step(-time.Hour)
			s.drawAcross(p)
			p.step(time.Hour)
			s.draw(p)
			s.drain(p)
		},
		crowd: 1, cells: everywhere(unique()),
	},
	{
		name: "clock-ahead", title: "A process's clock is set forward, and back again",
		what: "The clock of one process goes forward by an hour, and later back; time passes until it is there again.",
		play: func(s *scene) {
			p := s.drawing()
			p.step(time.Hour)
			s.draw(p)
			s.drain(p)
			p.step(-time.Hour)
			s.draw(p)
			s.pass(time.Hour - time.Second)
			s.draw(p)
			s.drain(p)
		},
		crowd: 1, cells: everywhere(unique()),
	},
	{
		name: "clock-back-restart", title: "A clock is set back between two runs",
		what: "A process is killed; the next one's clock is half a minute behind, which its lease allows.",
		play: func(s *scene) {
			p := s.start(how{lease: halfMinute})
			s.drawSome(p)
			p.kill()
			p = s.start(how{clock: -30 * time.Second, lease: halfMinute})
			s.draw(p)
			s.pass(30*time.Second - 300*time.Millisecond)
			for range 5 {
				s.draw(p)
			}
		},
		crowd: 1, cells: everywhere(unique()).but(untold, static),
		also: []string{"worker/statefile TestFileNeverRepeatsATick"},
	},
	{
		name: "clock-ahead-restart", title: "A clock was ahead, and is right at the next start",
		what: "A process is killed whose clock was an hour ahead. One with the right clock starts at once, which a " +
			"state file of an ID refuses, and another one shortly before the clock is where the first one's was.",
		play: func(s *scene) {
			p := s.start(how{})
			p.step(time.Hour)
			s.draw(p)
			s.drain(p)
			p.kill()
			p = s.startUnless(how{}, worker.ErrClock)
			s.draw(p)
			p.kill()
			s.pass(time.Hour - 300*time.Millisecond)
			p = s.start(how{})
			for range 5 {
				s.draw(p)
			}
			s.pass(longGone)
			s.drawSome(p)
		},
		crowd: 1, cells: everywhere(unique()).but(untold, static),
	},
	{
		name: "database-clock-back", title: "The database's clock is set back",
		what: "The database's clock goes back by an hour under a process that draws. Another process starts with " +
			"that clock, and a third one when leases have ended by it; later the clocks are right again.",
		play:  databaseClock(-time.Hour),
		crowd: 3, cells: onDatabases(unique()),
	},
	{
		name: "database-clock-ahead", title: "The database's clock is set forward",
		what:  "The same, with a clock that goes forward by an hour, so that all leases end at once.",
		play:  databaseClock(time.Hour),
		crowd: 3, cells: onDatabases(unique()),
	},
	{
		name: "all-clocks-back", title: "All clocks are set back together",
		what: "A process draws and goes on; the clocks of all processes and of the database go back by half a " +
			"minute; another process starts, and the first one is killed and started again.",
		play: func(s *scene) {
			p := s.drawing()
			s.pass(-30 * time.Second)
			other := s.start(how{seat: 1})
			s.draw(p, other)
			p.kill()
			p = s.start(how{})
			s.draw(p, other)
			s.pass(30*time.Second - 300*time.Millisecond)
			for range 5 {
				s.draw(p, other)
			}
		},
		crowd: 3, cells: everywhere(unique()).
			but(notCovered("nothing tells the process that is started again what it issued before"), static),
	},
}

var untold = notCovered("nothing tells the second process what the first one issued")

// everywhere has the same verdict for all ways.
func everywhere(c cell) verdicts {
	cells := verdicts{}
	for _, col := range columns {
		cells[col.key] = c
	}
	return cells
}

// onDatabases has the same verdict for all ways that use one.
func onDatabases(c cell) verdicts { return everywhere(c).but(noPart(), static, file) }

func databaseClock(step time.Duration) func(s *scene) {
	return func(s *scene) {
		p := s.drawing()
		s.stepDatabase(step)
		s.draw(p)
		other := s.start(how{seat: 1, clock: step})
		s.draw(p, other)
		s.pass(longGone)
		third := s.start(how{seat: 2, clock: step})
		s.draw(p, other, third)
		s.stepDatabase(-step)
		other.step(-step)
		third.step(-step)
		s.draw(p, other, third)
		s.pass(window)
		for range 3 {
			s.draw(p, other, third)
		}
	}
}
