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
	{"Take passes over ticks of the future", "ticks used up to w.Highest at most; of all rows that have been over for more than w.Rest, when every ID has a row", takesUsable},
	{"Take offers unused IDs", "a Fresh row of an ID of w.IDs that has no row: the lowest ID above all rows, or else any", takesUnused},
	{"Take keeps to the namespace's IDs", "the ID is one of those that w.Within returns for the namespace; its error is Take's", takesWithin},
	{"Take says when none is free", "when there is none of these it returns the error of NoneFree", takesNone},
	{"Take stores both or nothing", "when decide returns nil the Store writes its arguments, all or nothing; else nothing", takesBoth},
}

// offered checks which row Take offers.
func (c *client) offered(what string, w lease.Wanted, id int64, fresh bool) {
	row, err := c.offers(w)
	switch {
	case err != nil:
		c.p.Errorf("%s: Take returned %v, wanted is worker ID %d", what, err, id)
	case row.WorkerID != id || row.Fresh != fresh:
		c.p.Errorf("%s: Take offers worker ID %d (Fresh %v), wanted is %d (Fresh %v)", what, row.WorkerID, row.Fresh, id, fresh)
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
	c.offered("an unused ID before ticks of the future", w(4, -2), 4, true)
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

func takesUnused(p *probe) {
	c, _ := p.made()
	held := func(ids ...int64) {
		now := c.now()
		for _, id := range ids {
			c.put(lease.Row{WorkerID: id, Until: now.Add(time.Hour), High: 5})
		}
	}
	c.offered("an empty namespace", wanted(0, 4), 0, true)
	c.offered("an empty namespace, a range from 3", wanted(3, 4), 3, true)
	held(1)
	c.offered("one row, of worker ID 1", wanted(0, 4), 2, true)
	held(0, 3)
	c.offered("rows up to 3", wanted(0, 4), 4, true)
	c.offered("a gap at 2", wanted(0, 3), 2, true)
	c.offered("rows below the range", wanted(10, 12), 10, true)
	held(4)
	c.offered("a gap at 2 below the end", wanted(0, 4), 2, true)
	held(12)
	if row, err := c.offers(wanted(10, 12)); err != nil || !row.Fresh || row.WorkerID > 11 {
		p.Errorf("a row at the end of the range: Take offers %+v (%v), wanted is a Fresh one of 10 or 11", row, err)
	}
	if row, err := c.offers(wanted(5, 8)); err != nil || !row.Fresh {
		p.Errorf("a row above the range: Take offers %+v (%v), wanted is a Fresh one", row, err)
	}
	// More IDs than any store can look at one by one.
	const last = 1 << 40
	c.offered("a wide range", wanted(0, last), 13, true)
	held(last)
	if row, err := c.offers(wanted(0, last)); err != nil || !row.Fresh {
		p.Errorf("a wide range with a row at its end: Take offers %+v (%v), wanted is a Fresh one", row, err)
	}
	// A row that is over goes before an unused ID.
	c.set(lease.Row{WorkerID: 3, Until: c.now().Add(-time.Hour)})
	c.offered("a row that is over, and unused IDs", wanted(0, last), 3, false)
}

func takesWithin(p *probe) {
	c, _ := p.made()
	long, longer := c.now().Add(-10*time.Hour), c.now().Add(-20*time.Hour)
	c.put(lease.Row{WorkerID: 2, Until: longer}, lease.Row{WorkerID: 11, Until: long}, lease.Row{WorkerID: 20, Until: longer})
	owns := func(r lease.Range) {
		if err := c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error { n.IDs = r; return nil }); err != nil {
			p.Fatalf("Init: %v", err)
		}
	}
	strict := func(w lease.Wanted) lease.Wanted { w.Strict = true; return w }
	refused := func(what string, w lease.Wanted) {
		ran := false
		err := c.Take(p.Ctx, w, func(*lease.Namespace, *lease.Row, lease.Clock) error { ran = true; return errLook })
		if _, wants := w.Within(lease.Namespace{IDs: lease.Range{First: 10, Last: 13}}); ran || !errors.Is(err, uid.ErrRange) ||
			!strings.Contains(err.Error(), wants.Error()) || retry.IsTransient(err) {
			p.Errorf("%s: Take returned %v (decide has run: %v), wanted is %v", what, err, ran, wants)
		}
	}
	c.offered("all IDs", strict(wanted(0, 1<<40)), 2, false)
	owns(lease.Range{First: 10, Last: 13})
	c.offered("a row within the namespace's IDs, others are over for longer", wanted(0, 1<<40), 11, false)
	c.set(lease.Row{WorkerID: 11, Until: late})
	c.offered("an unused ID within the namespace's", wanted(0, 1<<40), 12, true)
	c.offered("some of the namespace's IDs, and others below", wanted(0, 10), 10, true)
	c.offered("some of the namespace's IDs, and others above", wanted(13, 99), 13, true)
	c.offered("all of the namespace's IDs and no others", strict(wanted(10, 13)), 12, true)
	c.offered("some of the namespace's IDs and no others", strict(wanted(10, 10)), 10, true)
	refused("IDs below the namespace's", wanted(0, 9))
	refused("IDs above the namespace's", wanted(14, 1<<40))
	refused("some of the namespace's IDs, and one below", strict(wanted(9, 13)))
	refused("some of the namespace's IDs, and one above", strict(wanted(10, 14)))
	refused("the namespace's IDs, and all others", strict(wanted(0, 1<<40)))
	for _, id := range []int64{10, 12, 13} {
		c.put(lease.Row{WorkerID: id, Until: late})
	}
	err := c.Take(p.Ctx, wanted(0, 1<<40), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
		p.Errorf("Take offers %+v, where all of the namespace's IDs are held", *r)
		return errLook
	})
	if _, _, clock := c.row(10); !errors.Is(err, uid.ErrNoWorkerID) || !strings.Contains(err.Error(), lease.NoneFree(lease.Range{First: 10, Last: 13}, late.Add(clock.Error)).Error()) {
		p.Errorf("all of the namespace's IDs are held, and Take returned %v, wanted is ErrNoWorkerID of 10 to 13", err)
	}
	// The namespace's IDs do not bind those who have one.
	c.set(lease.Row{WorkerID: 20, Until: longer, High: 5})
	if row, found, _ := c.row(20); !found || row.High != 5 {
		p.Errorf("a row beyond the namespace's IDs was changed, and is %+v", row)
	}
	owns(lease.Range{})
	c.offered("all IDs again", wanted(3, 1<<40), 20, false)
}

