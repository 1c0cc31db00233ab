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
func (l *Leases) ask(r *reading) func() {
	return func() {
		r.asked = l.now()
		stat, err := l.conn.Set(l.path+"/"+clockName, nil, -1)
		r.answered, r.err = l.now(), err
		if err == nil {
			r.leader = time.UnixMilli(stat.Mtime)
		}
	}
}

// judge returns [worker.ErrClock] when this process's clock and the leader's are further apart
// than two clocks can be that both are off true time by ClockError at most.
func (l *Leases) judge(r reading) error {
	apart := max(r.asked.Sub(r.leader)-time.Millisecond, r.leader.Sub(r.answered), 0)
	if apart <= 2*l.off {
		return nil
	}
	return fmt.Errorf("%w: this process's shows %s, that of ZooKeeper's leader %s, at least %v apart; with a ClockError of %v it is %v at most",
		worker.ErrClock, r.answered.UTC().Format(time.RFC3339Nano), r.leader.UTC().Format("2006-01-02T15:04:05.000Z07:00"), apart.Round(time.Millisecond), l.off, 2*l.off)
}

// measured judges the clock by a reading that was asked for together with other things, or by a
// new one if the clock's node was missing.
func (l *Leases) measured(ctx context.Context, r reading) error {
	path := l.path + "/" + clockName
	if r.err == zk.ErrNoNode {
		if err := l.make(ctx, path); err != nil {
			return err
		}
		r = reading{}
		if err := together(ctx, l.ask(&r)); err != nil {
			return err
		}
	}
	if r.err != nil {
		return failure("write", path, r.err)
	}
	return l.judge(r)
}

// make makes an empty node, if it is missing. Its parent is there.
func (s *Store) make(ctx context.Context, path string) error {
	var err error
	if ended := together(ctx, func() { _, err = s.conn.Create(path, nil, 0, s.acl) }); ended != nil {
		return ended
	}
	if err == nil || err == zk.ErrNodeExists {
		return nil
	}
	return failure("make", path, err)
}
