// Package bits lays a UID out: how many bits are time, worker ID and sequence, at
// which instant the time field starts, and what one step of it is worth.
//
//	 62          worker+sequence  sequence        0
//	+-+-----------------+-----------+--------------+
//	|0|      tick       | worker ID |   sequence   |
//	+-+-----------------+-----------+--------------+
//	   Config.TimeBits   WorkerBits   SequenceBits
//
// The fields are packed at the low end; a layout of less than 63 bits leaves the
// highest ones 0. A tick is one [Config.Unit] of time, counted from
// [Config.Epoch]. Since the tick is above the rest, UIDs of a later tick are
// larger whatever their worker and sequence.
//
// What a layout sustains is set by its bits, not by the speed of the program: a
// worker has 1<<SequenceBits UIDs per tick (8,192 a second in the [Default]
// layout), and one that issues faster borrows from the future and uses up the time
// field sooner. Package plan finds layouts for a given need.
//
// Layouts are immutable values, compared with ==. Everything in this package may
// be called by any number of goroutines at once, and nothing in it blocks.
package bits
