package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid"
)

// A SegmentStore keeps a row for each tag: how far its numbers have been given out. All processes that
// draw numbers of a tag share its row. Package segment decides; a Store carries each decision out
// atomically.
//
// All methods may be called by any number of goroutines, and processes, at once. No error holds
// a secret. An error that may pass (a deadlock, a lost connection, a leader that is being
// elected) is marked with [worker.Transient]. A call returns soon after its context has ended,
// with an error that wraps the context's or is marked. For another database write a driver
// of package stores; it has a suite for drivers.
type SegmentStore interface {
	// Change calls decide with the row of a tag, Fresh when there is none. Nobody else can change
	// the row before the outcome is stored: either it is locked, or the write names all that was
	// read, and if something of that is no longer so the Store refuses it and starts again. decide
	// changes the row in place, but neither Tag nor Updated. When it returns nil the Store writes
	// the row, all of it or nothing, and creates it when it was Fresh. When decide returns an error the
	// Store writes nothing and returns that error, wrapped or not. decide may run several times,
	// one run after another, each time with a row read anew; the last run counts. It does not run
	// once Change has returned.
	//
	// A nil error means that the outcome is stored, as durably as Inspect says. Any other error
	// after decide has run leaves the outcome open: it may be stored or not, and a write that is
	// on its way may still arrive, unless the row was written again since.
	//
	// It returns an error that wraps [uid.ErrRange], with the numbers, when what the store has is
	// no row as [Segment] says, and when the row cannot be stored.
	Change(ctx context.Context, tag string, decide func(*Segment) error) error

	// Rows returns the rows of up to most tags, in the order of the tags' bytes, from the first one
	// after the tag after; "" begins with the first. Fewer than most are the last ones. It need not
	// be what the store held at one single time, and may lag behind Change.
	Rows(ctx context.Context, after string, most int) ([]Segment, error)

	// Inspect examines the store, and changes nothing. It returns in words the settings, or
	// properties, by which the store can lose a write that it has acknowledged: in a crash, or
	// when another server takes over. An empty result means that it is durable as far as can be
	// seen. It returns an error that wraps [uid.ErrConfig] when the store cannot hold the rows as
	// they are written; what is missing so far is no error.
	Inspect(ctx context.Context) (lossy []string, err error)

	// Name describes the store for people: table leaf_alloc. It holds no secret.
	Name() string
}

// A Segment is what a [Store] keeps of a tag.
type Segment struct {
	Tag string
	// Fresh says that the store has no number of the tag. Next, Step and Description are zero then, and
	// Updated; and so are the others, unless somebody has removed the number alone.
	Fresh bool

	// Next is the lowest number that may still be given out: all below have been, or never will
	// be. It is 0 or more, and is the column max_id of Leaf's table.
	Next int64
	// Step is the fewest numbers that are given out at once, 1 to [MaxStep]. It is for programs that
	// keep the store, and is the column step of Leaf's table.
	Step int64
	// Description is for people, up to 256 characters.
	Description string
	// Updated is when the row was last written, by a clock of the store or, where it has none, of
	// the client; zero when the store does not know.
	Updated time.Time

	// What follows is written by programs that know of it. Programs that draw from the same counter and do
	// not (Leaf, INCRBY) leave it as it is, and only raise Next.

	// Writes counts the writes by those that do. It never falls.
	Writes int64
	// Floor is what Next was after the last of these writes. A Next below it was lowered, by hand or
	// because the store has lost it.
	Floor int64
	// Takers are those that took numbers last, the latest last.
	Takers []Taker
}

// Stamp notes in Writes and Floor that the row is written, with this Next. A decision to write
// a row, other than to change its Step or Description, calls it last.
func (r *Segment) Stamp() { r.Writes, r.Floor = r.Writes+1, r.Next }

// A Taker is a generator that has taken numbers.
type Taker struct {
	// Nonce tells it from all others, in this process and elsewhere: 1 to 32 letters and digits.
	Nonce string
	// Last is the highest number that it has taken, and not given back.
	Last int64
}

// MaxTakers is how many Takers a row has at most.
const MaxTakers = 256

// MaxStep is how many numbers can be taken at once: what the column step of Leaf's table holds.
const MaxStep = 1<<31 - 1

