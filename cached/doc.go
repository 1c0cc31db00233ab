// Package cached makes UIDs from a ring that is filled ahead of time: hundreds of
// millions a second, in strict order, without a lock, an allocation or a look at the
// clock in the common path.
//
// # Ways to draw
//
// [Generator.GetUID] is strict: a call that starts after another one returned gets the
// larger UID. It costs little more than the one atomic add that such an order takes.
// [Generator.Fill] claims thousands of UIDs with one add. A [Lane] is for one
// goroutine, claims in advance and contends with nobody. [Unordered] lends out Lanes,
// and scales with the number of cores without the caller holding one.
//
// # Time
//
// A UID's time is that of its tick (a second, in the default layout) and not of the
// call. It is true within two bounds: Config.MaxLag behind the clock, one second
// unless you choose otherwise (no finer than the scheduler: see there), and Config.MaxLead ahead of it, ten minutes unless you
// choose otherwise. It is ahead of the clock only after more UIDs were drawn than a
// tick holds: 8,192 a second can be sustained in the default layout, and what a burst
// draws beyond that is borrowed from the future and given back while less is drawn.
// Whoever needs more for ever needs a layout with more sequence bits.
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
// The wall clock is never trusted to go forward. Set back, it changes nothing: ticks go
// on from the last one, at the rate at which time really passes, and the lead that
// comes of it is given back as the clock comes up again. Set forward, it is noticed at
// the next look, at most half MaxLag (or a tick) later. The end of the time field is
// checked at every refill; the last tick is issued in full and then comes
// uid.ErrExhausted, for ever.
//
// # Refilling
//
// Whoever is the first to draw from a tick looks whether the ring is still filled
// beyond Config.PaddingFactor, and else tops it up before going on; if somebody else is
// at it, nobody waits. It takes less than a hundred nanoseconds a tick. A goroutine moves the ring
// on when the clock has left it behind, about once a second while UIDs are drawn, and
// not at all while none are: an idle generator sleeps, and the next call finds the ring
// shut and brings it up to the clock itself, in less than a microsecond.
//
// (UidGenerator pads by a thread pool that is told at the threshold. A goroutine that is
// told cannot keep up: eight ticks last less than a millisecond at full speed, a
// goroutine on a busy processor may have to wait ten, a time slice of Go's scheduler, for
// its turn.)
//
// # The worker
//
// New binds a [uid.Worker], which says under which worker ID, and up to which tick, UIDs
// may be made. Only reserved ticks are ever put into the ring. The reservation is
// extended in the background, long before it runs out; calls do not notice a database
// that is down for less than what is reserved. After that they return
// uid.ErrNoReservation, until it is back. A worker serves one generator at a time: one
// Worker given to two of them is refused.
package cached
