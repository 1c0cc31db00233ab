// Package cached makes UIDs from a ring that it fills ahead of time: tens to hundreds of
// millions a second, in strict order, without a lock, an allocation or a reading of the
// clock on the fast path.
//
// # Ways to draw
//
// [Generator.GetUID] is strict: a call that starts after another one returned gets the
// larger UID. It costs little more than the one atomic add that such an order needs.
// [Generator.Fill] claims thousands of UIDs with one add. A [Lane] is for one goroutine;
// it claims in advance and contends with nobody. [Unordered] does the same for any number
// of goroutines, without order, and scales with the number of cores.
//
// # Time
//
// A UID's time is that of its tick (a second in the default layout), not of the call. It
// may be behind the clock by Config.MaxLag, by default a second (a bound near the scheduler's
// latency does not always hold: see there), and ahead of it by Config.MaxLead, by
// default ten minutes. It is ahead only after more UIDs were drawn than a tick holds: the
// default layout sustains 8,192 a second; a burst borrows the rest from the future, and
// gives it back while less is drawn. To sustain more, choose a layout with more sequence
// bits.
//
//	   MaxLag               MaxLead
//	|<------->|<----------------------------------->|
//	+---------+-------------------------------------+----> time
//	          ^ clock     ^ newest UID    ^ tail
//	                      '-- buffered ---'
//
// At the bound of MaxLead, Config.OnRejectedTake decides: the call waits, which is the
// default, or fails, or does what a handler of yours says.
//
// # Waiting
//
// Calls that wait are served in the order in which they began to: GetUID, Fill, Lanes and
// Unordered alike, whether they wait for the clock or for the worker. The ring stays shut
// until all of them have been served, so that a later call cannot pass them, TryGetUID
// neither: it fails while others wait. A Fill gets at its turn what the tick has left, and
// then queues again behind the others for the rest. A call that gives up frees its place.
//
// Positions are given to calls when their tick is put into the ring, not when they begin to
// wait. So a call that gives up wastes nothing, a tick that the clock skips takes none along,
// and what was given to a call that has not collected it is taken back when the worker
// revokes the reservation or the generator is closed: it is not issued. One position is lost
// at most for each call that claimed it by running over the end of an open ring, and then
// gives up.
//
// The wall clock need not go forward. If it is set back, ticks go on from the last one, at
// the rate at which time really passes, and the resulting lead is given back as the clock
// catches up. If it is set forward, the generator notices within half MaxLag (or a tick).
// Every refill checks the end of the time field; the last tick is issued in full, and then
// every call returns uid.ErrExhausted.
//
// # Refilling
//
// The first call to draw from a tick, or from a block of short ticks (see Config.Slots), checks
// whether the ring is still filled beyond Config.PaddingFactor, and if not tops it up before it
// goes on; if another call is doing so, it does not wait. That takes less than a hundred nanoseconds a tick. A goroutine
// moves the ring on when the clock has left it behind, about once a second while UIDs are
// drawn. An idle generator sleeps; the next call finds the ring shut and brings it up to
// the clock itself, in less than a microsecond.
//
// (UidGenerator signals a thread pool at the threshold. A goroutine that is signalled
// cannot keep up: at full speed eight ticks last less than a millisecond, while a
// goroutine on a busy processor may wait ten, a time slice of Go's scheduler, for its
// turn.)
//
// # The worker
//
// New binds a [uid.Worker], which says under which worker ID and up to which tick UIDs may
// be made. Only reserved ticks ever enter the ring. The generator extends the reservation
// in the background, long before it runs out, so calls do not notice a database that is
// down for less time than is reserved. After that they return uid.ErrNoReservation until
// it is back. A worker serves one generator at a time and refuses a second one.
package cached
