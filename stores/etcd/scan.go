package etcd

import (
	"context"
	"math/rand/v2"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/worker/lease"
)

// lookOn reads more when a view shows no free ID: the newest rows; then, if others have got some, as
// much as the first time; else all rows, in pages from a random place, up to the first that has one.
func (l *Leases) lookOn(ctx context.Context, w lease.Wanted, v view) (view, error) {
	if !v.all && !v.ends {
		above := lease.Range{First: max(min(v.given, v.ids.Last)-newest+1, v.ids.First), Last: v.ids.Last}
		r, err := l.store.get(ctx, "look for a free ID", clientv3.OpGet(l.keys.namespace), l.rowsOf(above, 2*newest))
		if err != nil {
			return v, err
		}
		return l.more(ctx, w, v, r)
	}
	if len(v.lost) > 0 {
		now, err := l.look(ctx, w)
		now.losses = v.losses
		return now, err
	}
	ids, losses := v.ids, v.losses
	start := ids.First + rand.Int64N(max(min(v.given, ids.Last), ids.First)-ids.First+1)
	var over []known
	var first time.Time
	var have []int64
	for _, part := range []lease.Range{{First: start, Last: ids.Last}, {First: ids.First, Last: start - 1}} {
		for more := true; more && part.First <= part.Last; {
			r, err := l.store.get(ctx, "look for a free ID", clientv3.OpGet(l.keys.namespace), l.rowsOf(part, page))
			if err != nil {
				return v, err
			}
			if v, err = l.view(r, w); err != nil {
				return v, err
			}
			if v.losses, v.ends = losses, true; v.ids != ids {
				return l.look(ctx, w)
			}
			if err := l.add(&v, 1); err != nil {
				return v, err
			}
			now := l.store.clock()
			if _, err := l.choose(&v, w, now); err == nil {
				return v, nil
			}
			for _, k := range v.pages[0] {
				if k.Until.Add(w.Rest + now.Error).Before(now.Now) {
					over = append(over, k)
				} else if have = append(have, k.WorkerID); first.IsZero() || k.Until.Before(first) {
					first = k.Until
				}
				part.First = k.WorkerID + 1
			}
			more = r.responses[1].More
		}
	}
	v.pages, v.all, v.first, v.have = [][]known{over}, true, first, have
	return v, nil
}

// left reads all rows above the highest ID that a namespace says it has given. It returns the
// highest there is, and the largest Reach.
func (l *Leases) left(ctx context.Context, given int64) (top int64, reach time.Duration, err error) {
	for top = given; ; {
		r, err := l.store.get(ctx, "read the rows that are left", l.rowsAbove(top, page))
		if err != nil {
			return 0, 0, err
		}
		rows, err := l.rows(r.responses[0].Kvs)
		if err != nil {
			return 0, 0, err
		}
		for _, k := range rows {
			top, reach = k.WorkerID, max(reach, k.Reach)
		}
		if !r.responses[0].More {
			return top, reach, nil
		}
	}
}