func takesNone(p *probe) {
	c, _ := p.made()
	_, _, clock := c.row(0)
	now := clock.Now
	until := now.Add(2 * time.Hour)
	c.put(lease.Row{WorkerID: 3, Until: until.Add(time.Hour)}, lease.Row{WorkerID: 4, Until: until}, lease.Row{WorkerID: 5, Until: until.Add(time.Minute)},
		lease.Row{WorkerID: 6, Until: now.Add(-10 * time.Hour)})
	w := wanted(3, 5)
	w.Rest = time.Hour
	err := c.Take(p.Ctx, w, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
		p.Errorf("Take offers %+v, all are held", *r)
		return errLook
	})
	wants := lease.NoneFree(w.IDs, until.Add(w.Rest+clock.Error))
	if !errors.Is(err, uid.ErrNoWorkerID) || !strings.Contains(err.Error(), wants.Error()) {
		p.Errorf("Take returned %v, wanted is %v", err, wants)
	}
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
			n.Floor, n.Layout, n.Reach = 99, "refused", time.Hour
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
	refuse("an unused ID", 0)
	if row, found, _ := other.row(0); found {
		p.Errorf("decide refused a Fresh row, and it is there: %+v", row)
	}
	row := lease.Row{WorkerID: 1, High: 1, Until: c.now().Add(-time.Hour)}
	c.put(row)
	refuse("a row that is over", 1)
	if got, _, _ := other.row(1); rowDiff(got, row) != "" {
		p.Errorf("decide refused, and the row has changed: %s", rowDiff(got, row))
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
			token := c.torn(p.Ctx, namespace, 20+i, func() {})
			if f == Delay {
				p.Deliver()
				other.whole(20+i, token)
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
