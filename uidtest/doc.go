// Package uidtest has stand-ins for tests of programs that make UIDs: a [Generator] of UIDs that are known beforehand,
// and a [Worker] for real generators, which can run out of ticks, lose its ID, or find the store down.
//
// # Real generators in testing/synctest
//
// The clock of a synctest bubble begins at 2000-01-01T00:00:00Z, before the epoch of most layouts, which New of the
// generators refuses. Either sleep until a later time, which takes none in a bubble:
//
//	time.Sleep(time.Until(time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)))
//
// or give the test a layout with that epoch, which makes small UIDs.
//
// Make the generator inside the bubble, and close it there: a bubble waits for its goroutines. TestSynctest, in
// example_synctest_test.go, has both ways.
package uidtest
