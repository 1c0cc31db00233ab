package stores

import (
	"context"
	"time"
)

// A Driver keeps texts under keys in a database. All methods may be called by any number of goroutines at once. A call
// returns soon after its context has ended, with an error if that was before it. An error that may pass is marked with
// [worker.Transient], and so is one that says that the context has ended; no error holds a secret.
//
// A request names keys of one namespace, or of segments; see [ParseKey]. Besides it lists namespaces, unless the Driver
// is a [Lister].
type Driver interface {
	// Read returns what a Query asks for, all as it is at one time of the call.
	Read(ctx context.Context, q Query) (*Answer, error)

	// Write stores the Puts, all or nothing, if all of w.Were are still the newest, and the database has not lost
	// writes since they were read. Else it stores nothing, and returns the Answer to w.Otherwise. An error leaves open
	// whether it is stored; what is still on its way then may arrive, unless one of the records was written since. Rows
	// that are put with their namespace are new, and nobody's: they may be stored whatever becomes of the rest.
	Write(ctx context.Context, w Write) (stored bool, now *Answer, err error)

	// Name says where the keys are: "etcd below uid/". It is the same in every process.
	Name() string

	// Durable reports whether an acknowledged write of this kind of database survives when any one of its servers
	// crashes, or is replaced. Where it is false, ticks are burnt when the History changes.
	Durable() bool
}

// An Inspector is a [Driver] that sees by what the database can lose writes that it has acknowledged. It returns that
// in words, nothing for a database that is durable as far as can be seen, and changes nothing. key is one of a
// namespace, or of segments.
type Inspector interface {
	Inspect(ctx context.Context, key string) (lossy []string, err error)
}

// A Lister is a [Driver] that lists the names of namespaces itself, in any order. One that has neither a
// namespace's own key nor a row may be among them.
type Lister interface {
	Namespaces(ctx context.Context) ([]string, Clock, error)
}

// A Blocked [Driver] reads rows by blocks of so many IDs, from multiples of that on; 0 is no blocks. A Take begins with
// a block then, goes on in others at random, and offers any of their rows that is free.
type Blocked interface{ Block() int64 }

// A Clock is a reading of the database's clock. Now is in UTC and whole microseconds. Error bounds how far Now may be
// off true time: 0 for the database's one clock, more for the client's. History is at most 190 bytes of ASCII, and
// another one whenever acknowledged writes may have been lost since; "" says that the database cannot tell.
type Clock struct {
	Now     time.Time
	Error   time.Duration
	History string
}

// A Query says what to read.
type Query struct {
	Keys   []string
	Ranges []Range
	// Newest forbids an Answer that is Old.
	Newest bool
	// Judge says that somebody begins by the Answer's clock. A Driver that can tell that it is wrong returns an
	// error that wraps [worker.ErrClock].
	Judge bool
}

// A Range is the first keys from First to Last, both included, in the order of their bytes, Limit at most. Both are
// keys of rows of one namespace, or of tags. Where all its IDs can be within Limit, a Driver may ask for each of them.
type Range struct {
	First, Last string
	Limit       int
}

// An Answer is what was read.
type Answer struct {
	Records []Record   // one for each of the Query's Keys, there or not
	Pages   [][]Record // one for each of its Ranges
	Clock   Clock      // read after all that
	// Old says that some of it may be older than what was acknowledged before the call, or that parts of it are
	// of different times. A Write that follows is refused if so.
	Old bool
	// State is the Driver's own, for the Write that follows.
	State any
}

// A Record is the text under a key.
type Record struct {
	Key  string
	Text string // "" where there is none
	// Bad is why the text must not be used, other than to be shown.
	Bad error
	// State is the Driver's own: the version, say.
	State any
}

// A Write says what to write.
type Write struct {
	Read      *Answer  // the last that the decision is based on; some of Were may have been read again since
	Were      []Record // as they were read: those of the Puts, there or not; a row's namespace; the row that one is for
	Puts      []Record // with their State of when they were read: one, or a namespace and rows that are new
	Otherwise Query    // what to read if it is refused
}
