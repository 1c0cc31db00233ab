package uncached

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/queue"
	"github.com/uidgen/uid/internal/tenure"
)

// outcome says what became of a take.
type outcome uint8

const (
	issued     outcome = iota
	usedUp             // the tick's sequence is used up
	behind             // the mark, or the first tick that may be issued, is beyond the tick
	unreserved         // the tick is beyond the last one that may be issued
	outdated           // the grant or the rollback count is another one by now
)

// draw returns the first of up to n consecutive UIDs, and how many they are, at least one. With wait false it fails
// where it would have to wait.
func (g *Generator) draw(ctx context.Context, n int64, wait bool) (uid.UID, int64, error) {
	if g.queue.waiting.Load() > 0 {
		return g.drawSlow(ctx, n, wait)
	}
	gr, rollback, hint := g.tenure.Grant(), g.rollback(), g.adds.Load()
	tick, limit := g.clock.lastReading()
	// With no limit each call has to read the wall clock, and need not read the monotonic one before.
	if limit == none || !fresh(limit, time.Since(g.clock.born)) { // else it is what the next line returns, sooner
		tick = g.clock.tick()
	}
	if n == 1 && hint == 2*tick && tick >= gr.First && tick <= gr.Until {
		if u, ok := g.add(gr, tick); ok {
			return u, 1, nil
		}
	}
	u, n1, out := g.take(gr, tick, rollback, n)
	if out != issued {
		return g.drawSlow(ctx, n, wait)
	}
	return u, n1, nil
}

// rollback returns the count of steps back, in its place in a mark. Read it before the clock.
func (g *Generator) rollback() int64 {
	if g.rollbackMask == 0 {
		return 0
	}
	return g.marks[0].Load() & g.rollbackMask
}

// take takes up to n positions of a tick, and turns them into UIDs under a grant that was read before. A mark holds the
// newest position taken. It only goes up, except when a step back is counted, so a call that moves it owns the
// positions that it moved over.
//
// The clock is read before the mark. So a mark beyond the tick need not mean that the clock went back: another call may
// have read it later and been quicker. Only another reading after this can tell.
func (g *Generator) take(gr *tenure.Grant, tick, rollback, n int64) (uid.UID, int64, outcome) {
	if tick < gr.First {
		return 0, 0, behind
	}
	if tick > gr.Until {
		return 0, 0, unreserved
	}
	mark := &g.marks[tick&g.markMask]
	for {
		at := mark.Load()
		if at&g.rollbackMask != rollback {
			return 0, 0, outdated
		}
		newest := at >> g.tickShift
		if tick < newest {
			return 0, 0, behind
		}
		next := at + 1
		if tick > newest {
			next = tick<<g.tickShift | rollback | g.sequenceStart()
		} else if at&g.lowMask >= g.seqMask {
			return 0, 0, usedUp
		}
		taken := min(n, g.seqMask-next&g.seqMask+1)
		if !mark.CompareAndSwap(at, next+taken-1) {
			continue
		}
		if g.tenure.Grant() != gr {
			return 0, 0, outdated // the positions stay unused
		}
		g.beginAdds(tick)
		if tick > newest && tick >= gr.Renew {
			g.tenure.Want(g.wish(tick))
		}
		return uid.UID(next&^g.seqMask<<g.idShift | gr.WorkerID<<g.seqBits | next&g.seqMask), taken, issued
	}
}

// wish returns the tick up to which to ask the worker to reserve when tick is needed: about a second's worth.
func (g *Generator) wish(tick int64) int64 {
	return min(tick+max(1, int64(time.Second/g.unit)), g.layout.MaxTick())
}

// sequenceStart returns the sequence with which a tick begins.
func (g *Generator) sequenceStart() int64 {
	if !g.cfg.RandomStart || g.seqMask == 0 {
		return 0
	}
	return rand.Int64N((g.seqMask + 1) / 2)
}

// A call is a draw that could not take at once.
type call struct {
	n     int64
	waits bool
	place *waiter // in the queue, once it waits there
	// Of a clock that is behind: how long the call slept for it, and whether it was counted.
	slept  time.Duration
	behind bool
}

