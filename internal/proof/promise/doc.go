// Package promise plays every fault that the promise of unique UIDs speaks of, with every
// way to get a worker ID, and writes docs/promise.md from the verdicts that its tests bear
// out. It holds nothing else.
package promise
