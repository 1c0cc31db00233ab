package etcd

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// Leases is a namespace of leased IDs, and a [lease.Store]. Make it with [Store.Leases]. All
// methods may be called by any number of goroutines at once.
type Leases struct {
	store     *Store
	namespace string
	keys      keys
}

var _ lease.Store = (*Leases)(nil)

// Durable implements [lease.Store]: it is true, since etcd answers a write when a majority of the
// members has it on disk. The package's comment says what breaks that.
func (l *Leases) Durable() bool { return true }

// Name returns the namespace and the prefix: namespace "orders" of etcd below uid/.
func (l *Leases) Name() string {
	return fmt.Sprintf("namespace %q of etcd below %s", l.namespace, l.store.cfg.Prefix)
}

// Namespace returns the namespace's name.
func (l *Leases) Namespace() string { return l.namespace }

// missing returns the error of a namespace that has no key of its own.
func (l *Leases) missing() error {
	return fmt.Errorf("%w: etcd has no key %s", worker.ErrNoNamespace, l.keys.namespace)
}

// Take implements [lease.Store]. It takes two requests, and one more each time that another
// client has been faster.
//
// Of a namespace that has more than 256 rows in the range it looks at a sample: the 256 of the
// lowest IDs, and up to 16 from a random place in each octave above. It offers the one of these
// that has been over for longest, or else a new ID. Only when there is none does it read on, in
// pages from a random place, until it finds one.
func (l *Leases) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	const doing = "lease an ID"
	v, err := l.look(ctx, w)
	if err != nil {
		return err
	}
	for {
		now := l.store.clock()
		free, err := l.choose(&v, w, now)
		if err == errUnknown {
			v, err = l.lookOn(ctx, w, v)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		n, row := v.namespace(), free.Row
		if err := decide(&n, &row, now); err != nil {
			return err
		}
		put, err := l.putRow(free.WorkerID, row)
		if err != nil {
			return err
		}
		puts := []clientv3.Op{put}
		if n.Given = v.given; !free.found() {
			n.Given = free.last
			for id := free.WorkerID + 1; id <= free.last; id++ {
				put, err := l.putRow(id, lease.NewRow(id))
				if err != nil {
					return err
				}
				puts = append(puts, put)
			}
		}
		if n != v.space.Namespace {
			put, err := l.put(n, v.cluster)
			if err != nil {
				return err
			}
			puts = append(puts, put)
		}
		r, stored, err := l.store.write(ctx, doing, v.read, []record{v.space.record, free.record}, puts, l.changes(v, free))
		if err != nil || stored {
			return err
		}
		if v, err = l.raced(ctx, w, v, free, r); err != nil {
			return err
		}
	}
}

// Change implements [lease.Store]. It takes two requests, and one more each time that another
// client has been faster.
func (l *Leases) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	const doing = "change a lease"
	key := l.keys.worker(max(id, 0))
	gets := []clientv3.Op{clientv3.OpGet(l.keys.namespace), clientv3.OpGet(key)}
	r, err := l.store.get(ctx, doing, gets...)
	for {
		if err != nil {
			return err
		}
		n, err := l.space(r, 0)
		if err != nil {
			return err
		}
		if err := l.fits(r, n); err != nil {
			return err
		}
		was := r.one(1, key)
		if !was.found() || id < 0 {
			if n.Fresh {
				return l.missing()
			}
			if err := decide(nil, l.store.clock()); err != nil {
				return err
			}
			return fmt.Errorf("%w: worker ID %d has no row that could be changed", worker.ErrUnconfirmed, id)
		}
		row, err := decodeRow(key, id, was.data)
		if err != nil {
			return err
		}
		if err := decide(&row, l.store.clock()); err != nil {
			return err
		}
		put, err := l.putRow(id, row)
		if err != nil {
			return err
		}
		now, stored, err := l.store.write(ctx, doing, r, []record{n.record, was}, []clientv3.Op{put}, gets)
		if err != nil || stored {
			return err
		}
		r = now
	}
}

// Init implements [lease.Store]. It takes three requests. If the namespace is missing and rows of a
// former one are left, it reads them all.
func (l *Leases) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	const doing = "make a namespace"
	gets := []clientv3.Op{clientv3.OpGet(l.keys.namespace)}
	r, err := l.store.get(ctx, doing, gets...)
	for {
		if err != nil {
			return err
		}
		was, err := l.space(r, 0)
		if err != nil {
			return err
		}
		if err := l.fits(r, was); err != nil {
			return err
		}
		// The namespace's own key may have been deleted or put back alone, with owners at work.
		top, reach, err := l.left(ctx, was.Given)
		if err != nil {
			return err
		}
		n := was.Namespace
		if n.Given = top; n.Fresh {
			n.Reach = reach
		}
		if err := decide(&n, l.store.clock()); err != nil {
			return err
		}
		n.Given = top
		if n == was.Namespace && !was.Fresh {
			return nil
		}
		put, err := l.put(n, r.cluster)
		if err != nil {
			return err
		}
		now, stored, err := l.store.write(ctx, doing, r, []record{was.record}, []clientv3.Op{put}, gets)
		if err != nil || stored {
			return err
		}
		r = now
	}
}
