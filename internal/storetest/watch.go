package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// A client is a store under watch: it checks in each call what holds for every call, and has the model judge what
// is offered and stored.
type client struct {
	p         *probe
	store     lease.Store
	namespace string
	id        int // in a history
}

// errNothing is returned by a decision that gets nil.
var errNothing = errors.New("nothing is offered")

// A call is one of a store's methods under watch.
type call struct {
	*suite.Call
	c    *client
	name string
	runs atomic.Int32
}

func (c *client) call(name string) *call { return &call{Call: c.p.Call(name, c.id), c: c, name: name} }

func (k *call) run(n *common, now clock, decide func() error) error {
	return k.Run(func() error {
		k.runs.Add(1)
		if n == nil || n.Fresh && k.name != "Init" {
			k.c.p.Errorf("%s offers no namespace that is there: %+v", k.name, n)
			return errNothing
		}
		k.c.p.clock(k.name, now)
		return decide()
	})
}

// Take calls the store's Take under watch. The row has to be the one that a Memory would offer, or might.
func (c *client) Take(ctx context.Context, w wish, decide decision) error {
	k := c.call("Take")
	w, asked := c.asks(w)
	err := c.store.Take(ctx, w, func(n *common, r *row, now clock) error {
		return k.run(n, now, func() error {
			if r == nil {
				c.p.Errorf("Take offers no row")
				return errNothing
			}
			asked(now)
			k.offers(w, r, now)
			k.seesNamespace(n)
			k.seesRow(r.WorkerID, r)
			wanted := change{id: r.WorkerID, given: n.Given}
			if s := c.space(); c.p.Alone() && s.namespace != nil {
				if ch, err := s.sample(c.p.Sample, w, r.WorkerID).free(w, now); err != nil {
					k.Doubt("Take offers worker ID %d, where there is none: %v", r.WorkerID, err)
				} else if wanted = ch; ch.id != r.WorkerID && k.runs.Load() == 1 {
					k.Doubt("Take of %+v at %v offers worker ID %d, the first one is %d", w, now, r.WorkerID, ch.id)
				}
			}
			for id := range wanted.others() {
				unused := storage.NewLease(id)
				k.seesRow(id, nil)
				k.writesRow(id, &unused)
				k.writesFirst(id, &unused)
			}
			unused := storage.NewLease(r.WorkerID)
			if c.p.Alone() && *r == unused {
				k.writesFirst(r.WorkerID, &unused)
			}
			err := decide(n, r, now)
			k.writesNamespace(n, wanted.given)
			k.writesRow(r.WorkerID, r)
			return err
		})
	})
	if c.p.Steps && (k.runs.Load() > 1 || suite.Passes(err)) {
		c.p.raced.Store(true)
	}
	if c.p.Alone() && k.runs.Load() == 0 && c.p.latest().Now.After(early) && err != nil && !suite.Passes(err) {
		c.none(w, err)
	}
	return k.End(err)
}

// none checks the error of a Take that offers nothing.
func (c *client) none(w wish, err error) {
	s := c.space()
	if s.namespace == nil {
		if !errors.Is(err, errMissing) {
			c.p.Errorf("Take in a namespace that is not there returned %v, wanted is ErrNoNamespace", err)
		}
		return
	}
	_, wants := s.free(w, c.p.latest())
	for _, kind := range []error{uid.ErrRange, uid.ErrNoWorkerID} {
		if wants == nil || errors.Is(wants, kind) && !errors.Is(err, kind) ||
			!strings.Contains(err.Error(), wants.Error()) {
			c.p.Errorf("Take of %+v returned %v, wanted is %v", w, err, wants)
			return
		}
	}
}

