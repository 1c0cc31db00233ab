package lease

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/storage"
)

// A hold is what an owner holds of an ID.
type hold struct {
	id  int64
	ids Range // those that it was chosen from; the zero Range if the lease was resumed
	// The owner's nonces begin with its own name, and end in the number of the write. The store has
	// acknowledged the write acked, which reserved the ticks up to limit, or up to base while none is
	// reserved. Each of the writes after it up to sent has happened, has not, or is still on its way.
	// What can be read in the row need not be durable yet, so no tick is reserved on the strength of
	// one of them.
	owner       string
	acked, sent int64
	resumed     bool // and not renewed since: the owner may have written more before
	limit       int64
	base        int64         // what others may have used: the owner's first tick is the next
	ahead       *health.Ahead // why that is ahead of the clock; nil if it is not

	renew int64         // first tick at which a renewal is due
	early int           // how many of the last writes, one after another, came before they were due
	at    time.Time     // of the last write, on the monotonic clock
	pause time.Duration // from then until the next renewal is due
	wait  time.Duration // from then until a write can reserve more
}

// unreserved reports whether no tick is reserved that may be issued. limit is below base if the
// generator has a floor beyond what a resumed lease has.
func (h *hold) unreserved() bool { return h.limit <= h.base }

// owns reports whether the hold's owner wrote the row last, with its newest acknowledged write or a
// later one. Writes older than the one in the row cannot happen any more: each named an older version
// of the row, or was made under a lock that is gone.
func (h *hold) owns(row *storage.Lease) bool {
	owner, number := writer(row.Nonce)
	if owner != h.owner || number > h.sent && !h.resumed {
		return false
	}
	return number > h.acked && row.High >= h.limit || number == h.acked && row.High == h.limit
}

// older reports whether the row is from before the hold's newest acknowledged write: then the store went back. Another
// owner's row is no proof, nor is one that is gone.
func (h *hold) older(row *storage.Lease) bool {
	owner, number := writer(row.Nonce)
	return owner == h.owner && (number < h.acked || row.High < h.limit)
}

const (
	ownerLen  = 22 // hexadecimal digits
	numberLen = 10
)

// newOwner returns a name that nobody else has.
func newOwner() string {
	var b [ownerLen / 2]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// nonce returns the nonce of an owner's write.
func nonce(owner string, number int64) string { return fmt.Sprintf("%s%0*x", owner, numberLen, number) }

// writer returns what a nonce is of. The owner is "" for a text that is no nonce.
func writer(nonce string) (owner string, number int64) {
	if len(nonce) != ownerLen+numberLen {
		return "", 0
	}
	number, err := strconv.ParseInt(nonce[ownerLen:], 16, 64)
	if err != nil || number < 0 {
		return "", 0
	}
	return nonce[:ownerLen], number
}
