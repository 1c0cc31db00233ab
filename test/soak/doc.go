// Command soak looks for a UID that is issued twice. It runs processes with generators of
// their own on shared stores of worker IDs. It kills, pauses and restarts them, sets their
// clocks, kills their databases and breaks their connections. Meanwhile each process marks
// every UID that it draws in a record in shared memory.
//
// # Rounds
//
// A round has its own record (see package harness) of all UIDs that its processes
// draw, with one layout and a range of ticks. A configuration whose UIDs would not fit the
// address space or the memory is refused.
//
// A longer run has several rounds, each with a new record and new databases: it knows nothing of the one
// before.
//
// # What it checks
//
// The record finds duplicate UIDs, and ticks of a worker ID from which two processes draw.
//
// The soak also checks that the worker ID and the tick are within what the worker granted;
// that the time is within MaxLag and MaxLead of the clock at the call; that a goroutine's
// UIDs increase where that is promised; and, in the databases after each round, that no tick
// is beyond what was reserved for its worker ID.
//
// # Faults
//
// Processes are killed, paused and restarted, and their clocks set. Servers are killed, and
// fail over to a replica that lacks commits. Connections break. An operator does to the
// tables of leases what people do by hand: it renames one and puts it back, truncates one,
// restores an older state, lets all rows of IDs vanish and puts them back, and edits rows. It keeps within what leases
// promise to survive: it truncates and restores nothing of leases whose Losses is Never. Those of the others are
// ByHistory, and burn ticks after that. Calls that find nothing reserved meanwhile are counted; they are no violation.
// A table that is made anew though its namespace has to exist is a violation.
//
// # On engines
//
// With --on it runs on other engines, each in three to five rounds, and with --draw says what is drawn there.
// Leaseholders draw UIDs under all faults that the engine's servers and connections can have. Then processes draw that
// are blind, which use an ID without looking which ticks are reserved, or which compare no histories of a store that a
// failover sets back: a run in which no duplicate of theirs is found has proven nothing, and fails.
//
// Then processes draw numbers of one tag. No number may come twice, and none may be skipped without a reason: each
// process notes in shared memory each range that it takes, before it takes it, so that it is known what a killed one
// had in hand. A hole, a number below the row's Next that nobody got, has to be one of those. At last a server loses
// what it has acknowledged, or has a row restored: each generator whose numbers it has lost has to notice when it takes
// the next ones, and no other one may.
//
// On serve, clients draw UIDs and numbers from two processes of uid serve, over HTTP and over the Redis protocol, while
// these and their database are killed. They may see errors and nothing else. Then both servers have one worker ID.
//
// # How it is built
//
// A world has places: deployments of engines behind proxies, and how each breaks. A slot says what a process draws
// and where. A schedule says which fault happens when, to which slot or place. A fleet is the processes that fill the
// slots; each does a job: it draws in goroutines, and a checker marks and checks what each draws. A round has all of
// these, and is judged by the record, by the ledgers of numbers, and by what the stores say. A trial is a round with
// something planted that has to be found; the self-test is some of these on a file.
//
// # Schedules
//
// The schedule of faults follows from the seed, the length and the version of this program
// alone. Soak prints it. The same seed gives the same schedule, but not the same
// interleaving of a dozen processes' threads.
package main
