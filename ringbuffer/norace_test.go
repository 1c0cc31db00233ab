//go:build !race

package ringbuffer

// How much is drawn where the environment does not say.
const defaultTakes = 5_000_000
