package storage

import (
	"context"
	"time"
)

// A NumberStore hands out numbers that nobody has had before, such as a database's generated keys.
//
// All methods may be called by any number of goroutines, and processes, at once.
type NumberStore interface {
	// Next returns a number above 0 that no call of any process has returned before, or ever will
	// again. By then it has proved that the store holds the number as this call's. It stores h
	// beside it, for people, and creates what it needs in the store.
	//
	// It returns an error that wraps [uid.ErrNoWorkerID] when the next number is above most, and
	// worker.ErrUnconfirmed when the store does not prove that the number is this call's. An
	// error that may pass is marked with worker.Transient. A call that fails may use up a
	// number.
	Next(ctx context.Context, h Host, most int64) (int64, error)

	// Inspect examines the store before the first number of a start, and changes nothing. It returns
	// in words the settings by which the store can forget a number that it has given, and give it
	// again, when it crashes. What another server lacks that takes over is not among them. It
	// returns an error that wraps [uid.ErrConfig] when the store cannot keep numbers; what is
	// missing so far is no error. Its other errors are as those of Next.
	Inspect(ctx context.Context) (lossy []string, err error)

	// Name describes the store to people. It holds no secret.
	Name() string
}

// Beginner is what a NumberStore has that keeps floors (see MinTick of [uid.Terms]) for the processes
// that start later. Of others' floors nothing is known then: each start has to be given its own.
type Beginner interface {
	// NextFrom is Next, and stores that no UID under the number begins before at; zero asks for
	// nothing. It returns the latest such time that is stored for any number up to its own and that the
	// store's clock has not reached, or zero. It may round up.
	NextFrom(ctx context.Context, h Host, most int64, at time.Time) (id int64, first time.Time, err error)
}

// A Host says where a process runs, for people who read the store. It does not tell processes
// apart: containers may share a host name, and addresses are used again.
type Host struct {
	// Name is at most 64 characters.
	Name string
	// Port is at most 64 characters, and empty when it is unknown.
	Port string
}
