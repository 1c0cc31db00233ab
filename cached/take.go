package cached

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/queue"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/ringbuffer"
)

// What becomes of a call whose claim, one add to the ring's cursor, did not yield its UID at once, in the order of its
// life: the claim is settled; if it is worth nothing, the call decides what to do next, and in the end waits in a
// queue. The goroutine that holds the lock is the ring's producer: mostly such a call, otherwise run. It fills the
// ring, serves the queue, and only then opens the ring.

// takeSlow settles a claim that Take could not. With a nil handler it does not wait.
func (g *Generator) takeSlow(ctx context.Context, pos uint64, handler func(uid.Rejection) error) (uid.UID, error) {
	if v, ok := g.published(pos); ok {
		return uid.UID(v), nil
	}
	b, err := g.draw(ctx, pos, 1, handler)
	return uid.UID(b.first), err
}

// published returns the UID of a claim if its tick has been published.
func (g *Generator) published(pos uint64) (v uint64, ok bool) {
	v, state := g.ring.Resolve(pos)
	if state != ringbuffer.Taken {
		return 0, false
	}
	if g.ring.Enters(pos) {
		g.topUp(g.ring.Tick(pos))
	}
	return v, true
}

// topUp refills the ring if tick, which the caller is the first to enter, is among the last ones buffered. If another
// goroutine is already doing so, it returns at once. (UidGenerator signals a thread pool instead. A goroutine that is
// signalled cannot keep up: at full speed eight ticks last less than a millisecond, while a goroutine on a busy
// processor may wait ten, a time slice of Go's scheduler, for its turn.)
func (g *Generator) topUp(tick uint64) {
	if g.ring.Tail() >= tick+g.padBelow || !g.mu.TryLock() {
		return
	}
	defer g.mu.Unlock()
	(*locked)(g).refill(g.now())
}

// A batch is the UIDs of n consecutive positions of one tick.
type batch struct {
	pos   uint64 // the first position
	first uint64 // its UID
	n     uint64
}

// A call is one whose claim was worth nothing at once.
type call struct {
	pos     uint64 // its claim, until it has a place
	want    uint64 // how many UIDs it takes at most instead
	handler func(uid.Rejection) error
	allowed bool    // to wait for the clock: the handler has let it, or would
	ahead   bool    // its claim is valid, but lies beyond the tail
	place   *waiter // in the queue, once it waits
}

func (c *call) served() bool { return c.place != nil && c.place.Got > 0 }

// draw returns the UID of the claim pos or, if that is void, up to want UIDs of one tick instead.
func (g *Generator) draw(
	ctx context.Context, pos, want uint64, handler func(uid.Rejection) error,
) (batch, error) {
	l := g.lock()
	defer g.mu.Unlock()
	c := call{pos: pos, want: want, handler: handler, allowed: handler != nil && g.patient}
	for {
		grant := g.tenure.Grant()
		if b := l.take(&c); b.n > 0 {
			return b, nil
		}
		next := l.nextStep(&c, grant)
		err := next.err
		switch next.do {
		case retry:
			continue
		case ask:
			l.unlocked(func() { err = g.handlers.Judge(handler, next.rejection) })
			c.allowed = err == nil
		case wait:
			if c.place == nil {
				c.place = l.join(&c)
			}
			l.unlocked(func() { err = await(ctx, c.place, next.news) })
		}
		if err != nil && !c.served() { // it may have been, while its context ended
			l.giveUp(&c)
			return batch{}, err
		}
	}
}

// take returns what the call can have now: nothing if the batch is empty.
func (l *locked) take(c *call) batch {
	if c.place == nil {
		v, pos, state := l.settle(c.pos)
		if state == ringbuffer.Taken {
			return batch{pos, v, 1}
		}
		c.pos, c.ahead = pos, state == ringbuffer.Ahead
		return batch{}
	}
	if !c.served() {
		l.refill(l.now())
	}
	if !c.served() {
		return batch{}
	}
	l.queue.leave(c.place)
	return c.place.Given
}

// noClaim is a void claim: one on a shut ring.
const noClaim = 1 << 63

