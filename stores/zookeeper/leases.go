package zookeeper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// Leases is a namespace in a [Store], and a [lease.Store]. Make it with [Store.Leases]. All
// methods may be called by any number of goroutines at once.
type Leases struct {
	*Store
	namespace string
	path      string // of the namespace's node

	known atomic.Int64 // how many rows there were at the last Take, at most
}

var _ lease.Store = (*Leases)(nil)

// Durable implements [lease.Store]: it is true. A majority of the servers has a write on disk
// before it is acknowledged.
func (l *Leases) Durable() bool { return true }

// Name returns the namespace and its node: namespace "orders" of ZooKeeper node /uid/orders.
func (l *Leases) Name() string {
	return fmt.Sprintf("namespace %q of ZooKeeper node %s", l.namespace, l.path)
}

// Inspect implements [lease.Store]. A client cannot see what makes servers lose writes
// (forceSync=no, say), so that it returns none.
func (l *Leases) Inspect(ctx context.Context) (lossy []string, err error) {
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	var n node
	if err := together(ctx, l.get(l.path, &n)); err != nil {
		return nil, err
	}
	if n.err != nil || !n.made() {
		return nil, n.err
	}
	_, err = readNamespace(l.path, n.data)
	return nil, err
}

// write carries out all of the operations or none; see [Store.write].
func (l *Leases) write(ctx context.Context, ops ...any) (first int, err error) {
	return l.Store.write(ctx, l.path, ops...)
}

// Take implements [lease.Store]. It takes two round trips: one reads the namespace and those rows
// that are likely to be free, and has the leader tell its time; one writes. It takes another one when
// the rows that it guessed tell too little, and two more before it returns an error of decide, or of
// NoneFree.
//
// Of up to 256 rows it finds the one that has been over for longest. Of more it reads some at
// random, and takes a new ID when all of these are held; it reads all rows only when there is none.
//
// It returns [worker.ErrClock] before decide runs when the leader's clock says that this
// process's is off by more than ClockError.
func (l *Leases) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	lost := 0          // races, to other clients
	above := int64(-1) // the highest row, once one has stood in the way
	return l.transact(ctx, func(a attempt) error {
		s, err := l.survey(ctx, w, above)
		if err != nil {
			return err
		}
		free, now, err := s.free(ctx, w, lost)
		if err != nil {
			return err
		}
		if err := a.whole(); err != nil {
			return err
		}
		n, r := s.control, free.row
		n.Given = s.given
		if err := decide(&n, &r, now); err != nil {
			no := refused{err, true, []any{l.as(s.namespace)}, false}
			if free.node.found {
				no.checks = append(no.checks, l.rowAs(r.WorkerID, free.node.version))
			}
			return no
		}
		raced, err := l.store(ctx, s, n, r, free)
		switch {
		case err == nil && !free.node.found:
			l.known.Store(free.last + 1)
		case err != errRaced:
		case raced > 0 && !free.node.found:
			var children names
			if err := together(ctx, l.children(l.path, &children)); err != nil {
				return err
			}
			if children.err != nil {
				return children.err
			}
			above = children.top()
		case raced > 0 || !free.node.found:
			lost++
		}
		return err
	})
}

// store writes what a Take has decided.
func (l *Leases) store(ctx context.Context, s *survey, n lease.Namespace, r lease.Row, was found) (raced int, err error) {
	path := l.row(was.row.WorkerID)
	data, err := writeRow(path, r)
	if err != nil {
		return 0, err
	}
	ops := []any{l.as(s.namespace), &zk.SetDataRequest{Path: path, Data: data, Version: was.node.version}}
	if n.Given = s.given; !was.node.found {
		n.Given = was.last
		ops[1] = &zk.CreateRequest{Path: path, Data: data, Acl: l.acl}
		for id := was.row.WorkerID + 1; id <= was.last; id++ {
			data, err := writeRow(l.row(id), lease.NewRow(id))
			if err != nil {
				return 0, err
			}
			ops = append(ops, &zk.CreateRequest{Path: l.row(id), Data: data, Acl: l.acl})
		}
	}
	if n != s.control {
		changed, err := writeNamespace(l.path, n)
		if err != nil {
			return 0, err
		}
		ops[0] = &zk.SetDataRequest{Path: l.path, Data: changed, Version: s.namespace.version}
	}
	return l.write(ctx, ops...)
}

