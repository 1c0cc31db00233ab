// Package storage is what is stored, and how: rows of worker IDs, of their namespaces, and of tags; what the protocols
// of leases, segments and disposable IDs ask of their store; and the rows as texts. The protocols decide; package
// sqlstore and package stores store.
package storage

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
)

// A LeaseStore keeps the rows of one namespace: a row for each worker ID that was ever to be had, and
// one for the namespace itself. All processes that lease IDs in the namespace share them. The
// protocol decides; a Store carries each decision out atomically.
//
// Init, Take and Change call a function, decide, with rows that nobody else can change before the
// outcome is stored: either the rows are locked, or the write names the versions that were read,
// and if one of them is no longer the newest the Store refuses it and starts again. The Clock is
// read after the rows are locked or read. The write is refused, too, where the Clock's History is no
// longer the store's. decide changes its arguments in place. When it returns
// nil the Store writes them. When it returns an error the Store writes nothing
// and returns that error, wrapped or not; even then what decide saw was the newest at some time
// of the call. A Store that fails before it can tell whether it was returns another error instead,
// marked as one that may pass. decide may run several times, one run after another, each time with
// values read anew, as long as nothing of the run before is stored or still can be; the last run
// counts. It does not run once the method has returned.
//
// A Store with transactions stores all or nothing. One of package stores writes the namespace first, with rows of new
// IDs, and then the row: a call that fails, and a run of decide that is not the last, may leave the first write alone.
// Nobody has got an ID by that.
//
// A nil error of the Store means that the outcome is stored, as durably as Inspect says. Any
// other error after decide has run leaves the outcome open: it may be stored or not, and a write
// that is on its way may still arrive, unless the row was written again since. The protocol copes
// with that by the nonces that it writes. A store that has lost writes must not store anything
// that was decided before it lost them: its History tells the two apart.
//
// An error that may pass (a deadlock, a lost connection, a leader that is being elected) is
// marked with [worker.Transient]; the protocol then tries again. All others are final. No error
// holds a secret. A call returns soon after its context has ended, even while it waits for a
// lock, with an error that wraps the context's or is marked.
//
// Take creates nothing but rows of IDs that never had one, and Change nothing. A missing namespace
// is [worker.ErrNoNamespace]: a running owner's may have been removed or renamed. No method removes a
// row.
//
// All methods may be called by any number of goroutines, and processes, at once. For
// another database write a driver of package stores; it has a suite for drivers.
type LeaseStore interface {
	// Take calls decide with the namespace and the row of an ID that nobody leases. The ID is one
	// of those that w.Within returns for the namespace; its error is Take's. It is the first of
	// these that there is:
	//   - of the rows whose leases have been over for more than w.Rest, by the Clock less its
	//     Error, and whose ticks are used up to w.Highest at most, the one that has been over for
	//     longest;
	//   - the [NewLease] of the first of the IDs that [Namespace.NewIDs] returns;
	//   - of all rows that have been over for more than w.Rest, the one that has been over for
	//     longest.
	//
	// When decide agrees to a NewLease the Store makes the NewLeases of the rest of these IDs, too, and
	// raises the namespace's Given to the last of them, with what decide has changed, only if the
	// namespace is as it was read. It overwrites no row: if one of these IDs has got a row
	// it starts again. So many that start at once share what one of them makes; one that met another may
	// make up to 100. A NewLease above Given is not offered as a row: somebody is making it. An ID up to
	// Given without a row is never offered: somebody has removed its row, and its owner may be at work.
	//
	// In a namespace of more rows than it reads at once a Store may look at a sample of them, and offer the first of
	// that. It reads 256 at least, or else a block (see stores.Blocked), and offers any of its rows that is free.
	//
	// When there is none of these it returns the error of [NoneFree] for these IDs, with those whose
	// rows are missing. A Store that has lost a row to another client's Take may offer a later one of
	// these, so that many that start at once need not wait for each other.
	Take(ctx context.Context, w Wanted, decide func(*Namespace, *Lease, Clock) error) error

	// Change calls decide with the namespace and the row of a worker ID, nil when there is none. A
	// nil row cannot be stored: decide returns an error then. Where decide has changed the namespace,
	// which it does once after the store's history has, or the store went back, the row is not stored without it.
	Change(ctx context.Context, id int64, decide func(*Namespace, *Lease, Clock) error) error

	// Init calls decide with the namespace, Fresh when there is none, and creates what it needs
	// to hold it.
	Init(ctx context.Context, decide func(*Namespace, Clock) error) error

	// Inspect examines the store before a start leases an ID or takes one up, and changes nothing. It
	// returns in words the settings, or properties, by which the store can lose an acknowledged
	// write: in a crash, or when another server takes over. An empty result means that it is
	// durable as far as can be seen. It returns an error that wraps [uid.ErrConfig] when the
	// store cannot hold the rows as they are written; what is missing so far is no error.
	Inspect(ctx context.Context) (lossy []string, err error)

	// Durable reports what the store's kind promises: whether an acknowledged write survives when
	// any one of its servers crashes, or is replaced. It is the same for all clients, at all
	// times; Inspect tells what is seen to the contrary. Where it is false the protocol burns
	// ticks when the History changes, unless a user vouches for the store (see lease.Losses).
	Durable() bool

	// Name describes the namespace and its place for people. It is the same in every process and
	// at every start, since a state file is bound to it, and holds no secret.
	Name() string
}

