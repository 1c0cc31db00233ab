package fake

import (
	"os"
	"strconv"
)

// Rounds returns how often a test tries what only chance shows, two steps of two goroutines in one
// order: usual, or as often as the environment says in UID_STRESS_ROUNDS.
func Rounds(usual int) int { return Amount("UID_STRESS_ROUNDS", usual) }

// Amount returns how much a test does: usual, or as much as the environment says under a name.
func Amount(name string, usual int) int {
	s := os.Getenv(name)
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		panic(name + " is no positive number: " + s)
	}
	return n
}