// asks returns what is wanted, and what checks at which times the store has asked for Highest.
func (c *client) asks(w wish) (wish, func(clock)) {
	highest := w.Highest
	var mu sync.Mutex
	var asked []time.Time
	w.Highest = func(now time.Time) int64 {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, now)
		return highest(now)
	}
	return w, func(now clock) {
		mu.Lock()
		defer mu.Unlock()
		for _, at := range asked {
			if now.Now.Sub(at).Abs() > now.Error+suite.Limit {
				c.p.Errorf("Highest was asked about %v, the Clock is at %v", at, now.Now)
			}
		}
		asked = nil
	}
}

// offers checks a row that is offered.
func (k *call) offers(w wish, r *row, now clock) {
	switch {
	case r.WorkerID < w.IDs.First || r.WorkerID > w.IDs.Last:
		k.c.p.Errorf("Take offers worker ID %d, wanted was one of %v", r.WorkerID, w.IDs)
	case !r.Unused() && !r.Until.Add(w.Rest+now.Error).Before(now.Now):
		k.c.p.Errorf("Take offers worker ID %d until %v, wanted was one over for more than %v at %+v",
			r.WorkerID, r.Until, w.Rest, now)
	}
}

// Change calls the store's Change under watch.
func (c *client) Change(ctx context.Context, id int64, decide decision) error {
	k := c.call("Change")
	return c.missing(k, k.End(c.store.Change(ctx, id, func(n *common, r *row, now clock) error {
		return k.run(n, now, func() error {
			if r != nil && r.WorkerID != id {
				c.p.Errorf("Change of worker ID %d offers %+v", id, *r)
			}
			was := *n
			if c.p.Alone() {
				k.seesNamespace(n)
			}
			k.seesRow(id, r)
			err := decide(n, r, now)
			if r != nil {
				k.writesRow(id, r)
			}
			if *n != was {
				k.writesNamespace(n, was.Given)
			}
			return err
		})
	})))
}

// missing checks that a missing namespace is told by its error.
func (c *client) missing(k *call, err error) error {
	there := c.p.Model.Text(c.namespace) != ""
	if c.p.Alone() && err != nil && k.runs.Load() == 0 && !suite.Passes(err) && (there || !errors.Is(err, errMissing)) {
		c.p.Errorf("%s returned %v; that the namespace is there is %v", k.name, err, there)
	}
	return err
}

// Init calls the store's Init under watch.
func (c *client) Init(ctx context.Context, decide func(*common, clock) error) error {
	k := c.call("Init")
	return k.End(c.store.Init(ctx, func(n *common, now clock) error {
		return k.run(n, now, func() error {
			k.seesNamespace(n)
			given := n.Given
			err := decide(n, now)
			k.writesNamespace(n, given)
			return err
		})
	}))
}

// Inspect calls the store's Inspect under watch.
func (c *client) Inspect(ctx context.Context) error { return c.p.Inspect(ctx, c.store.Inspect) }

// Name calls the store's Name under watch.
func (c *client) Name() string { return c.p.Named(c.store.Name()) }

// seesRow shows a row to the judge, nil for none. One that was never used is much like none, unless it was made with
// others: a Take offers it where the store has none, or had none a while ago.
func (k *call) seesRow(id int64, r *row) {
	key := k.c.key(id)
	if r == nil || r.Unused() && k.c.p.Model.Text(key) != k.c.p.rowText(*r) {
		k.Sees(key, "")
		return
	}
	k.c.p.row(k.name, *r)
	k.Sees(key, k.c.p.rowText(*r))
}

func (k *call) writesRow(id int64, r *row) { k.Writes(k.c.key(id), k.c.p.rowText(*r)) }

// writesFirst notes a row that is made before another one is leased.
func (k *call) writesFirst(id int64, r *row) {
	if k.c.p.Steps {
		k.WritesFirst(k.c.key(id), k.c.p.rowText(*r))
	}
}

