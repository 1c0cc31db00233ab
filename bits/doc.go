// Package bits defines the layout of UIDs: how many bits are time, worker ID and sequence, when the time field starts,
// and how long one step of it lasts.
//
//	 62          worker+sequence  sequence        0
//	+-+-----------------+-----------+--------------+
//	|0|      tick       | worker ID |   sequence   |
//	+-+-----------------+-----------+--------------+
//	   Config.TimeBits   WorkerBits   SequenceBits
//
// Bits above a narrower layout are 0. A tick is one [Config.Unit] of time, counted from [Config.Epoch]: UIDs of a later
// tick are larger, whatever their worker and sequence.
//
// A worker has 1<<SequenceBits UIDs per tick. Package plan finds layouts for a given need.
//
// Everything in this package is safe for concurrent use.
package bits
