package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/worker/lease"
)

// changes are the gets of a Take whose write is refused: the namespace, the rows that are new, the
// row that was offered, and the revisions of those, without their values, that may be offered next.
func (l *Leases) changes(v view, offered known) []clientv3.Op {
	gets := []clientv3.Op{clientv3.OpGet(l.keys.namespace), l.rowsAbove(v.given, newest), clientv3.OpGet(offered.key)}
	for _, page := range v.pages {
		if n := len(page); n > 0 && offered.found() {
			gets = append(gets, clientv3.OpGet(page[0].key, clientv3.WithRange(l.keys.after(page[n-1].WorkerID)),
				clientv3.WithLimit(int64(2*n)), clientv3.WithKeysOnly()))
		}
	}
	return gets
}

// raced updates the view when a write was refused. r has read what changes returned.
func (l *Leases) raced(ctx context.Context, w lease.Wanted, v view, offered known, r read) (view, error) {
	if r.one(2, offered.key).revision != offered.revision {
		v.losses++
		v.lost = append(v.lost, offered.WorkerID)
	}
	revisions := map[string]int64{}
	for _, page := range r.responses[3:] {
		for _, kv := range page.Kvs {
			revisions[string(kv.Key)] = kv.ModRevision
		}
	}
	for _, page := range v.pages {
		for _, k := range page {
			if is, found := revisions[k.key]; found && is != k.revision && k.WorkerID != offered.WorkerID {
				v.lost = append(v.lost, k.WorkerID)
			}
		}
	}
	return l.more(ctx, w, v, r)
}

// more takes in a read of the namespace and of its newest rows.
func (l *Leases) more(ctx context.Context, w lease.Wanted, v view, r read) (view, error) {
	now, err := l.view(r, w)
	if err != nil {
		return v, err
	}
	if now.ids != v.ids {
		return l.look(ctx, w)
	}
	v.read, v.space, v.given = now.read, now.space, max(v.given, now.given)
	v.ends = !r.responses[1].More
	v.all = v.all && v.ends
	return v, l.add(&v, 1)
}
