// Package subject puts everything to be measured behind one small interface: the
// generators of github.com/uidgen/uid, other libraries, servers that hand out IDs, and
// the limits that no generator can pass.
//
// Each adapter has its own loops, one that drops the IDs and one that keeps them, so that
// no call of the suite's stands between two IDs.
package subject

import (
	"slices"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
)

// A Subject is a way to make IDs.
type Subject struct {
	Name  string // as in the results: without spaces and slashes
	Label string // as people read it
	Kind  Kind
	Bits  int // of an ID

	// Sustained is the rate in IDs a second that one generator can sustain by design, 0
	// if only its speed bounds it. Beyond says what happens above that rate.
	Sustained float64
	Beyond    Beyond

	// Module is the module path of a library.
	Module string
	// Shared is set if the state belongs to the process: there is no second generator.
	Shared bool
	// Batches is set if a call makes many IDs.
	Batches bool

	// Engine is the server that the subject needs. Trips returns how many round trips it has
	// answered so far, to all its clients; nil without a server.
	Engine Engine
	Trips  func() (int64, error)

	Open func() (Source, error)
}

// Kind says what sort of subject it is.
type Kind int

// The kinds.
const (
	Ours Kind = iota
	Peer
	Server
	Limit
)

// Engine is a server.
type Engine int

// The servers.
const (
	NoEngine Engine = iota
	MariaDB
	Redis
)

// Beyond is what a subject does when asked for more than it can sustain.
type Beyond int

// What subjects do beyond their sustained rate.
const (
	Nothing Beyond = iota // there is no such rate
	Waits
	Borrows     // gives IDs times ahead of the clock
	BorrowsSome // and waits when they are too far ahead
	Repeats     // gives the same ID twice
)

func (b Beyond) String() string {
	return [...]string{"", "waits", "borrows future time", "borrows future time, then waits", "repeats IDs"}[b]
}

// Local returns the subjects that need no server.
func Local() []Subject {
	return []Subject{
		cachedStrict, cachedLane, cachedFill, cachedUnordered, uncachedWide,
		snowflakeDefault, snowflake16, sonyflake1, sonyflake2Default, sonyflake2Wide,
		yitterDefault, yitter16, snoNew, wuidNext,
		googleV4, googleV4Pool, googleV7, gofrsV7, xidNew, ulidMake, ksuidNew, nanoid21,
		atomicAdd, packedCounter, mutexCounter, timeNow,
	}
}

// Served returns the subjects that need a server. They call db and client when one of them is
// opened first, or its round trips are counted.
func Served(db func() (*sqlx.DB, error), client func() (*redis.Client, error)) []Subject {
	return slices.Concat(onMariaDB(db), onRedis(client))
}

// Missing names what should be compared but is not, with the reasons.
const Missing = "bytentropy/snowflake: the module proxy serves no version of it; Go's package uuid: it needs Go 1.27"
