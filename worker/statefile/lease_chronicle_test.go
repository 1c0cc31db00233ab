package statefile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/statefile"
)

// A chronicle is what random owners with state files do to few worker IDs, on a store that fails at random and loses
// writes, and with files that are damaged and cannot be written. What a file grants counts as issued, but for what is
// given back.
type chronicle struct {
	*house
	fake.Ledger
	rand    *rand.Rand
	owners  []*player
	restore func() // puts back a backup
}

// A player is an owner, or the place of one.
type player struct {
	*process
	path  string
	bound bool
	has   uid.Reservation
}

// start makes a player's worker, as a process does that begins.
func (y *chronicle) start(p *player) {
	y.path = p.path
	p.process = y.with(lease.Config{Timeout: 2 * time.Second}, statefile.Config{MaxAhead: 100 * time.Hour})
	p.bound, p.has = false, uid.Reservation{}
}

// reserved notes what a call has brought.
func (y *chronicle) reserved(p *player, r uid.Reservation) {
	require.NoError(y.t, y.Reserve(p.path, p.has, r))
	p.has, p.bound = r, true
}

// step has a player do something.
func (y *chronicle) step(p *player) {
	name := p.path[len(p.path)-1:]
	if y.rand.IntN(3) == 0 {
		fault := storetest.Fault(y.rand.IntN(5))
		p.store.Fault(fault)
		y.Say("%s: next call %v", name, fault)
	}
	full := p.bound && y.rand.IntN(6) == 0
	undo := func() {}
	if full {
		undo = p.Fill()
		y.Say("%s: the disk is full", name)
	}
	defer func() { undo() }()
	switch n := y.rand.IntN(20); {
	case !p.bound:
		if y.rand.IntN(8) == 0 { // only after the process before has ended
			y.Say("%s: bit flipped: %v", name, state.Damage(p.path, y.rand.IntN(3000)))
		}
		p.store.answered = nil
		if y.rand.IntN(8) == 0 {
			p.store.answered = func() { p.Fill() }
		}
		r, err := p.Acquire(y.t.Context(), millis())
		y.Say("%s: acquire: %+v %v", name, r, err)
		if err == nil {
			y.reserved(p, r)
		} else {
			y.start(p)
		}
		p.store.answered = nil
	case n < 14:
		through := int64(0)
		if y.rand.IntN(2) == 0 {
			through = p.has.Last + y.rand.Int64N(ms(time.Minute))
		}
		r, err := p.Extend(y.t.Context(), through)
		y.Say("%s: extend to %d: %+v %v", name, through, r, err)
		if err == nil {
			y.reserved(p, r)
		}
	case n < 16:
		last := p.has.First - 1 + y.rand.Int64N(max(p.has.Last-p.has.First+2, 1))
		err := p.Release(y.t.Context(), last)
		y.Say("%s: release at %d: %v", name, last, err)
		if err == nil {
			y.GiveBack(p.path, p.has, last)
		}
		undo = func() {}
		y.start(p)
	case n == 16:
		p.Invalidate()
		y.Say("%s: invalidated", name)
	default:
		require.NoError(y.t, p.Crash())
		y.Say("%s: crashes", name)
		undo = func() {}
		y.start(p)
	}
}

// turn is a step of anybody, or something that happens to the store.
func (y *chronicle) turn() {
	switch n := y.rand.IntN(24); {
	case n < 5:
		pauses := []time.Duration{time.Millisecond, time.Second, 3 * time.Second,
			fileWindow, time.Minute / 2, time.Minute, ttl, over}
		d := pauses[y.rand.IntN(len(pauses))]
		y.Say("%v pass", d)
		time.Sleep(d)
	case n == 5:
		y.Say("%d are delivered", y.memory.Deliver())
	case n == 6:
		down := y.rand.IntN(4) == 0
		y.Say("outage %v", down)
		y.memory.Outage(down)
	case n == 7:
		if y.restore == nil || y.rand.IntN(2) == 0 {
			y.Say("backup")
			y.restore = y.memory.Backup()
			break
		}
		y.restore()
		y.off = time.Duration(y.rand.Int64N(int64(2*time.Second))) - time.Second
		y.Say("failover, the clock is off by %v", y.off)
	case n == 8:
		y.memory.LoseHistory()
		y.Say("a crash that loses nothing")
	default:
		y.step(y.owners[y.rand.IntN(len(y.owners))])
	}
}

// No tick of an ID is granted twice, whatever becomes of calls, processes and files.
func TestNoTickTwice(t *testing.T) {
	const histories = 25
	for kind, versions := range map[string]bool{"locks": false, "versions": true} {
		t.Run(kind, func(t *testing.T) {
			got := 0
			for seed := range uint64(histories) {
				synctest.Test(t, func(t *testing.T) {
					y := &chronicle{house: newHouse(t, versions, lease.Range{Last: 2}),
						rand: rand.New(rand.NewPCG(seed, 7))}
					for i := range 3 {
						p := &player{path: fmt.Sprint(y.path, i)}
						y.owners = append(y.owners, p)
						y.start(p)
					}
					for range 200 {
						y.turn()
					}
					got += y.Got
				})
			}
			require.Greater(t, got, 10*histories, "little was granted, which proves little")
		})
	}
}