// seesNamespace shows what is common to all rows to the judge. Its Given may be that of a row above what is stored.
func (k *call) seesNamespace(n *common) {
	k.c.p.namespace(k.name, *n)
	if !k.c.p.Alone() {
		k.Sees(k.c.namespace, k.c.p.namespaceText(*n))
		return
	}
	shown, s := *n, k.c.space()
	top := int64(-1)
	for id := range s.rows {
		top = max(top, id)
	}
	switch stored := s.stored(); {
	case k.name == "Init" && n.Given < top:
		k.Doubt("Init gives worker ID %d, where worker ID %d has a row", n.Given, top)
	case n.Given == max(top, stored), k.c.p.raced.Load() && k.c.p.same(*n, s.namespace):
		shown.Given = stored // of rows that were left alone, or of more of them
	}
	k.Sees(k.c.namespace, k.c.p.namespaceText(shown))
}

func (k *call) writesNamespace(n *common, given int64) {
	written := *n
	written.Fresh, written.Given = false, given
	text := k.c.p.namespaceText(written)
	if k.Writes(k.c.namespace, text); k.c.p.Steps && k.name != "Init" {
		k.WritesFirst(k.c.namespace, text)
	}
}

// stored is the Given that a space holds.
func (s *space) stored() int64 {
	if s.namespace == nil {
		return -1
	}
	return s.namespace.Given
}

// key is what a row is under in the model; the namespace is under its name.
func (c *client) key(id int64) string { return fmt.Sprintf("%s/row %d", c.namespace, id) }

// space is what the model has of a namespace. Nobody changes it.
func (c *client) space() *space {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if sets := c.p.Model.Sets(); sets != c.p.sets {
		clear(c.p.spaces)
		c.p.sets = sets
	}
	if s := c.p.spaces[c.namespace]; s != nil {
		return s
	}
	s := &space{rows: map[int64]row{}}
	c.p.spaces[c.namespace] = s
	c.p.Model.Each(func(key, text string) {
		of, number, isRow := strings.Cut(key, "/row ")
		switch id, err := strconv.ParseInt(number, 10, 64); {
		case key == c.namespace:
			n := c.p.namespaces[text]
			s.namespace = &n
		case isRow && of == c.namespace && err == nil:
			r := c.p.rows[text]
			r.WorkerID = id
			s.rows[id] = r
		}
	})
	return s
}

// micro is a time as stores keep it: the zero time may be read as 1970.
func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// rowText is all of a row but its ID, whose value the probe remembers.
func (p *probe) rowText(r row) string {
	text := fmt.Sprintf("Nonce:%q High:%d Until:%d Layout:%q Holder:%q Acquired:%d Renewed:%d",
		r.Nonce, r.High, micro(r.Until), r.Layout, r.Holder, micro(r.Acquired), micro(r.Renewed))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows[text] = r
	return text
}

// brief is a text without the Given, which others raise.
func brief(text string) string {
	if i := strings.LastIndex(text, " Given:"); i >= 0 {
		return text[:i]
	}
	return text
}

