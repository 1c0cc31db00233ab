// Package promise plays every fault of the promise of unique UIDs with every way to get a
// worker ID, on each engine, and writes docs/promise.md from the verdicts that its tests confirm. It holds
// nothing else.
package promise
