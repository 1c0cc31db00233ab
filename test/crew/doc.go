// Package crew runs processes that draw UIDs under leased worker IDs, for tests that kill and pause
// them, and break what they lease from.
//
// Each process notes every UID that it gets in a file that all of them map into memory. So a UID,
// or a tick of a worker ID, that was issued twice is found even if a process was killed. Blind
// processes check only who has an ID, not which ticks are reserved: a test with them has to find
// duplicates, else it finds none for want of a fault.
//
// The processes are of the test's own program, which calls [Child] first of all.
package crew