// settle resolves a claim. It refills the ring if need be, and claims anew if the claim is void. Unless it returns
// Taken, it has shut the ring: while nothing can be published, takers should not claim what they cannot get.
func (l *locked) settle(pos uint64) (v, at uint64, state ringbuffer.State) {
	if l.closed() {
		return 0, pos, ringbuffer.NotOpen
	}
	refilled := false
	for {
		v, state = l.ring.Resolve(pos)
		switch {
		case state == ringbuffer.Taken:
			return v, pos, state
		case state == ringbuffer.Missed:
			l.counts.lost.Add(1)
			pos = noClaim
		case state == ringbuffer.NotOpen && !l.producer.IsShut() && l.producer.Position()>>63 == 0:
			// Under the lock nobody shuts the ring before its opener has drawn from it. (If positions take all 63 bits,
			// those after the last tick have the upper bit set, and another claim would be of no use.)
			pos = l.ring.Claim(1)
			refilled = false // others may have emptied the ring meanwhile, and made room for more
		case !refilled:
			l.refill(l.now())
			refilled = true
		default:
			l.producer.Shut()
			return 0, pos, state
		}
	}
}

// A step is what a call does next that the ring cannot serve now.
type step struct {
	do        action
	err       error           // to fail with
	rejection *uid.Rejection  // to ask about
	news      <-chan struct{} // of the reservation, that ends the wait
}

type action uint8

const (
	retry action = iota // the grant has just changed
	fail                // with err
	ask                 // the handler whether to wait for the clock
	wait                // in the queue, for the clock or the worker
)

// nextStep decides how a call goes on that got nothing while grant was in force.
func (l *locked) nextStep(c *call, grant *tenure.Grant) step {
	now := l.now()
	tick := l.nextTick(now, grant)
	switch {
	case l.tenure.Grant() != grant:
		return step{do: retry}
	case grant.Ended != nil:
		return step{do: fail, err: grant.Ended}
	case tick > l.layout.MaxTick():
		return step{do: fail, err: tenure.Exhausted(l.layout)}
	case tick > grant.Until:
		news, err := l.tenure.Await(grant, tick, l.wish(now), c.handler != nil)
		switch {
		case err != nil:
			return step{do: fail, err: err}
		case news == nil:
			return step{do: retry}
		}
		return step{do: wait, news: news}
	case !c.allowed:
		l.counts.rejectedTakes.Add(1)
		return step{do: ask, rejection: l.rejection(tick, now)}
	}
	if c.place == nil && l.patient {
		l.counts.rejectedTakes.Add(1) // without a handler to ask
	}
	return step{do: wait, news: l.tenure.News()}
}

// nextTick returns the tick that a call needs when the ring has none.
func (l *locked) nextTick(now time.Time, grant *tenure.Grant) int64 {
	return max(int64(l.ring.Tail()), l.tickAt(now), grant.First)
}

// rejection is for a call that only the clock can help, if next is the first tick to be published.
func (l *locked) rejection(next int64, now time.Time) *uid.Rejection {
	// Of which tick is a call that joins the queue now? The ring is shut.
	begin := max(l.producer.Position(), uint64(next)<<l.seqBits)
	tick := min(int64(l.ring.Tick(begin+l.queue.Wanted())), l.layout.MaxTick())
	pause := l.untilLead(tick, now)
	return &uid.Rejection{Wait: pause, Err: &leadError{tick, l.leadLimit(now), l.cfg.MaxLead, l.queue.Waiting(), pause}}
}

// A leadError is an ErrRejectedTake. Most handlers let the call wait and do not read it, so it is formatted when
// it is read.
type leadError struct {
	tick, limit int64
	maxLead     time.Duration
	waiting     int
	pause       time.Duration
}

func (e *leadError) Error() string {
	return fmt.Sprintf("%v: tick %d is next, MaxLead %v allows %d; %d calls wait; wait %v",
		uid.ErrRejectedTake, e.tick, e.maxLead, e.limit, e.waiting, e.pause)
}

func (e *leadError) Unwrap() error { return uid.ErrRejectedTake }

// join puts a call into the queue and has run watch the clock for it.
func (l *locked) join(c *call) *waiter {
	w := l.queue.join(c.pos, c.want, c.ahead)
	l.parked = false
	if l.queue.Waiting() == 1 {
		l.wake.signal()
	}
	return w
}

