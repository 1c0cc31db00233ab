package segment

import "errors"

var (
	// ErrLost is returned when the store no longer has what it acknowledged: numbers that this
	// generator has may have been given to others, too. The error has the numbers. It is final:
	// the generator issues nothing any more.
	ErrLost = errors.New("the store has lost numbers that it had given out")

	// ErrNoTag is returned when the store has no row of the tag, and [Config.Create] is not set.
	ErrNoTag = errors.New("the store has no such tag")

	// ErrLossy is returned when the store can lose what it acknowledged, so that numbers would be
	// given out twice, and [Config.LossyStore] is not set.
	ErrLossy = errors.New("the store can lose numbers that it has given out")
)
