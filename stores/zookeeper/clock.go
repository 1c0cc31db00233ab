package zookeeper

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/worker"
)

// A reading is a write by which the leader tells its time: the reply has that of the write.
type reading struct {
	asked, answered time.Time // by this process's clock
	leader          time.Time // in whole milliseconds, cut off
	err             error     // of the client library
}

// ask is a request for together.
func (d *driver) ask(path string, r *reading) func() {
	return func() {
		r.asked = d.now()
		stat, err := d.conn.Set(path, nil, -1)
		r.answered, r.err = d.now(), err
		if err == nil {
			r.leader = time.UnixMilli(stat.Mtime)
		}
	}
}

// judge returns [worker.ErrClock] when this process's clock and the leader's are further apart
// than two clocks can be that both are off true time by ClockError at most.
func (d *driver) judge(r reading) error {
	apart := max(r.asked.Sub(r.leader)-time.Millisecond, r.leader.Sub(r.answered), 0)
	if apart <= 2*d.off {
		return nil
	}
	return fmt.Errorf("%w: this process's shows %s, that of ZooKeeper's leader %s, at least %v apart; with a "+
		"ClockError of %v it is %v at most", worker.ErrClock, r.answered.UTC().Format(time.RFC3339Nano),
		r.leader.UTC().Format("2006-01-02T15:04:05.000Z07:00"), apart.Round(time.Millisecond), d.off, 2*d.off)
}

// measured judges the clock by a reading that was asked for together with other things, or by a
// new one if the clock's node was missing.
func (d *driver) measured(ctx context.Context, path string, r reading) error {
	if r.err == zk.ErrNoNode {
		if err := d.make(ctx, path); err != nil {
			return err
		}
		r = reading{}
		if err := together(ctx, d.ask(path, &r)); err != nil {
			return err
		}
	}
	if r.err != nil {
		return failure("write", path, r.err)
	}
	return d.judge(r)
}
