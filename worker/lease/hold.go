package lease

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"github.com/uidgen/uid/internal/state"
)

// A hold is what an owner holds of an ID.
type hold struct {
	id  int64
	ids Range // those that it was chosen from
	// nonce and limit are what the owner wrote last and the store has acknowledged. limit is the
	// last tick reserved, or base while none is.
	nonce string
	limit int64
	// proposed are the renewals since then, the oldest first, whose replies are awaited or were
	// lost: each has happened, has not, or is still on its way. What can be read in the row need
	// not be durable yet, so no tick is reserved on the strength of one of them.
	proposed []state.Proposal
	base     int64 // High before the owner reserved anything: its first tick is the next
	granted  int64 // last tick that the generator may issue: limit, or less with a state file
	resumed  bool  // taken up from a state file
	// reach is how far beyond the clock the namespace knows the owner to reserve, or 0 if it was
	// acquired with DurableStore.
	reach time.Duration
	renew int64 // first tick at which a renewal is due
	early int   // how many of the last writes, one after another, came before they were due

	at    time.Time     // of the last write, on the monotonic clock
	pause time.Duration // from then until the next renewal is due
	wait  time.Duration // from then until ticks can be reserved for the first time
}

// unreserved reports whether no tick is reserved that may be issued. limit is below base if the
// generator has a floor beyond what a state file has.
func (h *hold) unreserved() bool { return h.limit <= h.base }

// mostProposed is how many renewals are remembered. If a forgotten one has happened after all,
// that costs the lease, and nothing else.
const mostProposed = 8

// propose adds a renewal that is about to be written. When there are too many it forgets the
// oldest that is not in the row.
func (h *hold) propose(row *Row, next state.Proposal) {
	before := slices.Clone(h.proposed)
	if len(before) >= mostProposed {
		oldest := 0
		if row.bears(before[0]) {
			oldest = 1
		}
		before = slices.Delete(before, oldest, oldest+1)
	}
	h.proposed = append(before, next)
}

// owns reports whether the hold's owner wrote the row last. Proposals older than the one in the
// row cannot happen any more: each named an older version of the row, or was made under a lock
// that is gone.
func (h *hold) owns(row *Row) bool {
	for i, p := range h.proposed {
		if row.bears(p) {
			h.proposed = h.proposed[i:]
			return true
		}
	}
	return row.bears(state.Proposal{Nonce: h.nonce, High: h.limit})
}

// bears reports whether the row is as the proposal wrote it.
func (r *Row) bears(p state.Proposal) bool { return r.Nonce == p.Nonce && r.High == p.High }

func newNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