// A PlacedStore is a Store whose Name does not say all of where its rows are: the rest shows when they
// are first found, such as the schema that PostgreSQL's search path leads to. A state file is bound to
// both.
type PlacedStore interface {
	LeaseStore

	// Place returns where the rows were found first. It is empty before, and where Name says all. It
	// holds no secret.
	Place() string

	// Bind says where the rows have to be, as Place has returned it before. From then on all calls
	// return an error that wraps [worker.ErrState] when they are elsewhere; so does Bind if they were
	// already found there.
	Bind(place string) error
}

// Wanted says which row Take is to find.
type Wanted struct {
	// IDs are the worker IDs to choose from, as far as the namespace has them; see Within.
	IDs Range
	// Must are the worker IDs that the namespace has to have, no more and no fewer; the zero Range
	// stands for any.
	Must Range
	// Rest is how long a row's lease has to be over.
	Rest time.Duration
	// Highest returns the last tick that is not too far ahead, by a time of the store's clock. A
	// row that was used beyond it is taken only when there is nothing else.
	Highest func(now time.Time) int64
}

// Within returns the worker IDs that a Take in the namespace is to choose from. It returns an
// error that wraps [uid.ErrRange], with the numbers, when the namespace has none of w.IDs, or has
// others than w.Must.
func (w Wanted) Within(ns Namespace) (Range, error) {
	has, asked := cmp.Or(ns.IDs, w.IDs), cmp.Or(w.Must, w.IDs)
	both := Range{First: max(w.IDs.First, has.First), Last: min(w.IDs.Last, has.Last)}
	if both.First > both.Last || w.Must != (Range{}) && w.Must != has {
		return Range{}, fmt.Errorf("%w: the namespace has the worker IDs %d to %d, asked for are %d to %d",
			uid.ErrRange, has.First, has.Last, asked.First, asked.Last)
	}
	return both, nil
}

// A Range is the worker IDs from First to Last, both included.
type Range struct{ First, Last int64 }

// Has reports whether an ID is in the range.
func (r Range) Has(id int64) bool { return r.First <= id && id <= r.Last }

// String returns "0 to 1023", say, or "all" for the zero Range.
func (r Range) String() string {
	if r == (Range{}) {
		return "all"
	}
	return fmt.Sprintf("%d to %d", r.First, r.Last)
}

// A Namespace is what is common to all rows.
type Namespace struct {
	// Layout describes the layout of all UIDs of the namespace; see [uid.Terms].
	Layout string
	// IDs are the worker IDs that the namespace has; the zero Range stands for all. Where several
	// stores share one space of worker IDs, each has a range of its own. They bind every Take;
	// a holder keeps its ID.
	IDs Range
	// Given is the highest worker ID that ever had a row in the namespace, or -1. Every ID of the
	// namespace up to it has a row, unless somebody removed it. It never goes down. The store sets
	// it, decide reads it. Where the store sees a used row above what it has stored it gives that row's
	// ID, and keeps it with what decide agrees to: Init sees all rows, Take those that it reads.
	Given int64
	// Floor is a tick at or below which nobody begins, or -1. It never goes down.
	Floor int64
	// History is the Clock's History under which Floor was found high enough, or "".
	History string
	// Made is when the namespace was made, Renewed when it was last written.
	Made, Renewed time.Time

	// Fresh says that the store has no such namespace yet; only Init passes such a one. decide
	// reads it and does not set it.
	Fresh bool
}

// NewIDs returns the worker IDs of a range whose rows a Take makes at once, when it needs a new one:
// the next above Given, a quarter of as many as there are, at least 16 and at most 100 of them, and
// no more than a quarter of what is left, so that the highest ID tells how many were needed. some is
// false when the range has none above Given.
func (n Namespace) NewIDs(in Range) (ids Range, some bool) {
	if n.Given >= in.Last {
		return Range{}, false
	}
	ids.First = max(n.Given+1, in.First)
	ids.Last = ids.First + min(max((ids.First-in.First)/4, 16), mostNewIDs, max((in.Last-ids.First)/4, 1)) - 1
	return ids, true
}

// mostNewIDs is how many rows one statement makes at most.
const mostNewIDs = 100

// Missing returns the worker IDs of a range up to Given that have no row. have are those that have
// one, in ascending order.
func (n Namespace) Missing(in Range, have []int64) (missing []Range) {
	next, last := in.First, min(in.Last, n.Given)
	for _, id := range have {
		if id > next && next <= last {
			missing = append(missing, Range{First: next, Last: min(id-1, last)})
		}
		next = max(next, id+1)
	}
	if next <= last {
		missing = append(missing, Range{First: next, Last: last})
	}
	return missing
}

