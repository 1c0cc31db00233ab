// Package statefile keeps a file with the ticks (units of the layout's time) that may have been issued under a worker
// ID, for the next process with the ID. The ID is from a [worker.Source], or from a lease ([OnLease]).
//
// Use it where a folder outlives the process: in a StatefulSet, a volume claimed for each pod. It works on Linux,
// macOS, the BSDs, Solaris, illumos and Windows.
package statefile
