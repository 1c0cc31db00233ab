package storetest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

var changeChecks = []check{
	{"Change of a row", "Change calls decide with the row of a worker ID; when decide returns an error the Store writes nothing", changes},
	{"Change of the namespace", "Where decide has changed the namespace, both are stored or neither", changesBoth},
	{"History", "in at most MostHistory bytes of ASCII; it is the same for all clients as long as no writes are lost", tellsHistory},
	{"Change of no row", "nil when there is none; Change creates nothing", changesNothing},
}

func changes(p *probe) {
	c, namespace := p.made()
	other := p.open(namespace)
	now := c.now()
	rows := []lease.Row{
		{WorkerID: 0, High: 10, Nonce: p.Token(), Until: now.Add(time.Hour)},
		{WorkerID: 1, High: 11, Nonce: p.Token(), Until: now.Add(-time.Hour)},
		{WorkerID: 2, High: 12, Until: now},
	}
	c.put(rows...)
	unchanged := func(when string) {
		for _, row := range rows {
			if got, found, _ := other.row(row.WorkerID); !found || rowDiff(got, row) != "" {
				p.Errorf("%s: the row of worker ID %d: %s", when, row.WorkerID, rowDiff(got, row))
			}
		}
	}
	unchanged("after Take")
	for i := range rows {
		refused := errors.New("refused")
		err := c.Change(p.Ctx, rows[i].WorkerID, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			*r = lease.Row{WorkerID: r.WorkerID, High: 99, Nonce: p.Token(), Until: late}
			return refused
		})
		if !errors.Is(err, refused) {
			p.Errorf("Change returned %v, wanted is what decide returned", err)
		}
		unchanged("decide refused")
		rows[i].High, rows[i].Nonce, rows[i].Until = -1, p.Token(), rows[i].Until.Add(time.Minute)
		c.set(rows[i])
		unchanged("after a Change")
		c.set(rows[i]) // the same again
		unchanged("after a Change to the same")
	}
}

// changesBoth changes a row and what is common to all.
func changesBoth(p *probe) {
	c, namespace := p.made()
	other := p.open(namespace)
	c.put(lease.Row{WorkerID: 0, Until: early})
	refused := errors.New("refused")
	for i, outcome := range []error{nil, refused, nil} {
		before := other.namespace()
		row, _, _ := other.row(0)
		want, is := before, row
		want.Floor, want.History, want.Renewed = int64(100+i), p.Token(), before.Renewed.Add(time.Minute)
		is.Nonce, is.High = p.Token(), int64(200+i)
		err := c.Change(p.Ctx, 0, func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			if d := namespaceDiff(*n, before); d != "" {
				p.Errorf("Change offers the namespace with other values than Init: %s", d)
			}
			*n, *r = want, is
			return outcome
		})
		if !errors.Is(err, outcome) {
			p.Errorf("Change returned %v, wanted is what decide returned", err)
		}
		if outcome != nil {
			want, is = before, row
		}
		if d := namespaceDiff(other.namespace(), want); d != "" {
			p.Errorf("after a Change of both, whose decide returned %v, the namespace has other values: %s", outcome, d)
		}
		if got, _, _ := other.row(0); rowDiff(got, is) != "" {
			p.Errorf("after a Change of both, whose decide returned %v, the row has other values: %s", outcome, rowDiff(got, is))
		}
	}
}

// tellsHistory compares what several clients are told by several calls.
func tellsHistory(p *probe) {
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, Until: early})
	told := map[string]bool{}
	for range 3 {
		_, _, clock := c.row(0)
		told[clock.History] = true
		c.set(lease.Row{WorkerID: 0, Until: early, Nonce: p.Token()})
		c = p.open(namespace)
		p.Look(func() error {
			return c.Init(p.Ctx, func(_ *lease.Namespace, clock lease.Clock) error {
				told[clock.History] = true
				return errLook
			})
		})
		p.Look(func() error {
			return c.Take(p.Ctx, wanted(0, 0), func(_ *lease.Namespace, _ *lease.Row, clock lease.Clock) error {
				told[clock.History] = true
				return errLook
			})
		})
	}
	if len(told) != 1 {
		p.Errorf("Clock has the histories %q, wanted is one", slices.Sorted(maps.Keys(told)))
	}
	for text := range told {
		if len(text) > lease.MostHistory || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			p.Errorf("the History %q has %d bytes, or others than printable ASCII; %d are allowed", text, len(text), lease.MostHistory)
		}
	}
}

func changesNothing(p *probe) {
	c, _ := p.made()
	c.put(lease.Row{WorkerID: 1, Until: early})
	for _, id := range []int64{0, 2, 1 << 40} {
		if row, found, _ := c.row(id); found {
			p.Errorf("Change offers %+v for worker ID %d, which has no row", row, id)
		}
		if row, found, _ := c.row(id); found {
			p.Errorf("a Change of no row has created %+v", row)
		}
	}
	c.offered("an ID that Change has looked at", wanted(2, 2), 2, true)
}