// Change implements [lease.Store]. It takes two round trips, and three more before it returns an
// error of decide. The write compares the version of the namespace, too: where all was removed and
// made anew, that of a row begins with 0 again.
//
// It does not judge the clock: an owner whose clock is wrong would lose its ID for that, and its
// row's High keeps others safe.
func (l *Leases) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	return l.transact(ctx, func(a attempt) error {
		var control, was node
		if err := together(ctx, l.get(l.path, &control), l.get(l.row(id), &was)); err != nil {
			return err
		}
		if err := cmp.Or(control.err, was.err); err != nil {
			return err
		}
		if err := a.whole(); err != nil {
			return err
		}
		now := l.clock()
		if !was.found {
			if !control.made() {
				return refused{l.missing(), false, nil, true}
			}
			if !a.sure { // an old state may lack it
				return refused{errRaced, false, nil, true}
			}
			if err := decide(nil, now); err != nil {
				return refused{err, true, []any{l.as(control)}, true}
			}
			return fmt.Errorf("%w: worker ID %d has no row that could be changed", worker.ErrUnconfirmed, id)
		}
		r, err := readRow(l.row(id), id, was.data)
		if err != nil {
			return err
		}
		if err := decide(&r, now); err != nil {
			return refused{err, true, []any{l.as(control), l.rowAs(id, was.version)}, false}
		}
		data, err := writeRow(l.row(id), r)
		if err != nil {
			return err
		}
		_, err = l.write(ctx, l.as(control), &zk.SetDataRequest{Path: l.row(id), Data: data, Version: was.version})
		return err
	})
}

// as is the condition that the namespace's node is as it was read.
func (l *Leases) as(n node) *zk.CheckVersionRequest {
	return &zk.CheckVersionRequest{Path: l.path, Version: n.version}
}

// rowAs is the condition that a row has the version that was read.
func (l *Leases) rowAs(id int64, version int32) *zk.CheckVersionRequest {
	return &zk.CheckVersionRequest{Path: l.row(id), Version: version}
}

// missing returns the error of a namespace that is not there.
func (l *Leases) missing() error {
	return fmt.Errorf("%w: node %s holds none", worker.ErrNoNamespace, l.path)
}

// Init implements [lease.Store]. It makes the namespace's node and those above it, with the ACL of
// the Config. It returns [worker.ErrClock] as Take does. It takes four round trips, and some more
// where a node is missing.
func (l *Leases) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	return l.transact(ctx, func(a attempt) error {
		var control node
		var leader reading
		if err := together(ctx, l.get(l.path, &control), l.ask(&leader)); err != nil {
			return err
		}
		if control.err != nil {
			return control.err
		}
		if control.found {
			if err := l.measured(ctx, leader); err != nil {
				return err
			}
		}
		// After the namespace, which whoever makes rows changes.
		var children names
		if err := together(ctx, l.children(l.path, &children)); err != nil {
			return err
		}
		if children.err != nil {
			return children.err
		}
		n, err := l.founded(ctx, control, children)
		if err != nil {
			return err
		}
		if err := a.whole(); err != nil {
			return err
		}
		given := n.Given
		if err := decide(&n, l.clock()); err != nil {
			no := refused{err, true, nil, true}
			if control.found {
				no.checks = []any{l.as(control)}
			}
			return no
		}
		n.Given = given
		if !control.found {
			if err := l.makeAll(ctx, l.path); err != nil {
				return err
			}
			if err := l.make(ctx, l.path+"/"+clockName); err != nil {
				return err
			}
			return errRaced // now with the leader's time
		}
		data, err := writeNamespace(l.path, n)
		if err != nil {
			return err
		}
		_, err = l.write(ctx, &zk.SetDataRequest{Path: l.path, Data: data, Version: control.version})
		return err
	})
}

// founded returns a namespace as Init has read it, its node first and then the list of its rows.
func (l *Leases) founded(ctx context.Context, control node, children names) (was lease.Namespace, err error) {
	if control.made() {
		was, err = readNamespace(l.path, control.data)
	} else {
		// Its data may have been lost alone, with owners at work.
		was = lease.Namespace{Given: -1, Floor: -1, Fresh: true}
		was.Reach, err = l.widest(ctx, children.ids())
	}
	was.Given = max(was.Given, children.top())
	return was, err
}

// widest returns the largest Reach of rows.
func (l *Leases) widest(ctx context.Context, ids []int64) (reach time.Duration, err error) {
	for part := range slices.Chunk(ids, batch) {
		nodes, err := l.getRows(ctx, part)
		if err != nil {
			return 0, err
		}
		for i, n := range nodes {
			if n.err != nil || !n.found {
				return 0, cmp.Or(n.err, errRaced)
			}
			r, err := readRow(l.row(part[i]), part[i], n.data)
			if err != nil {
				return 0, err
			}
			reach = max(reach, r.Reach)
		}
	}
	return reach, nil
}
