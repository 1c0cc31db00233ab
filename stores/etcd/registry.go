package etcd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// Namespaces implements [registry.Store]. It makes one request for each namespace, and reads no
// values.
func (s *Store) Namespaces(ctx context.Context) (names []string, now lease.Clock, err error) {
	dir := s.cfg.Prefix + leasesDir
	end := clientv3.GetPrefixRangeEnd(dir)
	for from := dir; ; {
		r, err := s.get(ctx, "list the namespaces", clientv3.OpGet(from, clientv3.WithRange(end), clientv3.WithLimit(1), clientv3.WithKeysOnly()))
		if err != nil {
			return nil, s.clock(), err
		}
		if len(r.responses[0].Kvs) == 0 {
			break
		}
		segment, _, _ := strings.Cut(strings.TrimPrefix(string(r.responses[0].Kvs[0].Key), dir), "/")
		if name, ok := nameOf(segment); ok {
			names = append(names, name)
		}
		from = clientv3.GetPrefixRangeEnd(dir + segment + "/")
	}
	if len(names) == 0 {
		return nil, s.clock(), fmt.Errorf("%w: etcd has no keys below %s", worker.ErrNoNamespace, dir)
	}
	slices.Sort(names)
	return names, s.clock(), nil
}

// Rows implements [registry.Store]. It makes one request.
func (s *Store) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	l, err := s.Leases(namespace)
	if err != nil {
		return registry.Page{}, err
	}
	r, err := s.get(ctx, "read the leases", l.page(above, most)...)
	if err != nil {
		return registry.Page{}, err
	}
	p, _, _, err := l.read(r)
	return p, err
}

// page gets the namespace and rows of IDs above one.
func (l *Leases) page(above int64, most int) []clientv3.Op {
	from := l.keys.workers
	if above >= 0 {
		from = l.keys.after(above)
	}
	return []clientv3.Op{clientv3.OpGet(l.keys.namespace), clientv3.OpGet(from, clientv3.WithRange(l.keys.end()), clientv3.WithLimit(int64(most)))}
}

// read reads what page has got.
func (l *Leases) read(r read) (p registry.Page, n space, rows []known, err error) {
	if n, err = l.space(r, 0); err != nil {
		return p, n, nil, err
	}
	if rows, err = l.rows(r.responses[1].Kvs); err != nil {
		return p, n, nil, err
	}
	p.Namespace, p.Clock = n.Namespace, l.store.clock()
	for _, k := range rows {
		p.Rows = append(p.Rows, k.Row)
	}
	return p, n, rows, nil
}

// mostDeletes is how many rows one transaction removes; etcd allows 128 operations by default.
const mostDeletes = 100

// Prune implements [registry.Store]. It reads rows in pages until it has found as many old ones as
// are wanted. It removes them in transactions of 100, the first of which raises the floor for all;
// if the namespace is written between two of them, the rest of the rows stays. Takes do not wait:
// those that have read the former floor are refused.
func (s *Store) Prune(ctx context.Context, namespace string, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) (removed []int64, err error) {
	l, err := s.Leases(namespace)
	if err != nil {
		return nil, err
	}
	for {
		p, n, rows, r, err := l.old(ctx, above, most, old)
		if err != nil {
			return nil, err
		}
		if err := l.fits(r, n); err != nil {
			return nil, err
		}
		ids, err := decide(p)
		if err != nil || n.Fresh {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, func(k known) bool { return !slices.Contains(ids, k.WorkerID) })
		removed, begun, err := l.remove(ctx, p, n, rows, r)
		if err != nil || begun || len(rows) == 0 {
			return removed, err
		}
	}
}

// old reads a page of rows whose leases have been over for longer than the time given.
func (l *Leases) old(ctx context.Context, above int64, most int, old time.Duration) (p registry.Page, n space, rows []known, r read, err error) {
	for {
		r, err = l.store.get(ctx, "read the leases", l.page(above, page)...)
		if err != nil {
			return p, n, nil, r, err
		}
		next, now, found, err := l.read(r)
		if err != nil {
			return p, n, nil, r, err
		}
		p.Namespace, p.Clock, n = next.Namespace, next.Clock, now
		for _, k := range found {
			if above = k.WorkerID; k.Until.Add(old+p.Clock.Error).Before(p.Clock.Now) && len(rows) < most {
				rows, p.Rows = append(rows, k), append(p.Rows, k.Row)
			}
		}
		if len(rows) >= most || !r.responses[1].More {
			return p, n, rows, r, nil
		}
	}
}

// remove deletes those of the rows that are still as they were read, as long as the namespace is,
// and raises its floor. Unless it has begun, nothing is removed.
func (l *Leases) remove(ctx context.Context, p registry.Page, n space, rows []known, r read) (removed []int64, begun bool, err error) {
	raised := n.Namespace
	for _, k := range rows {
		raised.Floor = max(raised.Floor, k.High)
	}
	for batch := range slices.Chunk(rows, mostDeletes) {
		var ops []clientv3.Op
		for _, k := range batch {
			ops = append(ops, clientv3.OpTxn(k.unchanged(), []clientv3.Op{clientv3.OpDelete(k.key)}, nil))
		}
		raises := raised.Floor > n.Floor
		if raises {
			raised.Renewed = p.Clock.Now
			put, err := l.put(raised, r.cluster)
			if err != nil {
				return nil, false, err
			}
			ops = append(ops, put)
		}
		now, stored, err := l.store.write(ctx, "remove leases", r, []record{n.record}, ops, []clientv3.Op{clientv3.OpGet(l.keys.namespace)})
		if err != nil || !stored {
			return removed, begun, err
		}
		begun = true
		for i, k := range batch {
			if now.done[i] {
				removed = append(removed, k.WorkerID)
			}
		}
		if raises {
			n.Namespace, n.data, n.revision = raised, ops[len(ops)-1].ValueBytes(), now.revision
		}
	}
	return removed, begun, nil
}