// await waits until the call is served or there is news of the reservation.
func await(ctx context.Context, w *waiter, news <-chan struct{}) error {
	select {
	case <-w.Turn():
		return nil
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// giveUp ends a call that got nothing. A valid claim ahead of the tail is lost.
func (l *locked) giveUp(c *call) {
	ahead := c.ahead
	if c.place != nil {
		ahead = !c.place.HasPlace()
		l.queue.leave(c.place)
	}
	if ahead {
		l.counts.lost.Add(1)
	}
}

// A line is the queue of the calls that wait. It is served before the ring is opened, so that no later call overtakes
// one that waits: while the ring is open, every call has been served. Positions are allotted then and not before. So a
// call that gives up takes nothing with it, and nothing has to be taken back when the clock skips a tick or the
// reservation is withdrawn, but what calls were given and have not collected yet.
type line struct {
	queue.Queue[batch]
	// ahead are the calls that hold a claim beyond the tail (Given.pos), made while the ring was open. Their positions
	// ascend, and lie before all that may be allotted.
	ahead []*waiter
}

type waiter = queue.Call[batch]

// Waiting is how many calls have not been served.
func (q *line) Waiting() int { return q.Queue.Waiting() + len(q.ahead) }

// join puts a call at the end or, if its claim lies beyond the tail, by that.
func (q *line) join(pos, want uint64, ahead bool) *waiter {
	w := queue.NewCall[batch](want)
	w.Given.pos = pos
	if !ahead {
		q.Join(w, nil)
		return w
	}
	byPos := func(w *waiter, pos uint64) int { return cmp.Compare(w.Given.pos, pos) }
	i, _ := slices.BinarySearchFunc(q.ahead, pos, byPos)
	q.ahead = slices.Insert(q.ahead, i, w)
	return w
}

// leave takes a call out of the queue. What it was given is the caller's.
func (q *line) leave(w *waiter) {
	if w.HasPlace() {
		q.Leave(w)
		return
	}
	q.ahead = slices.DeleteFunc(q.ahead, func(x *waiter) bool { return x == w })
}

// serve gives the calls what is published for them, in their order, and returns how many claims were void. Either the
// ring is shut, or no other call waits.
func (q *line) serve(ring *ringbuffer.Ring, producer *ringbuffer.Producer) (lost uint64) {
	first := q.First() // calls whose claims are void come before it
	for len(q.ahead) > 0 {
		w := q.ahead[0]
		v, state := ring.Resolve(w.Given.pos)
		if state == ringbuffer.Ahead {
			break
		}
		q.ahead = slices.Delete(q.ahead, 0, 1)
		if state == ringbuffer.Taken {
			q.Join(w, q.First())
			q.Give(batch{w.Given.pos, v, 1}, 1)
			continue
		}
		lost++
		q.Join(w, first)
	}
	q.Serve(func(want uint64) (batch, uint64) {
		v, pos, n := producer.Allot(want)
		return batch{pos, v, n}, n
	})
	return lost
}

// The producer.

// refill fills the ring as far as the clock and the reservation allow, serves the calls that wait, and opens the ring
// if UIDs are left. It returns the tick that the clock has reached and for which there was no room, or -1. After Close
// it does nothing.
func (l *locked) refill(now time.Time) (rejected int64) {
	grant := l.tenure.Grant()
	if grant.Ended != nil {
		return -1
	}
	l.lead = max(l.lead, min(grant.First-l.tickAt(l.steady(now)), l.follows))
	published := l.ticks
	rejected = l.publish(now, grant)
	if l.usable() {
		l.freshen(now)
		for waiting := l.queue.Waiting(); waiting > 0; waiting = l.queue.Waiting() {
			l.counts.lost.Add(l.queue.serve(&l.ring, l.producer))
			if l.queue.Waiting() == waiting {
				break
			}
			// They may have made room for more.
			rejected = l.put(int64(l.ring.Tail()), l.limit(now, grant), l.tickAt(now), grant.WorkerID)
		}
		l.open()
	}
	if l.ticks > published {
		l.refills++
	}
	if max(l.tickAt(now), int64(l.ring.Tail())-1) >= grant.Renew {
		l.tenure.Want(l.wish(now))
	}
	return rejected
}

// publish puts ticks into the ring. They are consecutive: if the next one is not the tail, because the clock or the
// reservation is beyond it or the ring was discarded, the ring starts anew there.
func (l *locked) publish(now time.Time, grant *tenure.Grant) (rejected int64) {
	clock := max(l.tickAt(now), 0)
	limit := l.limit(now, grant)
	tail := int64(l.ring.Tail())
	at := int64(min(l.ring.Tick(l.producer.Position()), math.MaxInt64)) // claims go on beyond 63 bits
	next := max(tail, clock, grant.First)
	usable := l.usable()
	stale := usable && at+l.lag < clock && clock >= tail // everything in the ring
	switch {
	case next <= limit && (next > tail || !usable || stale):
		l.producer.Shut()
		l.countSkipped(next)
		must(l.producer.Restart(uint64(next), uint64(grant.WorkerID), l.sequenceStart()))
		l.started, l.discarded = true, false
		l.ticks++
		next++
	case usable && at < clock && clock < tail: // ticks before the clock's own are stale
		l.producer.Shut()
		l.countSkipped(clock)
		must(l.producer.Skip(uint64(clock), l.sequenceStart()))
	case stale: // and nothing may replace it
		l.producer.Shut()
		l.withdrawBelow(allStale)
		l.discarded = true
	}
	return l.put(next, limit, clock, grant.WorkerID)
}

// usable reports whether what is buffered, if anything, may be issued.
func (l *locked) usable() bool { return l.started && !l.discarded }

// put puts ticks from next to limit into the ring, as many as find room. It returns what refill returns.
func (l *locked) put(next, limit, clock, worker int64) (rejected int64) {
	for next <= limit {
		err := l.producer.Put(uint64(next), uint64(worker))
		if errors.Is(err, ringbuffer.ErrFull) {
			if next <= clock { // ticks beyond the clock are only stock
				return next
			}
			break
		}
		must(err)
		l.ticks++
		next++
	}
	return -1
}

// countSkipped counts the published ticks that are skipped, untouched, on the way to tick. The ring is shut.
func (l *locked) countSkipped(tick int64) {
	pos := l.producer.Position()
	first, end := l.ring.Tick(pos), min(uint64(tick), l.ring.Tail())
	if !l.ring.Enters(pos) {
		first++
	}
	if l.started && first < end {
		l.skipped += end - first
	}
}

// open opens a shut ring that holds more UIDs than the calls that wait were served.
func (l *locked) open() {
	if l.ring.Tick(l.producer.Position()) >= l.ring.Tail() {
		return
	}
	l.producer.Open()
	if l.parked {
		l.parked = false
		l.wake.signal()
	}
}

func (r *rules) sequenceStart() uint64 {
	if !r.cfg.RandomStart || r.seqBits == 0 {
		return 0
	}
	return rand.Uint64N(1 << (r.seqBits - 1))
}

// How far the ring may be filled.

// limit returns the last tick that may be published now.
func (l *locked) limit(now time.Time, grant *tenure.Grant) int64 {
	return min(l.leadLimit(now), grant.Until)
}

// leadLimit returns the last tick that MaxLead allows. It uses the steady clock: a wall
// clock that was set back must not stop a generator until it has caught up.
func (l *locked) leadLimit(now time.Time) int64 {
	tick := max(l.tickAt(l.steady(now)), 0)
	if tick > math.MaxInt64-l.lead {
		return math.MaxInt64
	}
	return tick + l.lead
}

// untilLead is how long it takes until MaxLead allows a tick.
func (l *locked) untilLead(tick int64, now time.Time) time.Duration {
	return max(l.layout.TimeOf(tick-l.lead).Sub(l.steady(now)), 0)
}

// wish returns the tick up to which to ask the worker to reserve: what the ring may need to be full once more.
func (l *locked) wish(now time.Time) int64 {
	ahead := int64(l.ring.Tail()) + 2*int64(l.ring.Runs())
	return min(max(ahead, l.tickAt(now)), l.leadLimit(now), l.layout.MaxTick())
}

// steady returns the wall clock while that goes forward. While it does not, it returns the last such time plus the time
// that has passed since.
func (l *locked) steady(now time.Time) time.Time {
	at := time.Since(l.born)
	// Drop the monotonic reading: by it a wall clock that was set forward would not be
	// after one that was not.
	now = now.Round(0)
	if l.wall.IsZero() {
		l.wall, l.wallAt = now, at
	}
	l.wall = l.wall.Add(at - l.wallAt)
	l.wallAt = at
	if now.After(l.wall) {
		l.wall = now
	}
	return l.wall
}

// What is stale in the hands of Lanes.

// allStale, as the bound, lets Lanes keep nothing.
const allStale = math.MaxUint64

// freshen lets Lanes keep what they are about to claim, if they may keep nothing so far.
func (l *locked) freshen(now time.Time) {
	at := l.ring.Tick(l.producer.Position())
	if at < l.ring.Tail() && l.staleBelow.Load() == allStale {
		l.withdrawBelow(l.boundAt(now, at))
	}
}

// boundAt returns what is stale for takers that are in tick at: UIDs too far behind the clock, and discarded ones,
// which may be ahead of it.
func (l *locked) boundAt(now time.Time, at uint64) uint64 {
	return max(l.discardedBelow, min(uint64(max(l.tickAt(now), 0)), at)) << l.valBits
}

// withdrawBelow makes every UID below bound stale.
func (l *locked) withdrawBelow(bound uint64) {
	if before := l.staleBelow.Load(); bound != before {
		l.staleBelow.Store(bound)
		if bound > before {
			l.lanes.withdraw(bound)
			if l.unordered != nil {
				l.unordered.withdraw(bound)
			}
		}
	}
}

// The goroutine.

// run tends the ring between calls: it moves the ring on when the clock has left it behind, shuts it when no call draws
// (then it sleeps without a timer), and serves the calls that wait for the clock.
func (g *Generator) run() {
	defer close(g.done)
	timer := time.NewTimer(g.untilNextLook(g.now()))
	defer timer.Stop()
	for {
		timedOut := false
		select {
		case <-g.quit:
			return
		case <-g.wake:
		case <-timer.C:
			timedOut = true
		}
		l := g.lock()
		after, rejected := l.tend(timedOut)
		waiting := l.queue.Waiting() > 0
		g.mu.Unlock()
		if rejected >= 0 && g.cfg.OnRejectedPut != nil {
			g.handlers.Call("OnRejectedPut", func() { g.cfg.OnRejectedPut(rejected) })
		}
		switch {
		case after < 0:
			timer.Stop()
		case !waiting:
			timer.Reset(after)
		case queue.Nap(after):
			timer.Reset(0)
		default:
			// Timers may oversleep, and with short ticks much of the next one would be
			// gone: the last of the time is for a nap.
			if after > queue.LongestNap {
				after -= queue.LongestNap
			}
			timer.Reset(after)
		}
	}
}

// signal wakes run.
func (w waker) signal() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// tend is one round of run's loop. It returns how long run may sleep, negative for until it is woken, and what refill
// returned.
func (l *locked) tend(timedOut bool) (after time.Duration, rejected int64) {
	if l.closed() || l.parked {
		return -1, -1
	}
	if timedOut && l.queue.Waiting() == 0 && l.producer.Position() == l.seen {
		// Nobody drew since the last look. The next taker reads the clock itself, so its
		// UID is of its own time, and run need not wake until then.
		l.park()
		return -1, -1
	}
	now := l.now()
	if rejected = l.refill(now); rejected >= 0 {
		l.counts.rejectedPuts.Add(1)
	}
	if at := l.ring.Tick(l.producer.Position()); l.staleBelow.Load() != allStale {
		l.withdrawBelow(l.boundAt(now, at))
	}
	l.seen = l.producer.Position()
	if l.queue.Waiting() > 0 {
		// Until the steady clock leaves the tick that the refill used: a new reading might already be in the next one,
		// and the calls that wait would miss it.
		return l.until(l.tickAt(l.wall)+1, l.wall), rejected
	}
	return l.untilNextLook(now), rejected
}

// park shuts an idle ring. Everything that Lanes hold becomes stale.
func (l *locked) park() {
	l.producer.Shut()
	l.withdrawBelow(allStale)
	l.parked = true
}

// untilNextLook ends at a tick's boundary: just after that the ring can move to a tick that has only begun.
func (r *rules) untilNextLook(now time.Time) time.Duration {
	return r.until(r.tickAt(now)+r.lookEvery, now)
}

func (r *rules) until(tick int64, now time.Time) time.Duration {
	return max(r.layout.TimeOf(tick).Sub(now), time.Nanosecond)
}

// The end.

// discard drops what is buffered, what calls that wait have not collected and what Lanes hold: the reservation was
// revoked.
func (l *locked) discard() {
	l.withdrawAll()
	l.parked = false // calls from which something was taken back wait again
	l.discarded = true
	l.discardedBelow = l.ring.Tail()
}

// end lets nothing be issued from now on, to calls that were served and have not collected either.
func (l *locked) end() {
	l.tenure.End(nil, uid.ErrClosed)
	l.withdrawAll()
	l.last = l.newest()
}

func (l *locked) withdrawAll() {
	l.producer.Shut()
	l.counts.lost.Add(l.queue.Withdraw())
	l.withdrawBelow(allStale)
}

// newest returns the newest tick with a claimed UID, or a later one that was skipped, or -1 if there was neither. In a
// ring that is open a later one may be claimed meanwhile.
func (l *locked) newest() int64 {
	if !l.started || l.producer.Claimed() == 0 {
		return -1
	}
	// Positions beyond the tail were claimed, but no call got a UID for them.
	return int64(min(l.ring.Tick(l.producer.Position()-1), l.ring.Tail()-1))
}

// closed reports whether Close has begun. If not, Close goes on only after the lock is released.
func (l *locked) closed() bool { return l.tenure.Grant().Ended != nil }

// must panics on an error that only a bug in this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