// drawSlow completes a draw that could not take at once.
func (g *Generator) drawSlow(ctx context.Context, n int64, wait bool) (uid.UID, int64, error) {
	c := call{n: n, waits: wait}
	for {
		u, got, next := g.attempt(&c)
		if got > 0 {
			return u, got, nil
		}
		if err := g.perform(ctx, &c, next); err != nil {
			return g.giveUp(c.place, err)
		}
	}
}

// attempt takes up to c.n positions in the clock's tick or, if that is behind, in the one that the policy chooses. If
// it gets none, next says how to go on.
func (g *Generator) attempt(c *call) (u uid.UID, got int64, next step) {
	r := reading{grant: g.tenure.Grant(), rollback: g.rollback()}
	if r.grant.Ended != nil {
		return 0, 0, step{do: fail, err: r.grant.Ended}
	}
	r.now = g.now()
	r.tick = g.tickAt(r.now)
	tick := r.tick
	u, got, out := g.takeInOrder(c.place, c.n, r.grant, tick, r.rollback)
	if out == behind {
		if next = g.stepBack(&r, c); next.do != takeFrom {
			return 0, 0, next
		}
		tick = next.tick
		u, got, out = g.takeInOrder(c.place, c.n, r.grant, tick, r.rollback)
	}
	switch {
	case out == usedUp && tick == g.layout.MaxTick(), out == unreserved && tick > g.layout.MaxTick():
		g.exhaust(r.grant)
	case out == usedUp && tick == r.tick:
		pause := max(g.layout.TimeOf(tick+1).Sub(r.now), time.Nanosecond)
		next = step{do: awaitTick, pause: pause, err: g.usedUpError(tick, pause)}
		return 0, 0, next
	case out == unreserved:
		next = step{do: awaitGrant, tick: tick, grant: r.grant}
		if !c.waits {
			_, next.err = g.tenure.Await(r.grant, tick, g.wish(tick), false)
		}
		return 0, 0, next
	}
	return u, got, step{do: retry}
}

// stepBack reads the clock again, into r, and asks the policy if it is still behind.
func (g *Generator) stepBack(r *reading, c *call) step {
	// From this look on no call has the old tick: one that begins after a policy has counted the step back would count
	// it once more.
	before := r.tick
	r.now = g.clock.look()
	r.tick = g.tickAt(r.now)
	if r.tick > before {
		return step{do: retry} // see take: a call with a later reading may have moved the mark
	}
	b := g.howFarBack(*r, c.slept)
	if b.newest > g.layout.MaxTick() {
		g.exhaust(r.grant)
		return step{do: retry}
	}
	if g.aheadByWorker() {
		return g.policy(g, b) // the worker has said so
	}
	if !c.behind {
		c.behind = true
		g.counts.behind.Add(1)
	}
	g.report(b)
	return g.policy(g, b)
}

// perform does what a call does next. An error ends the call.
func (g *Generator) perform(ctx context.Context, c *call, next step) error {
	switch {
	case next.do == retry:
		return nil
	case next.do == fail || !c.waits:
		return next.err
	case next.do == awaitClock:
		began := time.Now()
		err := g.sleep(ctx, min(next.pause, maxSleep), c.place)
		c.slept += time.Since(began) // less than the pause, if a signal cut it short
		return err
	case c.place == nil:
		if next.do == awaitTick {
			g.counts.usedUp.Add(1)
		}
		c.place = g.queue.join(c.n)
		return nil // the clock may have moved on before the call had its place
	case !g.queue.isFirst(c.place):
		return g.await(ctx, c.place)
	case next.do == awaitTick:
		return g.sleep(ctx, min(next.pause, maxSleep), c.place)
	}
	return g.awaitGrant(ctx, c.place, next)
}

// maxSleep is the longest sleep before another reading of the wall clock. Timers do not notice when that is set.
const maxSleep = time.Second

