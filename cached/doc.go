// Package cached makes UIDs from a ring that it fills ahead of time: tens to hundreds of millions a second, without a
// lock, an allocation or a reading of the clock on the fast path.
//
// [Generator.GetUID] makes one and [Generator.Fill] many, in strict order. A [Lane], for one goroutine, and
// [Unordered], for many, contend less and give up order.
//
// # Time
//
// A UID's time is that of its tick (a second in the default layout), not of the call: behind the clock by at most
// Config.MaxLag, ahead by at most Config.MaxLead. It is ahead only after more UIDs were drawn than the ticks hold: the
// default layout sustains 8,192 a second; a burst borrows the rest from the future, and gives it back while less is
// drawn.
//
//	   MaxLag               MaxLead
//	|<------->|<----------------------------------->|
//	+---------+-------------------------------------+----> time
//	          ^ clock     ^ newest UID    ^ tail
//	                      '-- buffered ---'
//
// If the wall clock is set back, ticks go on from the last one, as real time passes, until the clock has caught up. If
// it is set forward, the generator notices within half MaxLag (or a tick).
//
// # Waiting
//
// Calls that wait, for the clock or for the worker, are served in the order in which they began to, whatever they draw
// with.
//
// # The worker
//
// The generator extends the reservation of its [uid.Worker] early, in the background. So calls do not notice a database
// that is down for less time than is reserved; after that they return uid.ErrNoReservation until it is back.
package cached
