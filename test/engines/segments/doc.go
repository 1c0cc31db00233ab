// Segments lets processes draw numbers of one tag, on every engine that the project has a store for,
// while it kills and pauses them and the servers. It checks that no number comes twice, and that
// none is skipped without a reason.
//
//	go run ./test/engines/segments [-full] [-engine NAME,…]
//
// Each process marks every number that it gets in a bitmap that all of them map into memory (package
// record, test/record). There it also notes each range of numbers before it takes it from the
// store, and takes none that it has no room to note, so that it is known what a killed process had in
// hand. A hole, a number below the row's Next that nobody got, has to be one of those: of a range that
// a process had when it was killed, or could not give back when it ended. Of a hole that is not, the
// report tells which processes have decided about its numbers, and what their ledgers say.
//
// Then stores that are wrong on purpose have to be found out: a run in which they are not has
// proven nothing, and fails. At last a server loses what it has acknowledged, or has a row restored: each
// generator whose numbers it has lost has to notice when it takes the next ones, and no other one may.
//
// There is a table with a line for each engine at the end. The exit status is 1 if anything failed.
package main
