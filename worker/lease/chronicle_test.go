package lease_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// A chronicle is what random owners do to few worker IDs, on a store that fails at random. What
// an owner has reserved counts as issued, but for what it gives back.
type chronicle struct {
	*house
	fake.Ledger
	rand     *rand.Rand
	losses   lease.Losses
	versions bool
	owners   []*player
	restore  func() // puts back a backup, where writes can be lost
	off      time.Duration
	nested   bool // in the middle of another owner's call
}

// A player is an owner, or none.
type player struct {
	name   string
	lease  *lease.Lease
	client *storetest.Client
	store  *meddled
	cfg    lease.Config
	off    time.Duration // of its clock
	bound  bool
	busy   bool
	has    uid.Reservation
}

// mostID is the largest of the worker IDs that they fight for.
const mostID = 2

// within returns a duration from -d to d.
func (y *chronicle) within(d time.Duration) time.Duration {
	return time.Duration(y.rand.Int64N(2*int64(d)+1)) - d
}

// clientNow is a clock of the store's clients, which may be off.
func (y *chronicle) clientNow() time.Time { return y.storeNow().Add(y.within(y.off)) }

// start makes a player's lease, as a process does that begins.
func (y *chronicle) start(p *player) {
	p.client = y.memory.Store(orders)
	p.store = &meddled{Store: p.client}
	p.lease = y.on(p.store, p.cfg)
	p.lease.SetNow(func() time.Time { return y.now().Add(p.off) })
	p.bound, p.has = false, uid.Reservation{}
}

// reserved notes what a call has brought.
func (y *chronicle) reserved(p *player, r uid.Reservation) {
	require.NoError(y.t, y.Reserve(p.name, p.has, r))
	p.has, p.bound = r, true
}

// step has a player do something.
func (y *chronicle) step(p *player) {
	if p.busy {
		return
	}
	p.busy = true
	defer func() { p.busy = false }()
	if y.rand.IntN(3) == 0 {
		fault := storetest.Fault(y.rand.IntN(5))
		p.client.Fault(fault)
		y.Say("%s: next call %d", p.name, fault)
	}
	if y.versions && !y.nested && y.rand.IntN(4) == 0 {
		other := y.owners[y.rand.IntN(len(y.owners))]
		p.store.decided = []func(){func() {
			y.nested = true
			y.Say("meanwhile")
			y.step(other)
			y.nested = false
		}}
	}
	ctx := y.t.Context()
	switch n := y.rand.IntN(10); {
	case !p.bound:
		r, err := p.lease.Acquire(ctx, millis(mostID))
		y.Say("%s: acquire: %+v %v", p.name, r, err)
		if err == nil {
			y.reserved(p, r)
		}
	case n < 7:
		through := int64(0)
		if y.rand.IntN(2) == 0 {
			through = p.has.Last + y.rand.Int64N(ms(window))
		}
		r, err := p.lease.Extend(ctx, through)
		y.Say("%s: extend to %d: %+v %v", p.name, through, r, err)
		if err == nil {
			y.reserved(p, r)
		}
	case n < 9:
		last := int64(-1) // nothing was issued
		if y.rand.IntN(3) > 0 {
			last = p.has.First - 1 + y.rand.Int64N(max(p.has.Last-p.has.First+2, 1))
		}
		err := p.lease.Release(ctx, last)
		y.Say("%s: release at %d: %v", p.name, last, err)
		y.GiveBack(p.name, p.has, last)
		p.bound, p.has = false, uid.Reservation{}
	default:
		y.Say("%s: crashes", p.name)
		y.start(p)
	}
}

// pauses are what passes between two steps.
var pauses = []time.Duration{
	time.Millisecond, time.Second, time.Second, skew, skew + 3*time.Millisecond, skew + time.Second,
	window / 4, window / 2, window / 2, reach, ttl, ttl + quarantine + time.Second,
}

// turn is a step of anybody, or something that happens to the store.
func (y *chronicle) turn() {
	switch n := y.rand.IntN(20); {
	case n < 4:
		d := pauses[y.rand.IntN(len(pauses))]
		y.Say("%v pass", d)
		y.pass(d)
	case n == 4:
		y.Say("%d are delivered", y.memory.Deliver())
	case n == 5:
		down := y.rand.IntN(5) == 0
		y.Say("outage %v", down)
		y.memory.Outage(down)
	case n == 6 && y.losses != lease.Never:
		if y.restore == nil || y.rand.IntN(2) == 0 {
			y.Say("backup")
			y.restore = y.memory.Backup()
			break
		}
		y.restore()
		y.Say("failover")
		if y.off == 0 { // to a server of its own clock
			y.mu.Lock()
			y.storeBy = y.skip + y.within(skew/2) // no two of them are further apart than MaxClockSkew
			y.mu.Unlock()
		}
	case n == 7 && y.losses != lease.Never && y.rand.IntN(3) == 0:
		y.memory.LoseHistory()
		y.Say("a crash that loses nothing")
	case n == 8 && y.losses != lease.Never && y.rand.IntN(8) == 0:
		y.memory.RemoveNamespace(orders)
		y.Say("the namespace is removed")
	default:
		y.step(y.owners[y.rand.IntN(len(y.owners))])
	}
}

// No tick of an ID is reserved twice, whatever becomes of calls and processes.
func TestNoTickTwice(t *testing.T) {
	const histories = 80
	for name, losses := range map[string]lease.Losses{"lossy": lease.ByHistory, "durable": lease.Never} {
		for kind, versions := range kinds {
			for _, off := range []time.Duration{0, 300 * time.Millisecond} {
				t.Run(fmt.Sprint(name, ", ", kind, ", off by ", off), func(t *testing.T) {
					got := 0
					for seed := range uint64(histories) {
						synctest.Test(t, func(t *testing.T) {
							y := &chronicle{losses: losses, versions: versions, off: off,
								rand: rand.New(rand.NewPCG(seed, 7))}
							y.play(t)
							got += y.Got
						})
					}
					require.Greater(t, got, 5*histories, "little was reserved, which proves little")
				})
			}
		}
	}
}

// play begins and ends a history.
func (y *chronicle) play(t *testing.T) {
	y.house = newHouse(t, storetest.MemoryConfig{Versions: y.versions, Error: y.off, Now: y.clientNow})
	y.found()
	for i := range 4 {
		p := &player{name: fmt.Sprint("owner ", i)}
		p.off = y.within(time.Second)
		p.cfg = lease.Config{Losses: y.losses, Timeout: 2 * time.Second}
		y.owners = append(y.owners, p)
		y.start(p)
	}
	for range 300 {
		y.turn()
	}
	y.memory.Outage(false)
	for _, p := range y.owners {
		if p.store.decided = nil; p.bound { // nobody calls a lease while it is released
			_ = p.lease.Release(t.Context(), p.has.Last)
		}
	}
}
