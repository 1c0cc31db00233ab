// Package bits defines the layout of UIDs: how many bits are time, worker ID and
// sequence, when the time field starts, and how long one step of it lasts.
//
//	 62          worker+sequence  sequence        0
//	+-+-----------------+-----------+--------------+
//	|0|      tick       | worker ID |   sequence   |
//	+-+-----------------+-----------+--------------+
//	   Config.TimeBits   WorkerBits   SequenceBits
//
// The fields are packed at the low end; a layout of fewer than 63 bits leaves the
// highest ones 0. A tick is one [Config.Unit] of time, counted from [Config.Epoch].
// Since the tick is above the rest, UIDs of a later tick are larger whatever their
// worker and sequence.
//
// The bits of a layout, not the speed of the program, set the rate that it can sustain:
// a worker has 1<<SequenceBits UIDs per tick (8,192 a second in the [Default] layout).
// One that issues faster borrows from the future and uses up the time field sooner.
// The command uid plan finds layouts for a given need. Two layouts in one column can make the same
// number: [FindOverlap] says which, and when. Package foreign reads what is no layout.
//
// Layouts are immutable values, compared with ==. Everything in this package may
// be called by any number of goroutines at once, and nothing in it blocks.
package bits
