package simulation

import (
	"context"
	"log/slog"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/proof/kit"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/worker/lease"
)

// A state is what a process does.
type state uint8

const (
	off state = iota
	starting
	running
	paused
)

// A process has a generator on a lease, and starts again on the same host when it has ended.
type process struct {
	region *region
	offset time.Duration // of the host's clock

	state state
	turn  uint32 // counts what was planned for it: only the newest is done
	at    int64  // when that is
	slot  bool   // the database has time for it then

	lease *lease.Lease
	res   uid.Reservation
	next  int64 // first tick that is not drawn yet, 0 if none is
	asked int64 // when it started, -1 once it has ticks
	tries int
	wrong bool          // its clock has kept it from starting
	pause time.Duration // after a call without progress
}

func (p *process) now() time.Time { return p.region.time().Add(p.offset) }

// plan plans the next turn.
func (p *process) plan(after time.Duration) {
	p.slot = false
	p.planAt(p.region.now + int64(after))
}

func (p *process) planAt(at int64) {
	p.turn++
	p.at = at
	p.region.queue.push(event{at: at, process: p, turn: p.turn})
}

// takeTurn does what was planned.
func (p *process) takeTurn(ctx context.Context) {
	switch p.state {
	case off:
		p.start()
	case paused:
		p.state = running
		p.draw(ctx) // what it had ready
	}
	if !p.slot {
		cost := p.region.plan.Change
		if p.state == starting {
			cost = p.region.plan.Take
		}
		if at := p.region.db.slot(cost); at > p.region.now {
			p.slot = true
			p.planAt(at)
			return
		}
	}
	p.slot = false
	p.region.calling = p
	if p.state == starting {
		p.acquire(ctx)
	} else {
		p.extend(ctx)
	}
	p.region.calling = nil
}

func (p *process) start() {
	r := p.region
	store := &client{Client: r.db.memory.Store(namespace), database: r.db, blind: r.plan.Planted == NoFence}
	cfg := lease.Config{
		Window: r.plan.Window, TTL: r.plan.ttl(), NoWait: true, Holder: "simulated", Now: p.now, OnEvent: r.told, Logger: silent,
	}
	if r.plan.Planted == NoBurn {
		cfg.DurableStore, cfg.DurableStoreUnverified = true, true
	}
	l, err := lease.New(store, cfg)
	if err != nil {
		panic(err)
	}
	kit.SetClock(l, r.time)
	kit.SetChance(l, r.random.Int64N)
	*p = process{
		region: r, offset: p.offset, turn: p.turn, at: p.at, slot: p.slot,
		state: starting, lease: l, res: uid.Reservation{Last: -1}, asked: r.now,
	}
	r.Starts++
}

var silent = slog.New(slog.DiscardHandler)

func (p *process) acquire(ctx context.Context) {
	r := p.region
	res, err := p.lease.Acquire(ctx, r.terms)
	if err == nil {
		p.state, p.pause = running, firstPause
		p.granted(res)
		return
	}
	p.refused(err)
	// As package retry has it, for about half a minute; then somebody starts it anew.
	pause := min(50*time.Millisecond<<min(p.tries, 10), 2*time.Second)
	if p.tries > 20 {
		pause = min(10*time.Second<<min(p.tries-20, 10), 5*time.Minute)
	}
	p.tries++
	p.plan(pause/2 + r.within(pause/2))
}

// The pauses between two calls without progress, as package tenure has them.
const (
	firstPause = 100 * time.Millisecond
	idlePause  = 500 * time.Millisecond
	downPause  = 5 * time.Second
)

func (p *process) extend(ctx context.Context) {
	p.draw(ctx)
	r := p.region
	through := r.terms.TickAt(p.now())
	if r.random.IntN(16) == 0 { // a burst
		through = p.res.Last + 1 + r.random.Int64N(int64(r.plan.Window/r.terms.Unit))
	}
	before := p.res
	res, err := p.lease.Extend(ctx, through)
	if err != nil {
		p.again(r.plan.Retry)
		return
	}
	p.granted(res)
	if res.WorkerID == before.WorkerID && res.Last <= before.Last && (res.Renew <= before.Renew || p.due() == 0) {
		p.again(idlePause)
	}
}

// again plans another call.
func (p *process) again(longest time.Duration) {
	p.pause = min(p.pause, longest)
	p.plan(p.pause/2 + p.region.within(p.pause/2))
	p.pause = min(2*p.pause, longest)
}

// granted puts a reservation in force, and plans the renewal.
func (p *process) granted(res uid.Reservation) {
	if res.WorkerID != p.res.WorkerID || p.res.Last < 0 {
		p.next = 0
	}
	p.res = res
	if res.Last >= res.First && p.asked >= 0 {
		p.region.waited(p)
		p.asked = -1
	}
	p.pause = firstPause
	p.plan(max(p.due(), time.Millisecond))
}

// due returns how long it is until the renewal is due.
func (p *process) due() time.Duration { return ticks.Until(p.region.terms, p.now(), p.res.Renew) }

// draw draws from all ticks up to the clock's that are reserved, and at times from more.
func (p *process) draw(context.Context) {
	r := p.region
	clock := r.terms.TickAt(p.now())
	first, last := max(p.next, p.res.First), min(p.res.Last, clock)
	if p.res.Last >= first && r.random.IntN(16) == 0 {
		last = max(last, first+r.random.Int64N(p.res.Last-first+1))
	}
	if first > last {
		return
	}
	if again := r.usage.add(p.res.WorkerID, span{first, last}); again > 0 {
		r.Duplicates += again
	}
	p.next = last + 1
}

// stop ends the process in good order.
func (p *process) stop(ctx context.Context) {
	if p.state == running {
		p.draw(ctx)
		p.region.calling = p
		p.region.db.slot(p.region.plan.Change)
		_ = p.lease.Release(ctx, p.next-1) // if the database is down the lease ends by itself
		p.region.calling = nil
	}
	p.end()
}

// kill ends it at once.
func (p *process) kill(ctx context.Context) {
	if p.state == running {
		p.draw(ctx)
	}
	p.end()
}

func (p *process) end() {
	p.state = off
	p.turn++ // nothing is planned
}

// stall stops the process for some time.
func (p *process) stall(ctx context.Context, d time.Duration) {
	p.draw(ctx)
	p.state = paused
	p.plan(d)
}

// step sets the host's clock.
func (p *process) step(offset time.Duration) {
	p.offset = offset
	if p.state != running || p.slot {
		return
	}
	// A tenure looks at the clock once an hour. One that was set back puts nothing off.
	if at := p.region.now + int64(min(p.due(), time.Hour)); at < p.at {
		p.planAt(at)
	}
}
