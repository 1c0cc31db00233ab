package lease

import (
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid"
)

// A Store keeps the rows of one namespace: a row for each worker ID that was ever leased,
// and a row of its own for the namespace, all of them shared by every process that leases
// IDs in it. The protocol decides; a Store carries each decision out atomically.
//
// Init, Take and Change offer rows to a function, decide. What it sees nobody else can
// change before its outcome is stored: because the rows are locked, or because the write
// names the versions that were read and is refused, and the whole tried again, when one of
// them is not the newest. The Clock is read after that. decide changes what it is given in
// place. When it returns nil the Store writes what it was given, all or nothing; when it
// returns an error the Store writes nothing and returns that error, wrapped or not; what it
// saw then was the newest at some time of the call, too. decide may run several times, one
// after another, each time with values read anew, as long as nothing of the run before is
// stored or still can be; its last run counts. It does not run once the method has returned.
//
// A nil error of the Store means that the outcome is stored, as durably as Inspect says.
// Any other error after decide has run leaves the outcome open: it may be stored or not,
// and a write that is on its way may still arrive, unless the row was written again since.
// The protocol copes with that by the nonces that it writes. A store that can lose writes
// stores nothing any more, once it has lost some, that was decided before.
//
// An error that may pass (a deadlock, a lost connection, a leader that is being elected) is
// marked with [worker.Transient]; the protocol then tries again. All others are final. No
// error holds a secret. A call returns soon after its context has ended, also while it waits
// for a lock, with an error that wraps the context's or is marked.
//
// Take and Change create nothing that they do not find, but for the row of an ID that was
// never leased: a namespace that is not there is [worker.ErrNoNamespace], for a running
// owner's may have been removed or renamed.
//
// All methods may be called by any number of goroutines, and processes, at once. Package
// storetest has a suite that every Store has to pass.
type Store interface {
	// Take offers decide the namespace and the row of an ID that nobody leases. That is the
	// row that has been over for longest of those that are over for more than w.Rest, by the
	// Clock less its Error, and used up to a tick of at most w.Highest; where there is none, a Fresh row of an
	// ID of w.IDs that has no row, the lowest one above all rows or else any; where all IDs
	// have rows, the row that has been over for longest whatever its ticks. When there
	// is none of these it returns what NoneFree makes.
	Take(ctx context.Context, w Wanted, decide func(*Namespace, *Row, Clock) error) error

	// Change offers decide the row of a worker ID, nil when there is none. A nil row cannot
	// be stored: decide returns an error then.
	Change(ctx context.Context, id int64, decide func(*Row, Clock) error) error

	// Init offers decide the namespace, Fresh when there is none, and creates what it needs
	// to hold it.
	Init(ctx context.Context, decide func(*Namespace, Clock) error) error

	// Inspect looks at the store before the first lease of a start, and changes nothing. It
	// returns in words by which settings, or by what nature, the store can lose a write
	// that it has acknowledged: in a crash, or when another server takes over. No words
	// mean that it is durable as far as can be seen. It returns an error that wraps
	// [uid.ErrConfig] when the store cannot hold the rows as they are written; what is not
	// there yet is no error.
	Inspect(ctx context.Context) (lossy []string, err error)

	// Name tells people which namespace of what this is. It is the same in every process and
	// at every start, since a state file is bound to it, and holds no secret.
	Name() string
}

// Wanted says which row Take is to offer.
type Wanted struct {
	// IDs are the worker IDs that can be had.
	IDs Range
	// Rest is for how long a row's lease has to be over.
	Rest time.Duration
	// Highest returns the last tick that is not too far ahead of a clock of the store. Rows
	// that were used beyond it are offered only when there is nothing else.
	Highest func(now time.Time) int64
}

// A Range is the worker IDs from First to Last, both included.
type Range struct{ First, Last int64 }

// A Namespace is what is common to all rows.
type Namespace struct {
	// Layout describes the layout of all UIDs of the namespace, see [uid.Terms].
	Layout string
	// Floor is the last tick that anyone may have used under an ID whose row was removed; -1
	// for none. Nobody begins at or below it.
	Floor int64
	// Rest is when the namespace's rest ends: before that nobody gets an ID.
	Rest time.Time
	// Reach is the largest of any row, ever. When the namespace is Fresh the store tells the
	// largest of the rows that are left of a former one.
	Reach time.Duration
	// Made is when the namespace was made, Renewed when it was written last.
	Made, Renewed time.Time

	// Fresh says that the store has no such namespace yet, and Used that there are rows of
	// IDs; Used is told by Init only. Both are for decide to read.
	Fresh, Used bool
}

// A Row is what the store holds about one worker ID. Its times are by the store's clock, in
// UTC and whole microseconds, from 1970 to 9999: what is written is read as the same. The
// zero time, which is before them all, may be read as 1970.
type Row struct {
	WorkerID int64
	// Nonce names the owner and its newest renewal. It is empty once the lease was released,
	// and else a text of at most 32 letters and digits.
	Nonce string
	// High is the last tick that anyone may have used under the ID, -1 for none. It only
	// goes down to what was really used.
	High int64
	// Until is when the lease ends, or ended.
	Until time.Time
	// Layout is that of the owner's UIDs, at most 255 bytes.
	Layout string
	// Holder is what the owner says of itself, at most 128 characters.
	Holder string
	// Acquired is when the owner got the ID, Renewed when it was last heard of.
	Acquired, Renewed time.Time
	// Reach is how far beyond the clock the owner may reserve, in whole microseconds.
	Reach time.Duration

	// Fresh says that the store has no row of the ID; only Take offers such a one. It is for
	// decide to read.
	Fresh bool
}

// A Clock is what a store says of the time.
type Clock struct {
	// Now is in UTC and whole microseconds.
	Now time.Time
	// Error is by how much Now may be off true time, a bound that all clients of the store
	// share: 0 where Now is of the store's one clock, which then is true time, and more where
	// it is of the client's. Times in rows are moments of true time: one is over for
	// everybody when it lies before Now less Error.
	Error time.Duration
}

// over reports whether everybody agrees that t is over.
func (c Clock) over(t time.Time) bool { return t.Add(c.Error).Before(c.Now) }

// within reports whether everybody agrees that t is not over.
func (c Clock) within(t time.Time) bool { return !t.Before(c.Now.Add(c.Error)) }

// after returns a time that is at least d away by everybody's clock.
func (c Clock) after(d time.Duration) time.Time { return c.Now.Add(c.Error + d) }

// NoneFree returns the error of a Take that found no row: all IDs are leased or in
// quarantine, the first one until the time given.
func NoneFree(ids Range, until time.Time) error {
	return fmt.Errorf("%w: all of %d to %d are leased or in quarantine, the first one until %s",
		uid.ErrNoWorkerID, ids.First, ids.Last, until.UTC().Format(time.RFC3339Nano))
}
