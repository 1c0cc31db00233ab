// Package statefile keeps a file that says which ticks (units of the layout's time) may have been
// issued under a worker ID, for the next process that has the ID. The ID itself comes from a
// [worker.Source].
//
// Use it where an ID is unique by itself (the ordinal of a pod, a number in the configuration, an
// address) and there is a folder that outlives the process: in a StatefulSet, a volume claimed
// for each pod. A copy of the file is a second owner of the ID; a restored backup has forgotten
// what was issued since.
//
// UIDs are unique within one layout and one space of worker IDs. This package cannot tell whether
// a process with another file, or with none, has the same ID.
//
// Files can be locked on Linux, macOS, the BSDs, Solaris, illumos and Windows. On other systems
// no generator can be made.
package statefile
