// Command soak looks for a UID that is issued twice. It runs processes with generators
// of their own on shared stores of worker IDs, and kills, pauses and restarts them, sets
// their clocks, kills their databases and breaks their connections, while each of them
// marks every UID that it draws in one record in memory that all share.
//
// # Rounds
//
// A round has a record of its own (package internal/proof/record) of all UIDs that its
// processes draw, with one layout and a range of ticks. A configuration whose UIDs would
// not fit the address space or the memory is refused.
//
// A longer run is divided into rounds, each with a new record, new databases and a first
// tick above all ticks of the round before, so that no UID of an earlier round can come
// again unnoticed either.
//
// # What is seen
//
// UIDs that come twice, and ticks of a worker ID that two processes draw of, the record sees.
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
