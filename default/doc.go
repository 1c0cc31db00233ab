// Package uncached makes UIDs and reads the clock for each one.
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
// A call reads the clock once and moves one word by a compare-and-swap. It takes no lock
// and does not allocate. With one goroutine that costs 1.2 to 1.3 times a bare time.Now (49
// ns and 60 ns on the machine where it was measured), with several on two cores 1.6 to 1.7
// times: the clock is the limit. Fill makes all remaining UIDs of a tick for the price of
// one call.
//
// The layout is the other limit. A worker has 2^sequence bits UIDs in a tick, 8,192 a
// second in the default layout; a call that finds them used up sleeps until the next tick
// begins. For a higher sustained rate choose another layout; see package plan.
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
// # Restarts
//
// The generator itself keeps nothing beyond its process. After a restart the worker keeps
// UIDs unique: one that makes ticks durable before they are issued begins the next
// reservation above them, wherever the clock stands. See [Policy] for what each policy does
// then, and for what goes unnoticed without such a worker.
package uncached