// namespaceText is all of a namespace, "" for a Fresh one. In a history others raise Given.
func (p *probe) namespaceText(n common) string {
	if n.Fresh {
		return ""
	}
	text := fmt.Sprintf("Layout:%q IDs:%d-%d Floor:%d History:%q Made:%d Renewed:%d Given:%d",
		n.Layout, n.IDs.First, n.IDs.Last, n.Floor, n.History, micro(n.Made), micro(n.Renewed), n.Given)
	if !p.Alone() {
		return brief(text)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.namespaces[text] = n
	return text
}

// same reports whether two namespaces differ in their Given alone.
func (p *probe) same(a common, b *common) bool {
	return b != nil && brief(p.namespaceText(a)) == brief(p.namespaceText(*b))
}

func (p *probe) clock(from string, c clock) {
	p.time(from, "Clock.Now", c.Now)
	if c.Error < 0 {
		p.Errorf("%s: the Clock's Error is %v", from, c.Error)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = c
	p.told[c.History] = true
}

func (p *probe) time(from, name string, t time.Time) {
	if t.Location() != time.UTC || !t.Equal(t.Truncate(time.Microsecond)) {
		p.Errorf("%s: %s is %v, which is not in UTC and whole microseconds", from, name, t)
	}
}

func (p *probe) row(from string, r row) {
	p.time(from, "Until", r.Until)
	p.time(from, "Acquired", r.Acquired)
	p.time(from, "Renewed", r.Renewed)
}

func (p *probe) namespace(from string, n common) {
	p.time(from, "Made", n.Made)
	p.time(from, "Renewed", n.Renewed)
	if n.Fresh && (n.Floor != -1 || n.Layout != "" || n.History != "") {
		p.Errorf("%s: the Fresh namespace is %+v, wanted is a Floor of -1, no Layout and no History", from, n)
	}
	if n.Given < -1 {
		p.Errorf("%s: the namespace's Given is %d", from, n.Given)
	}
}

// wrote checks that a Clock is not before what somebody has written by it: it is read last.
func (p *probe) wrote(from string, at time.Time, now clock) {
	if now.Now.Before(at.Add(-2*now.Error - p.behind)) {
		p.Errorf("%s: the Clock is at %v, what is offered with it was written at %v", from, now.Now, at)
	}
}

// once makes a call, whose error has to be one that may pass.
func (c *client) once(ctx context.Context, w way, decide decision) error {
	err := w.call(c, ctx, decide)
	c.p.MayPass(w.name, err)
	return err
}

// row reads the row of a worker ID, for the model to judge.
func (c *client) row(id int64) (is row) {
	c.p.Look(func() error {
		return c.Change(c.p.Ctx, id, func(_ *common, r *row, _ clock) error {
			if r != nil {
				is = *r
			}
			return suite.ErrLook
		})
	})
	return is
}

// own reads what is common to all rows, for the model to judge.
func (c *client) own() (namespace common) {
	c.p.Look(func() error {
		return c.Init(c.p.Ctx, func(n *common, _ clock) error { namespace = *n; return suite.ErrLook })
	})
	return namespace
}

// all reads all that the model knows of, and the row after.
func (c *client) all() {
	c.own()
	last := int64(-1)
	for id := range c.space().rows {
		c.row(id)
		last = max(last, id)
	}
	c.row(last + 1)
}

// now returns the store's clock.
func (c *client) now() time.Time {
	c.own()
	return c.p.latest().Now
}

// init writes the namespace, and makes it.
func (c *client) init(write func(*common)) {
	c.p.Again("Init", func() error {
		return c.Init(c.p.Ctx, func(n *common, now clock) error {
			if n.Fresh {
				n.Layout, n.Made, n.Renewed = "made by the suite", now.Now, now.Now
			}
			write(n)
			return nil
		})
	})
}

// wanted asks for any row of a range.
func wanted(first, last int64) wish {
	return wish{IDs: lease.Range{First: first, Last: last}, Highest: func(time.Time) int64 { return math.MaxInt64 }}
}

// put writes rows of IDs that are new, in ascending order. IDs between them never get a row.
func (c *client) put(rows ...row) {
	for _, is := range rows {
		c.p.Again("Take of a new ID", func() error {
			return c.Take(c.p.Ctx, wanted(is.WorkerID, is.WorkerID), becomes(is))
		})
	}
}

// set writes the row of an ID that has one.
func (c *client) set(is row) {
	c.p.Again("Change", func() error { return c.Change(c.p.Ctx, is.WorkerID, becomes(is)) })
}

// takes has Take offer a row, and holds it or leaves it as it is.
func (c *client) takes(w wish, hold bool) {
	c.p.Look(func() error {
		err := c.Take(c.p.Ctx, w, func(n *common, r *row, _ clock) error {
			if !hold {
				return suite.ErrLook
			}
			n.Given += 5 // decide does not set it
			r.Until, r.Nonce = late, c.p.Token()
			return nil
		})
		if err == nil || retry.IsTransient(err) {
			return err
		}
		return cmp.Or(suite.ErrLook, err) // there is none, which the client has judged
	})
}
