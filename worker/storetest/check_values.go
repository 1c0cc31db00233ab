package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

var valueChecks = []check{
	{"rows keep their values", "rows are read back as they were written: times of 1970 to 9999 in microseconds, nonces of 32 letters and digits, layouts of 255 bytes, holders of 128 characters", rowsKeepValues},
	{"namespaces keep their values", "namespaces are read back as they were written", namespacesKeepValues},
	{"names and settings", "Name and Durable are the same in every process, at all times; Inspect changes nothing, and what is missing so far is no error", names},
}

var (
	// early and late are the first and the last time that a store has to keep. The zero time may
	// become the first.
	zero  = time.Time{}
	early = time.Unix(0, 0).UTC()
	late  = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	ascii = func() string {
		var b strings.Builder
		for c := ' '; c <= '~'; c++ {
			b.WriteRune(c)
		}
		return strings.Repeat(b.String(), 3)[:255]
	}()
)

// extremes are rows of one worker ID at the ends of what a row can hold.
func extremes(id int64, now time.Time) []lease.Row {
	rows := []lease.Row{
		{High: -1, Until: zero, Acquired: zero, Renewed: zero},
		{
			Nonce: "abcdefghijklmNOPQRSTUVWXYZ012345", High: math.MaxInt64, Until: late, Layout: ascii,
			Holder: strings.Repeat("\U0001F984", 128), Acquired: early, Renewed: late,
		},
		{
			Nonce: "ABCDEFGHIJKLMnopqrstuvwxyz012345", High: 0, Until: now.Add(time.Microsecond), Layout: "sign=1 time=28",
			Holder: "  'ä\"\\%_\n\t`–ß\u0301 ", Acquired: now.Add(-time.Microsecond), Renewed: early.Add(time.Microsecond),
		},
		{Nonce: "00000000000000000000000000", High: 1<<53 + 1, Until: early, Layout: "x", Holder: strings.Repeat("ÿ", 128), Acquired: now, Renewed: now},
		{High: -1, Until: now, Acquired: zero, Renewed: early},
	}
	for i := range rows {
		rows[i].WorkerID = id
	}
	return rows
}

func rowsKeepValues(p *probe) {
	c, namespace := p.made()
	other := p.open(namespace)
	for _, id := range []int64{0, 1, 1 << 40} {
		for i, row := range extremes(id, c.now()) {
			if i == 0 {
				c.put(row)
			} else {
				c.set(row)
			}
			got, found, _ := other.row(id)
			if !found {
				p.Fatalf("the row that was written of worker ID %d is not there", id)
			}
			if d := rowDiff(got, row); d != "" {
				p.Errorf("row %d of worker ID %d was written and read with other values: %s", i, id, d)
			}
		}
	}
	// Take has its own way of reading and writing rows.
	const id = 1<<40 + 1
	for i, row := range extremes(id, c.now()) {
		old := row
		old.Until = c.now().Add(-time.Hour)
		if i == 0 {
			c.put(old)
		} else {
			c.set(old)
		}
		var read lease.Row
		err := other.Take(p.Ctx, wanted(id, id), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			read, *r = *r, row
			return nil
		})
		if err != nil {
			p.Fatalf("Take of a row that is over: %v", err)
		}
		if d := rowDiff(read, old); d != "" {
			p.Errorf("Take reads row %d with other values: %s", i, d)
		}
		if got, _, _ := c.row(id); rowDiff(got, row) != "" {
			p.Errorf("row %d was written by Take and read with other values: %s", i, rowDiff(got, row))
		}
	}
}

func namespacesKeepValues(p *probe) {
	c, namespace := p.made()
	other := p.open(namespace)
	now := c.now()
	for i, want := range []lease.Namespace{
		{Layout: "x", Floor: -1, Made: zero, Renewed: early},
		{Layout: ascii, IDs: lease.Range{First: 0, Last: math.MaxInt64}, Floor: math.MaxInt64, History: ascii[:lease.MostHistory], Made: early, Renewed: late},
		{Layout: "sign=1 time=28", IDs: lease.Range{First: 2, Last: 100}, Floor: 1<<53 + 1, History: "1 2;a=b|c", Made: now.Add(-time.Microsecond), Renewed: now},
		{Layout: "y", Floor: 0, History: "x", Made: now, Renewed: zero},
	} {
		want.Given = int64(i) - 1
		err := c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error { *n = want; return nil })
		if err != nil {
			p.Fatalf("Init: %v", err)
		}
		if d := namespaceDiff(other.namespace(), want); d != "" {
			p.Errorf("namespace %d was written by Init and read with other values: %s", i, d)
		}
		want.Floor--
		want.Floor = max(want.Floor, -1)
		want.History, want.Made, want.Renewed = "other "+want.Layout[:1], want.Renewed, want.Made
		err = c.Take(p.Ctx, wanted(int64(i), int64(i)), func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
			if i > 0 && n.Layout == "" {
				p.Errorf("Take offers the namespace as %+v", *n)
			}
			*n = want
			r.Until = now.Now
			return nil
		})
		if err != nil {
			p.Fatalf("Take: %v", err)
		}
		want.Given = int64(i)
		var got lease.Namespace
		err = other.Take(p.Ctx, wanted(100, 100), func(n *lease.Namespace, _ *lease.Row, _ lease.Clock) error {
			got = *n
			return errLook
		})
		if !errors.Is(err, errLook) {
			p.Fatalf("Take: %v", err)
		}
		if d := namespaceDiff(got, want); d != "" {
			p.Errorf("namespace %d was written by Take and read by it with other values: %s", i, d)
		}
	}
}

