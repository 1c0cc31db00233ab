package fake

import (
	"os"
	"strconv"
)

// Rounds returns how often a test tries what only chance shows, two steps of two goroutines in one
// order: usual, or as often as the environment says in UID_STRESS_ROUNDS.
func Rounds(usual int) int {
	s := os.Getenv("UID_STRESS_ROUNDS")
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		panic("UID_STRESS_ROUNDS is no positive number: " + s)
	}
	return n
}
