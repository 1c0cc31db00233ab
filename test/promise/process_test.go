package promise

import (
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// longGone is after every lease and the time for which its ID is left alone, and after what any process of a
// scene borrowed from the future.
const longGone = 2*ttl + promisedLead

const clockHasPassed = "it starts again when its clock has passed the last UID issued (at once if none was ahead of " +
	"it, at most MaxLead later, or two minutes and a tick)"

const unkept = clockHasPassed + ", which statefile.New(path, worker.FixedID(1)) keeps"

var processFaults = []fault{
	{
		name: "kill", title: "Killed (kill -9) and started again",
		what: "A process draws all that it can have and is killed, three times; " +
			"the next one is started at once, and another when all leases have ended.",
		play: func(s *scene) {
			for range 3 {
				p := s.start(how{})
				s.draw(p)
				s.drain(p)
				p.kill()
				if s.way.column == static && s.met {
					s.passed()
				}
			}
			s.draw(s.start(how{seat: 1}))
			s.pass(longGone)
			s.drawSome(s.start(how{}))
		},
		crowd: 1, cells: everywhere(unique()).but(uniqueIf(unkept), static),
		also: []string{"test/soak TestEngine", "worker/statefile TestFileKills", "test/soak TestRound"},
	},
	{
		name: "restart", title: "Stopped and started again",
		what: "A process draws all that it can have and is closed; " +
			"another one is started at once, and one more when a quarantine is over.",
		play: func(s *scene) {
			p := s.start(how{})
			s.draw(p)
			s.drain(p)
			until := p.stop()
			if s.way.column == static && s.met {
				s.pass(max(until.Sub(p.now()), promised.Unit()))
			}
			p = s.start(how{})
			s.draw(p)
			p.stop()
			s.pass(longGone)
			s.drawSome(s.start(how{}))
		},
		crowd: 1, cells: everywhere(unique()).but(uniqueIf(unkept), static),
	},
	{
		name: "pause", title: "Paused beyond the end of its lease",
		what: "A process stands still until its lease and the quarantine are over. " +
			"Another one starts and gets the same ID where IDs are leased; then both draw.",
		play: func(s *scene) {
			p := s.start(how{})
			s.draw(p)
			var other *process
			s.allQuietly(func() { // else one of the crew may be quicker
				s.pass(longGone)
				other = s.start(how{seat: 1})
				if s.leased() {
					require.Equal(s.t, p.granted().WorkerID, other.granted().WorkerID)
				}
			}, p)
			s.drain(p) // what it still has
			s.drawSome(other)
			s.pass(window)
			s.drawAcross(p, other)
		},
		crowd: 1, cells: everywhere(unique()),
		also: []string{"test/soak TestEngine"},
	},
	{
		name: "second", title: "Two processes with the same configuration at once",
		what: "While one process draws a second one is started in exactly the same way. " +
			"A state file is locked: the second start is refused.",
		play: func(s *scene) {
			p := s.start(how{})
			other := s.startUnless(how{}, uid.ErrWorkerInUse)
			s.drawSome(p)
			s.drawAcross(p, other)
		},
		crowd: 1, cells: everywhere(unique()).but(notCovered("both have the ID that they were given"), static),
		also: []string{"worker/statefile TestFileSecondProcess", "test/command TestProcessesAtOnce"},
	},
	{
		name: "clone", title: "Cloned with its memory (a snapshot of its machine)",
		what: "What a process holds is copied, and both draw.",
		play: func(s *scene) {
			p := s.start(how{})
			s.drawAcross(p)
			c := p.clone()
			if s.leased() && s.met {
				_ = worker.Invalidate(p.lease)
			}
			s.draw(p, c)
			s.drain(p)
			s.drain(c)
		},
		crowd: 1, cells: everywhere(uniqueIf(invalidated)).but(notCovered(cloned), static, file, throwaway),
	},
}

const (
	cloned      = "both go on with the same ID and ticks, and nobody tells them"
	invalidated = "one of the two learns of it and calls worker.Invalidate before both have drawn"
)
