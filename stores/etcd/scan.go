package etcd

import (
	"context"
	"math/rand/v2"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/worker/lease"
)

// lookOn reads more when a view shows no free ID: if others have got them, as much as the first
// time; else all rows, in pages from a random place, up to the first that has one.
func (l *Leases) lookOn(ctx context.Context, w lease.Wanted, v view) (view, error) {
	if len(v.lost) > 0 {
		now, err := l.look(ctx, w)
		now.losses = v.losses
		return now, err
	}
	ids, losses := v.ids, v.losses
	start := ids.First + rand.Int64N(max(min(v.top, ids.Last), ids.First)-ids.First+1)
	var over []known
	var first time.Time
	for _, part := range []lease.Range{{First: start, Last: ids.Last}, {First: ids.First, Last: start - 1}} {
		for part.First <= part.Last {
			r, err := l.store.get(ctx, "look for a free ID", append(l.base(), l.rowsOf(part, page))...)
			if err != nil {
				return v, err
			}
			if v, err = l.view(r, w); err != nil {
				return v, err
			}
			if v.losses = losses; v.ids != ids {
				return l.look(ctx, w)
			}
			if err := l.addSpan(&v, 2, part); err != nil {
				return v, err
			}
			now := l.store.clock()
			if _, err := v.choose(w, now); err == nil {
				return v, nil
			}
			for _, k := range v.spans[0].rows {
				if first.IsZero() || k.Until.Before(first) {
					first = k.Until
				}
				if k.Until.Add(w.Rest + now.Error).Before(now.Now) {
					over = append(over, k)
				}
			}
			if v.spans[0].Last == part.Last {
				break
			}
			part.First = v.spans[0].Last + 1
		}
	}
	v.spans, v.all, v.full, v.first = []span{{ids, over}}, true, true, first
	return v, nil
}

// left reads all rows, of a namespace whose own key is missing. It returns the highest ID, as it
// is kept, and the largest Reach.
func (l *Leases) left(ctx context.Context) (top string, reach time.Duration, err error) {
	top = noRow
	for from := l.keys.workers; ; {
		r, err := l.store.get(ctx, "read the rows that are left", clientv3.OpGet(from, clientv3.WithRange(l.keys.end()), clientv3.WithLimit(page)))
		if err != nil {
			return "", 0, err
		}
		rows, err := l.rows(r.responses[0].Kvs)
		if err != nil {
			return "", 0, err
		}
		for _, k := range rows {
			top, reach = number(k.WorkerID), max(reach, k.Reach)
		}
		if !r.responses[0].More {
			return top, reach, nil
		}
		from = l.keys.after(rows[len(rows)-1].WorkerID)
	}
}
