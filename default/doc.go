// Package uncached makes UIDs by asking the clock for each one.
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
// A UID of this package carries the tick in which it was drawn, not one that was
// buffered before or borrowed from the future, and nothing runs in the background but
// the renewal of a worker's reservation, if it has one. Take it when the time in a
// UID matters, when memory and goroutines do, or simply when a UID every 60 ns is
// enough. Package cached is the one for speed and for bursts: it has UIDs ready at a
// tenth of the cost, and issues more than the layout sustains for as long as it may run
// ahead of the clock.
//
// # What it costs
//
// A call reads the clock once and moves one word by a compare-and-swap. There is no lock
// in its way, and nothing is allocated. That is 1.2 to 1.3 times the cost of the bare
// time.Now alone (49 ns and 60 ns on the machine where it was measured), and 1.6 to 1.7
// times between goroutines on two cores: the clock is the limit. Fill makes as many UIDs
// of a tick as are left of it for the price of one call.
//
// The layout is the other limit. A worker has 2^sequence bits UIDs in a tick, 8,192 a
// second in the default layout; the call that finds them used up sleeps until the next
// tick begins. A rate that is to be kept up needs a layout for it; see package bits.
//
// # When the clock goes back
//
// Config.ClockBack chooses what happens then. Under each of them a
// generator issues no UID twice.
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
// Logical is the default. Clocks are stepped by seconds when a machine has been
// suspended or its time service starts late, and a service that cannot make keys for as
// long does more harm than keys whose time is off by as much, which their reader cannot
// tell from a clock that was wrong before. Wait(DefaultWait) is the choice of those for
// whom a UID's time has to be the clock's: it sleeps over small steps, and returns an
// error for others.
//
// A step forward is followed by all of them: there is no telling it from time that has
// passed. So is a leap second, during which clocks repeat a second, stand still or go
// slower: it is a step back of a second at most.
//
// # Restarts
//
// The generator itself keeps nothing beyond its process. That no UID comes twice after
// a restart is the worker's matter: one that makes ticks durable before they are issued
// begins the next reservation above them, and then it does not matter where the
// clock stands. See [Policy] for what each policy does meanwhile, and for what nobody
// can see without such a worker.
package uncached
