// Package crew runs processes of the test's own program, for tests that kill and pause them, and break what
// they draw from. They share a file of package record, in which each marks what it draws, so that a number
// that comes twice is found even if a process was killed.
//
// The program calls [Ordered] first of all, which does the job of a process that was started by [Spawn] or by
// [Members].
package crew
