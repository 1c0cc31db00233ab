package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/worker/lease"
)

// changes are the gets of a Take whose write is refused: what base reads, the row that was
// offered, and the revisions of the rows, without their values, that may be offered next.
func (l *Leases) changes(v view, offered known) []clientv3.Op {
	gets := append(l.base(), clientv3.OpGet(offered.key))
	for _, s := range v.spans {
		if n := int64(len(s.rows)); n > 0 && !offered.Fresh {
			gets = append(gets, clientv3.OpGet(s.rows[0].key, clientv3.WithRange(l.keys.after(s.rows[n-1].WorkerID)), clientv3.WithLimit(2*n), clientv3.WithKeysOnly()))
		}
	}
	return gets
}

// raced updates the view when a write was refused. r has read what changes returned.
func (l *Leases) raced(ctx context.Context, w lease.Wanted, v view, offered known, r read) (view, error) {
	now, err := l.view(r, w)
	if err != nil {
		return v, err
	}
	if now.ids != v.ids {
		return l.look(ctx, w)
	}
	v.read, v.space, v.top = now.read, now.space, now.top
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
	for _, s := range v.spans {
		for _, k := range s.rows {
			if is, found := revisions[k.key]; found && is != k.revision && k.WorkerID != offered.WorkerID {
				v.lost = append(v.lost, k.WorkerID)
			}
		}
	}
	return v, nil
}
