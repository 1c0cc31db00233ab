package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

var takeChecks = []check{
	{"Take offers what is over for longest", "of the rows whose leases have been over for more than w.Rest, by the Clock less its Error, the one that has been over for longest", takesLongest},
	{"Take waits for Rest", "leases that have been over for more than w.Rest, by the Clock less its Error", takesRested},
	{"Take passes over ticks of the future", "ticks used up to w.Highest at most; " +
		"of all rows that have been over for more than w.Rest, when no ID is new", takesUsable},
	{"Take keeps to the namespace's IDs", "the ID is one of those that w.Within returns for the namespace; its error is Take's", takesWithin},
	{"Take says when none is free", "when there is none of these it returns the error of NoneFree", takesNone},
	{"Take stores both or nothing", "when decide returns nil the Store writes its arguments, all or nothing; else nothing", takesBoth},
}

// offered checks which row Take offers.
func (c *client) offered(what string, w lease.Wanted, id int64, unused bool) {
	row, err := c.offers(w)
	switch {
	case err != nil:
		c.p.Errorf("%s: Take returned %v, wanted is worker ID %d", what, err, id)
	case row.WorkerID != id || row.Unused() != unused:
		c.p.Errorf("%s: Take offers worker ID %d (unused: %v), wanted is %d (%v)",
			what, row.WorkerID, row.Unused(), id, unused)
	}
}

func takesLongest(p *probe) {
	c, namespace := p.made()
	now := c.now()
	ago := func(id int64, d time.Duration) lease.Row {
		return lease.Row{WorkerID: id, Until: now.Add(-d), High: 1}
	}
	c.put(ago(0, 3*time.Hour), ago(1, 5*time.Hour), ago(2, -time.Hour), ago(3, 4*time.Hour), ago(9, 50*time.Hour))
	elsewhere, _ := p.made()
	elsewhere.put(ago(0, 99*time.Hour))
	// A nonce makes no difference: an owner that died left its own.
	died := ago(1, 5*time.Hour)
	died.Nonce, died.Holder = p.Token(), "died"
	c.set(died)
	w := wanted(0, 3)
	w.Rest = time.Hour
	for _, id := range []int64{1, 3, 0} {
		c.offered(fmt.Sprintf("worker ID %d is over for longest", id), w, id, false)
		err := p.open(namespace).Take(p.Ctx, w, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
			r.Until = now.Now.Add(time.Hour)
			return nil
		})
		if err != nil {
			p.Fatalf("Take: %v", err)
		}
	}
	if row, err := c.offers(w); err == nil {
		p.Errorf("Take offers %+v where all rows are held", row)
	}
	c.offered("worker ID 9 is within the range, too", wanted(0, 9), 9, false)
	c.offered("worker ID 9 alone", wanted(9, 9), 9, false)
}

func takesRested(p *probe) {
	c, _ := p.made()
	now := c.now()
	c.put(lease.Row{WorkerID: 0, Until: now.Add(-time.Hour)}, lease.Row{WorkerID: 1, Until: now.Add(time.Hour)})
	for _, rest := range []time.Duration{0, 1, time.Minute, 50 * time.Minute} {
		w := wanted(0, 1)
		w.Rest = rest
		c.offered(fmt.Sprintf("a row that is over for an hour, with a Rest of %v", rest), w, 0, false)
	}
	for _, rest := range []time.Duration{time.Hour + time.Minute, 100 * 365 * 24 * time.Hour} {
		w := wanted(0, 1)
		w.Rest = rest
		if row, err := c.offers(w); !errors.Is(err, uid.ErrNoWorkerID) {
			p.Errorf("with a Rest of %v Take offers %+v (%v), which is over for an hour only", rest, row, err)
		}
	}
	if now := c.now(); p.Advance == nil || !now.Equal(c.now()) {
		p.Notef("not tried: to the microsecond (the clock does not stand still)")
		return
	}
	w := wanted(0, 1)
	w.Rest = time.Hour
	_, _, clock := c.row(0)
	c.set(lease.Row{WorkerID: 0, Until: clock.Now.Add(-time.Hour - clock.Error)})
	if row, err := c.offers(w); !errors.Is(err, uid.ErrNoWorkerID) {
		p.Errorf("Take offers %+v (%v), which is over for Rest and not for more", row, err)
	}
	p.Advance(time.Microsecond)
	c.offered("a row that is over for Rest and a microsecond", w, 0, false)
}

