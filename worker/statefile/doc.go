// Package statefile keeps a file that says which ticks (units of the layout's time) may have been issued under a worker
// ID, for the next process that has the ID. The ID itself comes from a [worker.Source], or from a lease ([OnLease]).
//
// Use it where a folder outlives the process: in a StatefulSet, a volume claimed for each pod. [New] says what a copy
// or a backup of the file breaks.
//
// Files can be locked on Linux, macOS, the BSDs, Solaris, illumos and Windows. On other systems no generator can be
// made.
package statefile