func names(p *probe) {
	namespace := p.namespace()
	c := p.open(namespace)
	name := c.Name()
	if !strings.Contains(name, namespace) {
		p.Errorf("Name() is %q, which does not tell that the namespace is %s", name, namespace)
	}
	if again := p.open(namespace).Name(); again != name {
		p.Errorf("Name() of one client is %q, that of another %q", name, again)
	}
	promises := func(when string, c *client) {
		if durable := p.open(namespace).Durable(); durable != c.Durable() || durable != p.durable(p.namespace()) {
			p.Errorf("%s: Durable() of one client is %v, that of another %v, and of another namespace %v", when, c.Durable(), durable, p.durable(p.namespace()))
		}
	}
	durable := c.Durable()
	promises("a store that has nothing yet", c)
	for range 2 {
		if _, err := c.Inspect(p.Ctx); err != nil {
			p.Errorf("Inspect of a store that has nothing yet: %v", err)
		}
	}
	if _, err := c.offers(wanted(0, 1)); !errors.Is(err, errMissing) {
		p.Errorf("Take in a store that only Inspect has seen returns %v, wanted is ErrNoNamespace", err)
	}
	c.create()
	c.put(lease.Row{High: 7, Until: early})
	before := c.namespace()
	if _, err := c.Inspect(p.Ctx); err != nil {
		p.Errorf("Inspect of a namespace that is used: %v", err)
	}
	if d := namespaceDiff(c.namespace(), before); d != "" {
		p.Errorf("Inspect changes the namespace: %s", d)
	}
	if row, found, _ := c.row(0); !found || rowDiff(row, lease.Row{High: 7, Until: early}) != "" {
		p.Errorf("Inspect changes a row: now %+v", row)
	}
	promises("a namespace that is used", c)
	if c.Durable() != durable {
		p.Errorf("Durable() was %v, and is %v once the namespace is used", durable, c.Durable())
	}
	ctx, cancel := context.WithCancel(p.Ctx)
	cancel()
	_, _ = c.Inspect(ctx) // only for its error, which must not hold the secret
}

func (p *probe) durable(namespace string) bool { return p.open(namespace).Durable() }

// rowDiff lists the fields in which two rows differ, except those that are not stored.
func rowDiff(got, want lease.Row) string {
	var d diff
	d.compare("WorkerID", got.WorkerID, want.WorkerID)
	d.compare("Nonce", got.Nonce, want.Nonce)
	d.compare("High", got.High, want.High)
	d.times("Until", got.Until, want.Until)
	d.compare("Layout", got.Layout, want.Layout)
	d.compare("Holder", got.Holder, want.Holder)
	d.times("Acquired", got.Acquired, want.Acquired)
	d.times("Renewed", got.Renewed, want.Renewed)
	return d.String()
}

func namespaceDiff(got, want lease.Namespace) string {
	var d diff
	d.compare("Layout", got.Layout, want.Layout)
	d.compare("IDs", got.IDs, want.IDs)
	d.compare("Given", got.Given, want.Given)
	d.compare("Floor", got.Floor, want.Floor)
	d.compare("History", got.History, want.History)
	d.times("Made", got.Made, want.Made)
	d.times("Renewed", got.Renewed, want.Renewed)
	return d.String()
}

type diff []string

func (d *diff) compare(field string, got, want any) {
	if got != want {
		*d = append(*d, fmt.Sprintf("%s is %#v, not %#v", field, got, want))
	}
}

func (d *diff) times(field string, got, want time.Time) {
	if got.IsZero() {
		got = early
	}
	if want.IsZero() {
		want = early
	}
	if !got.Equal(want) {
		*d = append(*d, fmt.Sprintf("%s is %v, not %v", field, got, want))
	}
}

func (d *diff) String() string { return strings.Join(*d, "; ") }
