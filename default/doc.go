// Package uncached makes UIDs and looks at the clock for each one.
//
// Its folder is named default, which Go does not allow as a package's name.
//
//	 62         worker+sequence   sequence         0
//	+-+----------------+-----------+--------------+
//	|0| clock's tick   | worker ID |   sequence   |
//	+-+----------------+-----------+--------------+
//	                               0, 1, 2 … within the tick
//
// # When to use it
//
// A UID of this package carries the tick in which it was drawn, not one that was buffered
// before or borrowed from the future. Nothing runs in the background but the renewal of a
// worker's reservation, if it has one. Take it if the time in a UID matters, if memory and
// goroutines do, or simply if a UID every 60 ns is enough. Package cached is for speed and
// bursts: it has UIDs ready at a tenth of the cost, and issues more than the layout
// sustains as long as it may run ahead of the clock.
//
// # What it costs
//
// A call looks at the monotonic clock once and adds one to a word. It waits for no lock and
// does not allocate. With one goroutine that costs about a bare time.Now; several contend for the
// word. Some calls move it by a compare-and-swap, which costs a tenth more: Fill's, the first of
// each tick, all with Remember and RollbackBits, and those of layouts with fewer than some 20 bits
// for worker ID and sequence. Fill makes all remaining UIDs of a tick for the price of one call.
//
// The layout is the other limit. A worker has 2^sequence bits UIDs in a tick, 8,192 a
// second in the default layout; a call that finds them used up sleeps until the next tick
// begins. For a higher sustained rate choose another layout; see the command uid plan.
//
// # When the clock goes back
//
// Config.ClockBack chooses what happens then. Under every policy a generator issues no UID
// twice.
//
//	policy           calls while the clock is behind       order     a UID's time
//	Logical()        go on                                 strict    ahead by the step at most
//	Fail()           fail                                  strict    the clock's tick
//	Wait(limit)      sleep up to limit, or fail            strict    the clock's tick
//	Remember(ticks)  go on, or fail beyond so many ticks   by clock  the clock's tick
//	RollbackBits(k)  go on, 2^k-1 times at least           by clock  the clock's tick
//
// Strict order: when one call returns before another one starts, its UID is the
// smaller. By clock: the same, except that UIDs go back with the clock.
//
// Logical is the default. Clocks step by seconds when a machine was suspended or its time
// service starts late. A service that cannot make keys for that long does more harm than
// keys whose time is off by as much; a reader cannot tell them from keys made under a wrong
// clock. If a UID's time must be the clock's, choose Wait(DefaultWait): it sleeps over
// small steps, and returns an error for larger ones.
//
// All policies follow a step forward: it looks like time that has passed. In a leap second
// clocks repeat a second, stand still or run slower: that is a step back of at most a
// second.
//
// # When a step is seen
//
// time.Now reads two clocks of the machine, the wall clock and the monotonic one, which go
// alike unless the wall clock is set. So a reading tells how long the wall clock's tick lasts
// by the monotonic clock, and the calls until then look only at that one. The wall clock is
// read again when the tick is over, or the reading a millisecond old: a UID has a tick that
// the wall clock showed during the call, but for a step in the millisecond before. Corrections
// that make a clock go faster or slower are no steps.
//
// A step, forward or back, is seen no more than a millisecond after it, or earlier if a call
// finds the clock behind; whatever the policy does, it does then, by the clock of that moment.
// The UIDs until then have the time from before the step. The millisecond is the monotonic
// clock's, which on Linux stands still while the machine is suspended: after that the calls of
// up to a millisecond have the time from before, hours ago perhaps. Nothing of this makes
// a UID come twice: whether one may be issued is decided by the ticks that were reserved and
// used, and not by the clock.
//
// Whoever needs each step seen by the next call sets Config.Now to time.Now, which then is
// read for each UID. So it is with Remember, whose order follows the clock, and with ticks
// shorter than a millisecond.
//
// # Restarts
//
// The generator itself keeps nothing beyond its process. After a restart the worker keeps
// UIDs unique: one that makes ticks durable before they are issued begins the next
// reservation above them, wherever the clock stands. See [Policy] for what each policy does
// then, and for what goes unnoticed without such a worker.
package uncached