// maxTag and maxDescription are what the columns of Leaf's table hold.
const (
	maxTag         = 128
	maxDescription = 256
)

// CheckTag returns an error that wraps [uid.ErrConfig] or [uid.ErrRange] for a tag that not all
// stores keep and compare alike. A tag is 1 to 128 ASCII letters, digits and spaces, and
// !"#$%&'()*+,-./:;<=>?_ as well. It neither begins nor ends with a space. A store may take tags that
// differ only in the case of letters for the same one.
func CheckTag(tag string) error {
	if n := len(tag); n < 1 || n > maxTag {
		return fmt.Errorf("%w: the tag %.140q has %d bytes, want 1 to %d", uid.ErrRange, tag, n, maxTag)
	}
	for i := range len(tag) {
		if c := tag[i]; c < ' ' || c > '~' || strings.IndexByte("@[\\]^`{|}~", c) >= 0 {
			return fmt.Errorf("%w: the tag %q has the byte 0x%02x at %d, which not all stores have alike: "+
				"ASCII letters, digits, spaces and !\"#$%%&'()*+,-./:;<=>?_ can be used", uid.ErrConfig, tag, c, i)
		}
	}
	if tag[0] == ' ' || tag[len(tag)-1] == ' ' {
		return fmt.Errorf("%w: the tag %q has spaces around it", uid.ErrConfig, tag)
	}
	return nil
}

// Check returns an error that wraps [uid.ErrRange], with the numbers, when a row is not as [Segment]
// says. Stores call it with what they have read, and with what they are about to write.
func (r *Segment) Check() error {
	if r.Fresh {
		return nil
	}
	switch {
	case r.Next < 0:
		return fmt.Errorf("%w: the next number of tag %q is %d, below 0", uid.ErrRange, r.Tag, r.Next)
	case r.Step < 1 || r.Step > MaxStep:
		return fmt.Errorf("%w: the step of tag %q is %d, want 1 to %d", uid.ErrRange, r.Tag, r.Step, int64(MaxStep))
	}
	if n := len([]rune(r.Description)); n > maxDescription {
		return fmt.Errorf("%w: the description of tag %q has %d characters, want %d at most",
			uid.ErrRange, r.Tag, n, maxDescription)
	}
	return r.CheckTakers()
}

// CheckTakers is Check of Writes, Floor and Takers alone, and of a Fresh row's, too.
func (r *Segment) CheckTakers() error {
	switch {
	case r.Writes < 0 || r.Floor < 0:
		return fmt.Errorf("%w: tag %q has %d writes and the floor %d, want 0 or more",
			uid.ErrRange, r.Tag, r.Writes, r.Floor)
	case len(r.Takers) > MaxTakers:
		return fmt.Errorf("%w: tag %q has %d takers, want %d at most", uid.ErrRange, r.Tag, len(r.Takers), MaxTakers)
	}
	for _, t := range r.Takers {
		if t.Nonce == "" || len(t.Nonce) > 32 || strings.ContainsFunc(t.Nonce, notAlphanumeric) {
			return fmt.Errorf("%w: a taker of tag %q has a nonce of %d bytes, want 1 to 32 letters and digits",
				uid.ErrRange, r.Tag, len(t.Nonce))
		}
		if t.Last < -1 {
			return fmt.Errorf("%w: a taker of tag %q has taken up to %d, want -1 or more", uid.ErrRange, r.Tag, t.Last)
		}
	}
	return nil
}

func notAlphanumeric(c rune) bool {
	return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// Equal reports whether two rows are the same, but for Updated.
func (r *Segment) Equal(other *Segment) bool {
	return r.Tag == other.Tag && r.Fresh == other.Fresh && r.Next == other.Next && r.Step == other.Step &&
		r.Description == other.Description && r.Writes == other.Writes && r.Floor == other.Floor &&
		slices.Equal(r.Takers, other.Takers)
}

// A Numbers is the numbers from First to Last, both included. First is at least 1; the zero Numbers has
// none.
type Numbers struct{ First, Last int64 }

// Len returns how many numbers are in the range.
func (r Numbers) Len() int64 {
	if r.First == 0 {
		return 0
	}
	return r.Last - r.First + 1
}