func takesUsable(p *probe) {
	c, _ := p.made()
	now := c.now()
	row := func(id int64, ago time.Duration, high int64) lease.Row {
		return lease.Row{WorkerID: id, Until: now.Add(-ago), High: high}
	}
	w := func(last, highest int64) lease.Wanted {
		return lease.Wanted{IDs: lease.Range{First: 0, Last: last}, Rest: time.Hour, Highest: func(time.Time) int64 { return highest }}
	}
	c.put(row(0, 5*time.Hour, 1001), row(1, 3*time.Hour, 1000), row(2, 2*time.Hour, -1), row(3, 0, -1))
	c.offered("a row with High at Highest", w(3, 1000), 1, false)
	c.offered("one row with High at most Highest", w(3, -1), 2, false)
	c.offered("all with High at most Highest", w(3, math.MaxInt64), 0, false)
	c.offered("a new ID before ticks of the future", w(4, -2), 4, true)
	c.offered("the last resort", w(3, -2), 0, false)
	c.offered("the last resort in a smaller range", lease.Wanted{IDs: lease.Range{First: 1, Last: 3}, Rest: time.Hour, Highest: w(0, -2).Highest}, 1, false)
	asked := false
	highest := func(at time.Time) int64 {
		asked = true
		if at.After(now.Add(-suite.Limit)) {
			return math.MaxInt64
		}
		return -2
	}
	c.offered("Highest by the clock", lease.Wanted{IDs: lease.Range{First: 0, Last: 3}, Rest: time.Hour, Highest: highest}, 0, false)
	if !asked {
		p.Errorf("Take did not ask for Highest")
	}
}

func takesWithin(p *probe) {
	c, _ := p.made()
	long, longer := c.now().Add(-10*time.Hour), c.now().Add(-20*time.Hour)
	c.put(lease.Row{WorkerID: 2, Until: longer}, lease.Row{WorkerID: 11, Until: long})
	has := lease.Range{First: 10, Last: 13}
	owns := func(r lease.Range) {
		if err := c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error { n.IDs = r; return nil }); err != nil {
			p.Fatalf("Init: %v", err)
		}
	}
	all := wanted(0, 1<<40)
	must := func(first, last int64) lease.Wanted {
		w := all
		w.Must = lease.Range{First: first, Last: last}
		return w
	}
	refused := func(what string, w lease.Wanted) {
		ran := false
		err := c.Take(p.Ctx, w, func(*lease.Namespace, *lease.Row, lease.Clock) error { ran = true; return errLook })
		if _, wants := w.Within(c.namespace()); wants == nil || ran || !errors.Is(err, uid.ErrRange) ||
			!strings.Contains(err.Error(), wants.Error()) || retry.IsTransient(err) {
			p.Errorf("%s: Take returned %v (decide has run: %v), wanted is %v", what, err, ran, wants)
		}
	}
	c.offered("all IDs", must(0, 1<<40), 2, false)
	refused("a range of all IDs", must(10, 13))
	owns(has)
	c.offered("a row within the namespace's IDs, others are over for longer", all, 11, false)
	c.set(lease.Row{WorkerID: 11, Until: late})
	c.offered("a new ID within the namespace's", all, 12, true)
	c.offered("some of the namespace's IDs, and others above", wanted(13, 99), 13, true)
	c.offered("the namespace's IDs and no others", must(10, 13), 12, true)
	refused("IDs below the namespace's", wanted(0, 9))
	refused("IDs above the namespace's", wanted(14, 1<<40))
	refused("the namespace's IDs, and one below", must(9, 13))
	refused("the namespace's IDs, and one above", must(10, 14))
	refused("some of the namespace's IDs", must(10, 12))
	refused("the namespace's IDs, and all others", must(0, 1<<40))
	c.put(lease.Row{WorkerID: 12, Until: late}, lease.Row{WorkerID: 13, Until: late})
	c.noneFree("all of the namespace's IDs are held", all, has, late, lease.Range{First: 10, Last: 10})
	// The namespace's IDs do not bind those who have one.
	c.set(lease.Row{WorkerID: 2, Until: longer, High: 5})
	if row, found, _ := c.row(2); !found || row.High != 5 {
		p.Errorf("a row beyond the namespace's IDs was changed, and is %+v", row)
	}
	owns(lease.Range{})
	c.offered("all IDs again", all, 2, false)
}

