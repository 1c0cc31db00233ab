// Command soak looks for a UID that is issued twice. It runs processes with generators
// of their own on shared stores of worker IDs, and kills, pauses and restarts them, sets
// their clocks, kills their databases and breaks their connections, while each of them
// marks every UID that it draws in one bitmap in memory that all share.
//
// # How UIDs map to bits
//
// A round has one layout, and a first tick. The bit of a UID is the UID less the first
// UID of that tick under worker ID 0:
//
//	bit = UID - firstTick<<(workerBits+sequenceBits)
//
// so that two UIDs have the same bit only if they are the same UID, and the bits of the
// round's ticks are all numbers from 0 up. Most of them are never used: the bitmap is a
// file in memory with holes (400 GiB of addresses for five minutes, of which 5
// billion UIDs fill 0.65 GB), and a page of it exists once a UID falls into it. As UIDs of a
// tick and a worker ID are drawn from sequence 0 up, their bits are side by side, and no
// more than a page is wasted for each tick of each worker ID. A configuration whose UIDs
// would not fit the address space or the memory is refused. A UID of a tick outside of the
// round's is a violation.
//
// A longer run is divided into rounds, each with a new bitmap, new databases and a first
// tick above all ticks of the round before, so that no UID of an earlier round can come
// again unnoticed either.
//
// # What is seen
//
// A bit is set by an atomic OR, which tells whether it was set before: that UID is a
// duplicate, whoever drew it and when. What a process has marked stays when it is killed.
// (What it had drawn and not yet marked nobody has seen: those UIDs were lost with it.)
// Beside the bitmap there is a word for each tick of each worker ID: which process, and
// which goroutine of it, was the first to draw of it. Two processes there are a violation
// even if they drew different UIDs, and it names the other owner of a duplicate.
//
// Also checked: that the worker ID and the tick are within what the worker granted; that
// the time is within MaxLag and MaxLead of the clock at the call; that a goroutine's UIDs
// increase where that is promised; and, of the databases after each round, that no tick is
// beyond what was reserved for its worker ID.
//
// # Faults
//
// Processes are killed, paused and restarted, and their clocks set; servers are killed, and
// fail over to a replica that lacks commits; connections break. And there is an operator,
// who does by hand to the tables of leases what people do: renames one and puts it back,
// truncates one, restores an older state, lets old rows be collected (also by clocks that
// are hours ahead, and by one that is wrong alone, which has to be refused), and edits rows.
// It keeps within what leases promise to stand: nothing is truncated or restored where the
// store is said to be durable. Calls that find nothing reserved meanwhile are counted, and no
// violation. That a durable store's table comes into being without Registry.Init is one.
//
// Faults come on a schedule that follows from the seed, the time and the version of this
// program alone. It is printed, and is the same for the same seed; how the threads of a
// dozen processes interleave is not.
package main
