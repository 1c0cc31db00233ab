package fake

import (
	"fmt"
	"strings"

	"github.com/uidgen/uid"
)

// A Ledger notes what happens to owners, and the ticks of worker IDs that they may have issued: all that they have
// reserved, but for what they give back. The zero value is empty. It is for one goroutine.
type Ledger struct {
	Got    int // how often ticks were reserved
	issued []span
	log    []string
}

// A span is ticks that an owner may have issued under an ID, of the reservation that begins with the tick hold.
type span struct {
	by                    string
	id, first, last, hold int64
}

// Say notes what happens.
func (l *Ledger) Say(format string, args ...any) { l.log = append(l.log, fmt.Sprintf(format, args...)) }

// Reserve notes what an owner has reserved. Before, it had another reservation or, if that is zero, none. It returns an
// error, with what has happened last, when some of the ticks were reserved before.
func (l *Ledger) Reserve(by string, had, r uid.Reservation) error {
	s := span{by, r.WorkerID, r.First, r.Last, r.First}
	if had != (uid.Reservation{}) && r.WorkerID == had.WorkerID && r.First == had.First {
		s.first = had.Last + 1
	}
	if s.last < s.first {
		return nil
	}
	l.Got++
	for _, other := range l.issued {
		if other.id == s.id && other.first <= s.last && s.first <= other.last {
			return fmt.Errorf("%+v and %+v have ticks in common\n%s",
				other, s, strings.Join(l.log[max(0, len(l.log)-60):], "\n"))
		}
	}
	l.issued = append(l.issued, s)
	return nil
}

// GiveBack takes back what an owner has not issued of its reservation.
func (l *Ledger) GiveBack(by string, has uid.Reservation, last int64) {
	kept := l.issued[:0]
	for _, s := range l.issued {
		if s.by == by && s.hold == has.First && s.id == has.WorkerID {
			s.last = min(s.last, last)
		}
		if s.first <= s.last {
			kept = append(kept, s)
		}
	}
	l.issued = kept
}