// noneFree checks that a Take finds nothing, and says so.
func (c *client) noneFree(what string, w lease.Wanted, ids lease.Range, until time.Time, missing ...lease.Range) {
	err := c.Take(c.p.Ctx, w, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
		c.p.Errorf("%s: Take offers %+v", what, *r)
		return errLook
	})
	if !until.IsZero() {
		_, _, clock := c.row(ids.Last)
		until = until.Add(w.Rest + clock.Error)
	}
	wants := lease.NoneFree(ids, until, missing)
	if !errors.Is(err, uid.ErrNoWorkerID) || !strings.Contains(err.Error(), wants.Error()) {
		c.p.Errorf("%s: Take returned %v, wanted is %v", what, err, wants)
	}
}

func takesNone(p *probe) {
	c, _ := p.made()
	now := c.now()
	until := now.Add(2 * time.Hour)
	c.put(lease.Row{WorkerID: 3, Until: until.Add(time.Hour)}, lease.Row{WorkerID: 4, Until: until}, lease.Row{WorkerID: 5, Until: until.Add(time.Minute)},
		lease.Row{WorkerID: 6, Until: now.Add(-10 * time.Hour)})
	w := wanted(3, 5)
	w.Rest = time.Hour
	c.noneFree("all are held", w, w.IDs, until)
	row, _, _ := c.row(4)
	if !row.Until.Equal(until) {
		p.Errorf("a Take that found nothing has changed a row: %+v", row)
	}
}

func takesBoth(p *probe) {
	c, namespace := p.made()
	other := p.open(namespace)
	before := c.namespace()
	refused := errors.New("refused")
	refuse := func(what string, id int64) {
		err := c.Take(p.Ctx, wanted(id, id), func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
			n.Floor, n.Layout, n.History = 99, "refused", "refused"
			r.High, r.Nonce, r.Until = 99, p.Token(), now.Now
			return refused
		})
		if !errors.Is(err, refused) {
			p.Errorf("%s: Take returned %v, wanted is what decide returned", what, err)
		}
		if d := namespaceDiff(other.namespace(), before); d != "" {
			p.Errorf("%s: decide refused, and the namespace has changed: %s", what, d)
		}
	}
	row := lease.Row{WorkerID: 1, High: 1, Until: c.now().Add(-time.Hour)}
	c.put(row)
	before = c.namespace()
	refuse("a row that is over", 1)
	if got, _, _ := other.row(1); rowDiff(got, row) != "" {
		p.Errorf("decide refused, and the row has changed: %s", rowDiff(got, row))
	}
	for id := range int64(4) {
		c.put(lease.Row{WorkerID: 10 + id, Until: early})
	}
	// A context that ends while decide runs leaves the outcome open.
	for i := range int64(4) {
		ctx, cancel := context.WithCancel(p.Ctx)
		c.torn(ctx, namespace, 10+i%2, cancel)
		cancel()
	}
	for _, f := range []Fault{LoseWrite, LoseReply, Delay} {
		for i := range int64(2) {
			if !p.fault(c, f) {
				p.Notef("not tried: %v", f)
				break
			}
			token := c.torn(p.Ctx, namespace, 12+i, func() {})
			if f == Delay {
				p.Deliver()
				other.whole(12+i, token)
			}
		}
	}
}

// torn takes a row with an outcome that may be open, and checks that all of it is stored, or
// nothing. It returns the token of what it wrote, or tried to write.
func (c *client) torn(ctx context.Context, namespace string, id int64, decided func()) (token string) {
	token = c.p.Token()
	err := c.Take(ctx, wanted(id, id), func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
		n.Layout, r.Nonce, r.Until = token, token, now.Now.Add(-time.Hour)
		decided()
		return nil
	})
	if stored := c.p.open(namespace).whole(id, token); err == nil && !stored {
		c.p.Errorf("Take returned nil, and has stored nothing")
	}
	return token
}

// whole checks that one Take wrote both the namespace and the row of an ID, or neither. It reads
// both at once: the Take may still be under way.
func (c *client) whole(id int64, token string) (stored bool) {
	var namespace lease.Namespace
	var row lease.Row
	c.p.Look(func() error {
		return c.Take(c.p.Ctx, wanted(id, id), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			namespace, row = *n, *r
			return errLook
		})
	})
	if stored = row.Nonce == token; stored != (namespace.Layout == token) {
		c.p.Errorf("a Take that wrote %s has stored half of it: the namespace is %+v, the row %+v", token, namespace, row)
	}
	return stored
}
