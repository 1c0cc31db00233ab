// Package bits defines the layout of UIDs: how many bits are time, worker ID and sequence, when the time field starts,
// and how long one step of it lasts.
//
//	 62          worker+sequence  sequence        0
//	+-+-----------------+-----------+--------------+
//	|0|      tick       | worker ID |   sequence   |
//	+-+-----------------+-----------+--------------+
//	   Config.TimeBits   WorkerBits   SequenceBits
//
// A layout of fewer than 63 bits leaves the highest ones 0. A tick is one [Config.Unit] of time, counted from
// [Config.Epoch]: UIDs of a later tick are larger, whatever their worker and sequence.
//
// The layout sets the rate that it can sustain: a worker has 1<<SequenceBits UIDs per tick (8,192 a second in the
// [Default] layout). One that issues faster borrows from the future and uses up the time field sooner. Package plan and
// the command uid plan find layouts for a given need.
//
// Everything in this package is safe for concurrent use, and nothing blocks.
package bits
