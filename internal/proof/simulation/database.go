package simulation

import (
	"context"
	"errors"
	"time"

	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// A database is a region's. It answers one call after another.
type database struct {
	region *region
	memory *storetest.Memory
	offset time.Duration // of its clock
	down   bool
	busy   int64 // until when
	top    int64 // highest ID that has a row
}

const namespace = "fleet"

// newDatabase returns the database of a region, with a namespace.
func newDatabase(ctx context.Context, r *region) (*database, error) {
	d := &database{region: r, top: -1}
	cfg := r.engine.memory
	cfg.Now = d.now
	d.memory = storetest.NewMemory(cfg)
	return d, lease.Found(ctx, d.memory.Store(namespace), lease.Founding{Terms: r.terms, IDs: r.ids})
}

// now is what the database goes by: its clock, or the caller's if it has none.
func (d *database) now() time.Time {
	if p := d.region.calling; p != nil && !d.region.engine.clock {
		return p.now()
	}
	return d.region.time().Add(d.offset)
}

// slot returns when a call can be made that is wanted now, and keeps the database busy then.
func (d *database) slot(cost time.Duration) int64 {
	at := max(d.region.now, d.busy)
	d.busy = at + int64(cost)
	return at
}

// A client is a process's connection to the database.
type client struct {
	*storetest.Client
	database *database
	blind    bool
	mine     lease.Row // what a blind one wrote last
}

var errDown = errors.New("the database is down")

// begin counts a call, and decides what goes wrong with it.
func (c *client) begin(count func()) error {
	r := c.database.region
	if c.database.down {
		r.Refused++
		return errDown
	}
	count()
	if r.random.Float64() < r.plan.Lost {
		fault := []storetest.Fault{storetest.LoseReply, storetest.LoseWrite, storetest.Delay}[r.random.IntN(3)]
		r.Lost++
		c.Fault(fault)
		if fault == storetest.Delay {
			r.after(r.within(time.Hour), func() { c.database.memory.Deliver() })
		}
	}
	return nil
}

func (c *client) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	if err := c.begin(c.database.region.takes); err != nil {
		return err
	}
	return c.Client.Take(ctx, w, func(n *lease.Namespace, row *lease.Row, now lease.Clock) error {
		err := decide(n, row, now)
		if err == nil {
			c.mine = *row
			c.database.top = max(c.database.top, row.WorkerID)
		}
		return err
	})
}

func (c *client) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	if err := c.begin(c.database.region.changes); err != nil {
		return err
	}
	if !c.blind {
		return c.Client.Change(ctx, id, decide)
	}
	return c.Client.Change(ctx, id, func(row *lease.Row, now lease.Clock) error {
		if row == nil {
			return decide(row, now)
		}
		mine := c.mine
		mine.Until = now.Now.Add(time.Hour)
		err := decide(&mine, now)
		if err == nil {
			*row, c.mine = mine, mine
		}
		return err
	})
}

// held returns how many IDs are leased or in quarantine.
func (d *database) held() (n int) {
	now := d.region.time()
	for id := d.region.ids.First; id <= d.top; id++ {
		if row, found := d.memory.Row(namespace, id); found && row.Until.Add(quarantine).After(now) {
			n++
		}
	}
	return n
}

// rows returns how many IDs were ever used.
func (d *database) rows() (n int) {
	for id := d.region.ids.First; id <= d.top; id++ {
		if _, found := d.memory.Row(namespace, id); found {
			n++
		}
	}
	return n
}
