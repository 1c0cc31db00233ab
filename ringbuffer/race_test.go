//go:build race

package ringbuffer

// The race detector makes everything about ten times slower.
const defaultTakes = 500_000
