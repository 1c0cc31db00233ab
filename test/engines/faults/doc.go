// Faults kills, pauses and cuts off the processes that lease worker IDs, and the servers that they
// lease them from, on every engine that the project has a store for. It checks that no UID and no
// tick of a worker ID comes twice.
//
//	go run ./test/engines/faults [-full] [-engine NAME,…] [-fault NAME,…]
//
// Each fault is injected some times, and many times with -full, while processes draw UIDs by the
// real generators; see package crew, test/crew. Then it is injected again under blind
// processes, which use an ID without looking which ticks are reserved, until these are found out:
// a run in which they are not has proven nothing, and fails.
//
// There is a line for each engine and fault, and a table at the end, which also says what servers
// were tested, and what could not be had. The exit status is 1 if anything failed.
package main
