package lease

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/uidgen/uid/internal/state"
)

// A hold is what an owner has of an ID.
type hold struct {
	id int64
	// nonce and limit are what the owner wrote last and the store has acknowledged. limit is
	// the last tick reserved; base while nothing is.
	nonce string
	limit int64
	// proposed are the renewals since then, the oldest first, whose replies are awaited or were
	// lost: each of them either happened or did not, or is still on its way. What is read in
	// the row need not be durable yet, so that nothing is reserved by one of them.
	proposed []state.Proposal
	base     int64 // High before the owner reserved anything: its first tick is the next
	granted  int64 // last tick that the generator has: limit, or less with a state file
	resumed  bool  // taken up from a state file
	renew    int64 // tick from which on to renew

	at   time.Time     // of the last write, on the monotonic clock
	wait time.Duration // from then on, until ticks can be reserved for the first time
}

// mostProposed is how many renewals are remembered. One that is forgotten and has happened
// after all costs the lease, and nothing else.
const mostProposed = 8

// propose notes a renewal that is about to be written, beside those before.
func (h *hold) propose(before []state.Proposal, next state.Proposal) {
	if len(before) >= mostProposed {
		before = before[len(before)-mostProposed+1:]
	}
	h.proposed = append(before[:len(before):len(before)], next)
}

// owns reports whether a row is still the hold's. A proposal that was made before the one in
// the row named an older version of it, or was made under a lock that is gone: it does not
// happen any more.
func (h *hold) owns(row *Row) bool {
	for i, p := range h.proposed {
		if row.Nonce == p.Nonce && row.High == p.High {
			h.proposed = h.proposed[i:]
			return true
		}
	}
	return row.Nonce == h.nonce && row.High == h.limit
}

func newNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
