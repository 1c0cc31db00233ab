//go:build !race

package ringbuffer

// How much is drawn and checked where the environment does not say.
const (
	defaultTakes     = 5_000_000
	defaultHistories = 20_000
)
