package storetest

import (
	"errors"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

var changeChecks = []check{
	{"Change of a row", "Change calls decide with the row of a worker ID; when decide returns an error the Store writes nothing", changes},
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
