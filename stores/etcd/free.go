package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/worker/lease"
)

const (
	// firstPage is how many rows a Take reads from the lowest ID on. In a namespace that has no
	// more, it knows them all.
	firstPage = 256
	// sample is how many rows it reads in each octave above.
	sample = 16
	// page is how many rows are read at once by what reads all.
	page = 500
	// newest is how many of the rows with the highest IDs it reads before it makes new ones: at most
	// as many are made at once, and others may have left some of theirs.
	newest = 100
)

// A known row is one as it was read, or a new one.
type known struct {
	record
	lease.Row
	last int64 // of a new one: the last ID whose row is made with it
}

// A view is what a Take knows of the namespace.
type view struct {
	read
	space space
	ids   lease.Range // to choose from
	given int64       // the highest ID that the namespace says, or that was read
	pages [][]known   // rows of these IDs, each page in ascending order
	all   bool        // there are no other rows, but for those that nobody can take
	ends  bool        // the newest rows are among them
	first time.Time   // the earliest end of a lease of those that are not in the pages
	have  []int64     // their IDs

	losses int     // how often another client has been faster
	lost   []int64 // the IDs that it has got since the rows were read
}

// errUnknown says that the view shows no ID that is free, and that there may be one.
var errUnknown = errors.New("the rows that were read have no free ID")

// rowsOf gets the rows of a range.
func (l *Leases) rowsOf(ids lease.Range, most int64) clientv3.Op {
	return clientv3.OpGet(l.keys.worker(ids.First), clientv3.WithRange(l.keys.after(ids.Last)), clientv3.WithLimit(most))
}

// rowsAbove gets the next rows above an ID, or the first ones above -1.
func (l *Leases) rowsAbove(id int64, most int) clientv3.Op {
	from := l.keys.workers
	if id >= 0 {
		from = l.keys.after(id)
	}
	return clientv3.OpGet(from, clientv3.WithRange(l.keys.end()), clientv3.WithLimit(int64(most)))
}

// octaves returns a random range in each octave above the first page: of the IDs that lie one to
// two pages above the first ID, two to four, four to eight.
func octaves(ids lease.Range) (all []lease.Range) {
	for size := int64(firstPage); size > 0 && size <= ids.Last-ids.First; size *= 2 {
		n := min(size, ids.Last-ids.First-size+1)
		all = append(all, lease.Range{First: ids.First + size + rand.Int64N(n), Last: ids.First + size + n - 1})
	}
	return all
}

// look reads the namespace and enough rows for most Takes, in one request.
func (l *Leases) look(ctx context.Context, w lease.Wanted) (view, error) {
	for ids := w.IDs; ; {
		if ids.First < 0 || ids.First > ids.Last {
			return view{}, fmt.Errorf("etcd: no worker IDs are wanted: %d to %d", ids.First, ids.Last)
		}
		gets := []clientv3.Op{clientv3.OpGet(l.keys.namespace), l.rowsOf(ids, firstPage)}
		for _, r := range octaves(ids) {
			gets = append(gets, l.rowsOf(r, sample))
		}
		r, err := l.store.get(ctx, "look for a free ID", gets...)
		if err != nil {
			return view{}, err
		}
		v, err := l.view(r, w)
		if err != nil {
			return view{}, err
		}
		v.all = !r.responses[1].More
		if !v.all && v.ids != ids {
			ids = v.ids // a range of its own: sample that
			continue
		}
		for i := range r.responses[1:] {
			if v.all && i > 0 {
				break
			}
			if err := l.add(&v, i+1); err != nil {
				return view{}, err
			}
		}
		return v, nil
	}
}

// view begins a view with the namespace, which the first get has read.
func (l *Leases) view(r read, w lease.Wanted) (v view, err error) {
	v.read = r
	if v.space, err = l.space(r, 0); err != nil {
		return v, err
	}
	if err := l.fits(r, v.space); err != nil {
		return v, err
	}
	if v.space.Fresh {
		return v, l.missing()
	}
	v.given = v.space.Given
	v.ids, err = w.Within(v.space.Namespace)
	return v, err
}

// rows reads the rows that a get has found.
func (l *Leases) rows(kvs []*mvccpb.KeyValue) (all []known, err error) {
	for _, kv := range kvs {
		key := string(kv.Key)
		id, err := l.keys.workerID(key)
		if err != nil {
			return nil, err
		}
		row, err := decodeRow(key, id, kv.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, known{record: recordOf(kv), Row: row})
	}
	return all, nil
}

// add adds the rows that the i-th get has read to the view, as far as it has their IDs.
func (l *Leases) add(v *view, i int) error {
	rows, err := l.rows(v.responses[i].Kvs)
	if err != nil {
		return err
	}
	for _, k := range rows {
		v.given = max(v.given, k.WorkerID)
	}
	rows = slices.DeleteFunc(rows, func(k known) bool { return k.WorkerID < v.ids.First || k.WorkerID > v.ids.Last })
	v.pages = append(v.pages, rows)
	return nil
}

// namespace returns the namespace for decide.
func (v *view) namespace() lease.Namespace {
	n := v.space.Namespace
	n.Given = v.given
	return n
}

// choose returns the row to offer. The more often a Take has lost, the more rows it draws from.
func (l *Leases) choose(v *view, w lease.Wanted, now lease.Clock) (known, error) {
	highest, rest := w.Highest(now.Now), w.Rest+now.Error
	var usable, over []known
	first := v.first
	for _, page := range v.pages {
		for _, k := range page {
			if slices.Contains(v.lost, k.WorkerID) {
				continue
			}
			if first.IsZero() || k.Until.Before(first) {
				first = k.Until
			}
			if !k.Until.Add(rest).Before(now.Now) {
				continue
			}
			if over = append(over, k); k.High <= highest {
				usable = append(usable, k)
			}
		}
	}
	if len(usable) > 0 {
		return v.draw(usable), nil
	}
	if ids, some := v.namespace().NewIDs(v.ids); some && (v.all || v.ends) {
		none := record{key: l.keys.worker(ids.First), end: l.keys.after(ids.Last)}
		return known{none, lease.NewRow(ids.First), ids.Last}, nil
	}
	switch {
	case !v.all || len(v.lost) > 0 && len(over) == 0:
		return known{}, errUnknown
	case len(over) > 0:
		return v.draw(over), nil
	case !first.IsZero():
		first = first.Add(rest)
	}
	have := slices.Clone(v.have)
	for _, page := range v.pages {
		for _, k := range page {
			have = append(have, k.WorkerID)
		}
	}
	slices.Sort(have)
	return known{}, lease.NoneFree(v.ids, first, v.namespace().Missing(v.ids, have))
}

// draw returns the row whose lease has been over for longest. Where others have been faster it is
// one of the next, since many may be at it: there are as many to choose from as rows that a crowd has
// made for itself.
func (v *view) draw(rows []known) known {
	slices.SortFunc(rows, func(a, b known) int {
		return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.WorkerID, b.WorkerID))
	})
	n := 1
	if v.losses > 0 {
		n = min(16<<min(v.losses, 16), len(rows))
	}
	return rows[rand.IntN(n)]
}
