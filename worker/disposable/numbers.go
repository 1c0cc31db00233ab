package disposable

import "context"

// Numbers hands out numbers that nobody has had before: the generated keys of a table, say.
//
// All methods may be called by any number of goroutines, and processes, at once.
type Numbers interface {
	// Next returns a number above 0 that no call of any process has returned, or ever will,
	// once it has proved that the store holds it as this call's, and notes h beside it for
	// people. It creates what it needs to (a table, say).
	//
	// It returns an error that wraps [uid.ErrNoWorkerID] when the next number is above most,
	// and [worker.ErrUnconfirmed] when the store does not prove that the number is this
	// call's. An error that may pass is marked with [worker.Transient]. A call that fails may
	// use a number up.
	Next(ctx context.Context, h Host, most int64) (int64, error)

	// Name tells people what the numbers are of: table WORKER_NODE. It holds no secret.
	Name() string
}

// A Host says where a process runs, for the people who read the table. It does not tell
// processes apart: containers may share a host name, and addresses are used again.
type Host struct {
	// Name is at most 64 characters.
	Name string
	// Port is at most 64 characters, and empty when it is not known.
	Port string
}
