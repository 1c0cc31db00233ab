package segment

import "errors"

var (
	// ErrLost is returned when the store no longer has what it acknowledged, or the next number was lowered by hand:
	// others may have the same numbers. The error has the numbers, and says how to go on. It is final.
	ErrLost = errors.New("the store has lost numbers that it had given out")

	// ErrNoTag is returned when the store has no row of the tag, and [Config].Create is not set.
	ErrNoTag = errors.New("the store has no such tag")
)