// sleep returns after d or somewhat earlier, or when the call is served or the generator closed. w may be nil.
func (g *Generator) sleep(ctx context.Context, d time.Duration, w *waiter) error {
	if w != nil && d < maxSleep {
		// Timers may oversleep, and with short ticks much of the next one would be gone.
		if queue.Nap(d) {
			return ctx.Err()
		}
		if d > queue.LongestNap {
			d -= queue.LongestNap
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	var turn <-chan struct{}
	if w != nil {
		turn = w.Turn()
	}
	select {
	case <-timer.C:
	case <-turn:
	case <-g.quit:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// await waits until the call is served or has become the first, or the generator is closed.
func (g *Generator) await(ctx context.Context, w *waiter) error {
	select {
	case <-w.Turn():
	case <-g.quit:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// awaitGrant waits until the grant may have been replaced, or returns why it was not.
func (g *Generator) awaitGrant(ctx context.Context, w *waiter, next step) error {
	news, err := g.tenure.Await(next.grant, next.tick, g.wish(next.tick), true)
	if err != nil || news == nil {
		return err
	}
	select {
	case <-news:
		return nil
	case <-w.Turn():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exhaust ends the generator permanently because the time field is full, even if the clock goes back later.
func (g *Generator) exhaust(gr *tenure.Grant) {
	g.tenure.End(gr, tenure.Exhausted(g.layout))
}

// A line is the queue of the calls that wait. Each look at the clock takes for them first; the first watches the clock.
type line struct {
	// waiting is how many there are. Calls read it before they take; unlock writes it.
	waiting atomic.Int64
	mu      sync.Mutex // held while positions are taken for them, never during a wait
	queue.Queue[given]
}

func (l *line) unlock() {
	l.waiting.Store(int64(l.Waiting()))
	l.mu.Unlock()
}

// A waiter is a call that waits. It is signalled when it is served, or becomes the first.
type waiter = queue.Call[given]

// given is what a call was given, in which tick, under which grant.
type given struct {
	u     uid.UID
	tick  int64
	grant *tenure.Grant
}

// join puts a call at the end of the line.
func (l *line) join(want int64) *waiter {
	l.mu.Lock()
	defer l.unlock()
	w := queue.NewCall[given](uint64(want))
	l.Join(w, nil)
	return w
}

// isFirst reports whether a call is the one that watches the clock.
func (l *line) isFirst(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return w == l.First()
}

// takeInOrder takes up to n positions of a tick, like take, but for those that wait first; w is the call's own place,
// or nil.
func (g *Generator) takeInOrder(
	w *waiter, n int64, gr *tenure.Grant, tick, rollback int64,
) (u uid.UID, got int64, out outcome) {
	l := &g.queue
	l.mu.Lock()
	defer l.unlock()
	if len(g.marks) > 1 && l.Waiting() > 0 {
		// Each tick has a mark of its own, so a reading from before a call joined could give it a smaller UID than its
		// goroutine has had.
		tick = g.clock.tick()
	}
	served := l.Serve(func(want uint64) (given, uint64) {
		u, got, out = g.take(gr, tick, rollback, int64(want))
		return given{u, tick, gr}, uint64(got)
	})
	if first := l.First(); first != nil && served {
		first.Signal() // it watches the clock from now on
	}
	switch {
	case w != nil && w.Got > 0:
		return g.collectLocked(w)
	case w == nil && l.Waiting() == 0:
		return g.take(gr, tick, rollback, n)
	}
	return 0, 0, out // not issued: calls that came earlier still wait
}

// collectLocked returns what a call was given, unless that is not reserved any more: then all calls that have not
// collected wait again, before the others. The positions stay unused.
func (g *Generator) collectLocked(w *waiter) (uid.UID, int64, outcome) {
	gr, was := g.tenure.Grant(), w.Given.grant
	if gr != was && (gr.WorkerID != was.WorkerID || w.Given.tick < gr.First || w.Given.tick > gr.Until) {
		g.queue.Withdraw()
		return 0, 0, outdated
	}
	u, got := w.Given.u, int64(w.Got)
	g.queue.Leave(w)
	return u, got, issued
}

// giveUp ends a call with an error, unless it was served meanwhile. Its place, which may be nil, is free then.
func (g *Generator) giveUp(w *waiter, why error) (uid.UID, int64, error) {
	if w == nil {
		return 0, 0, why
	}
	l := &g.queue
	l.mu.Lock()
	defer l.unlock()
	if w.Got > 0 {
		if u, got, out := g.collectLocked(w); out == issued {
			return u, got, nil
		}
	}
	l.Leave(w)
	if first := l.First(); first != nil {
		first.Signal() // it may be the first now
	}
	return 0, 0, why
}