// A Lease is what the store holds about one worker ID. Its times are by the store's clock, in UTC
// and whole microseconds, from 1970 to 9999, and are read back as they were written. The zero
// time, which lies before them all, may be read as 1970.
type Lease struct {
	WorkerID int64
	// Nonce names the owner and its newest renewal, in at most 32 letters and digits. It is empty
	// once the lease was released.
	Nonce string
	// High is the last tick that anyone may have used under the ID, or -1. It goes down only to
	// what was really used.
	High int64
	// Until is when the lease ends, or ended.
	Until time.Time
	// Layout describes the layout of the owner's UIDs, in at most 255 bytes.
	Layout string
	// Holder describes the owner in its own words, in at most 128 characters.
	Holder string
	// Acquired is when the owner got the ID, Renewed when it last wrote the row.
	Acquired, Renewed time.Time
}

// NewLease returns the row of a worker ID that nobody has leased yet: with a High of -1, times of 1970
// and nothing else.
func NewLease(id int64) Lease {
	never := time.Unix(0, 0).UTC()
	return Lease{WorkerID: id, High: -1, Until: never, Acquired: never, Renewed: never}
}

// Unused reports whether nobody has leased the row's ID yet.
func (r Lease) Unused() bool { return r == NewLease(r.WorkerID) }

// A Clock is a reading of the store's clock.
type Clock struct {
	// Now is in UTC and whole microseconds.
	Now time.Time
	// Error bounds how far Now may be off true time; all clients of the store share the bound. It
	// is 0 where Now is of the store's one clock, which then is true time, and more where Now is
	// of the client's. Times in rows are moments of true time: one is over for everybody when it
	// lies before Now less Error.
	Error time.Duration
	// History names what the store remembers, in at most [MostHistory] bytes of ASCII. It is another
	// one whenever the store may have lost acknowledged writes since, or had its rows replaced as a
	// whole: in a crash, when another server takes over, when a table is renamed or made anew. It may
	// change for nothing; that burns ticks once. "" says that the store cannot tell: then each
	// acquisition burns. A store whose kind is Durable needs none.
	History string
}

// MostHistory is the longest History, in bytes.
const MostHistory = 190

// Over reports whether everybody agrees that t is over.
func (c Clock) Over(t time.Time) bool { return t.Add(c.Error).Before(c.Now) }

// Within reports whether everybody agrees that t is not over.
func (c Clock) Within(t time.Time) bool { return !t.Before(c.Now.Add(c.Error)) }

// After returns a time that is at least d away by everybody's clock.
func (c Clock) After(d time.Duration) time.Time { return c.Now.Add(c.Error + d) }

// NoneFree returns the error of a Take that found no row: all of the IDs that have one are leased or
// in quarantine, the first of them until the time given, which is zero if none has a row. missing are
// those whose rows somebody has removed (see [Namespace.Missing]), or the first of many.
func NoneFree(ids Range, until time.Time, missing []Range) error {
	says := fmt.Sprintf("none of %d to %d has a row", ids.First, ids.Last)
	if !until.IsZero() {
		says = fmt.Sprintf("all of %d to %d are leased or in quarantine, the first one until %s",
			ids.First, ids.Last, until.UTC().Format(time.RFC3339Nano))
	}
	if len(missing) > 0 {
		says += "; " + MissingRows(missing)
	}
	return fmt.Errorf("%w: %s", uid.ErrNoWorkerID, says)
}

// MissingRows says which worker IDs have no row: "worker IDs 3 and 7 to 9 have no row: ...".
func MissingRows(missing []Range) string {
	const most = 8
	var texts []string
	for _, r := range missing[:min(len(missing), most)] {
		if r.First == r.Last {
			texts = append(texts, fmt.Sprint(r.First))
		} else {
			texts = append(texts, fmt.Sprintf("%d to %d", r.First, r.Last))
		}
	}
	if len(missing) > most {
		texts = append(texts, "others")
	}
	switch n := len(texts); {
	case n > 1:
		texts = []string{strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]}
	case missing[0].First == missing[0].Last:
		return "worker ID " + texts[0] +
			" has no row: somebody has deleted it, and nobody gets the ID until it is put back"
	}
	return "worker IDs " + texts[0] +
		" have no row: somebody has deleted them, and nobody gets these IDs until they are put back"
}

// Later returns the end of a lease that is prolonged until then. It never moves back, though the clock may: a holder
// that has taken the ID by an earlier end could be lost in a failover that brings the later one back.
func (r *Lease) Later(until time.Time) time.Time {
	if until.Before(r.Until) {
		return r.Until
	}
	return until
}

// End ends the row's lease now.
func (r *Lease) End(high int64, now Clock) {
	r.Nonce, r.High, r.Until, r.Renewed = "", high, now.Now, now.Now
}

// Held is what an owner holds: a program that keeps it (see package statefile) can take the lease up
// again after a restart. Only one process at a time may.
type Held struct {
	// WorkerID is the owner's ID, and Nonce that of its newest write that the store has acknowledged.
	WorkerID int64
	Nonce    string
	// Before is the last tick before the first one that the owner may issue, Reserved the last one reserved.
	Before, Reserved int64
}
