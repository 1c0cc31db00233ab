// Package uncached makes UIDs and looks at the clock for each one. Go allows no package named default, as its folder
// is.
//
//	 62         worker+sequence   sequence         0
//	+-+----------------+-----------+--------------+
//	|0| clock's tick   | worker ID |   sequence   |
//	+-+----------------+-----------+--------------+
//	                               0, 1, 2 … within the tick
//
// A call costs about a bare time.Now with one goroutine, without a lock or an allocation. A worker has 2^sequence bits
// UIDs in a tick, 8,192 a second in the default layout; the command uid plan finds layouts for higher rates.
//
// # When the clock goes back
//
// [Config].ClockBack chooses what happens then:
//
//	policy           calls while the clock is behind       order     a UID's time
//	Logical()        go on                                 strict    ahead by the step at most
//	Fail()           fail                                  strict    the clock's tick
//	Wait(limit)      sleep up to limit, or fail            strict    the clock's tick
//	Remember(ticks)  go on, or fail beyond so many ticks   by clock  the clock's tick
//	RollbackBits(k)  go on, 2^k-1 times at least           by clock  the clock's tick
//
// Strict order: when one call returns before another one starts, its UID is the smaller. By clock: the same, except
// that UIDs go back with the clock. All policies follow a step forward. A leap second is a step back of at most a
// second.
//
// A reading of the wall clock serves for up to a millisecond (on Linux, one that stands still while the machine is
// suspended). So UIDs can have the time from before a step for that long, but none comes twice. Each UID has its own
// reading with [Remember], with ticks shorter than a millisecond, or if you set Config.Now to time.Now.
//
// # Restarts
//
// A worker that makes ticks durable before they are issued begins the next reservation above them, wherever the clock
// stands. With one that keeps nothing (worker.Static, say), a clock set back over a restart can give the same UIDs
// again, under every policy.
package uncached
