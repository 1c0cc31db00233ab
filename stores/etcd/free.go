package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
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
)

// A known row is one as it was read, or the Fresh one of an ID that has none.
type known struct {
	record
	lease.Row
}

// A span is a range of IDs whose rows are all known, in ascending order.
type span struct {
	lease.Range
	rows []known
}

// A view is what a Take knows of the namespace.
type view struct {
	read
	space space
	ids   lease.Range // to choose from
	top   int64       // no ID above has a row
	spans []span      // in ascending order, apart from each other
	all   bool        // the spans are all of the IDs
	full  bool        // no ID is without a row; rows that nobody can take are left out of the spans
	first time.Time   // when full: the earliest end of a lease
	keys  keys

	losses int     // how often another client has been faster
	lost   []int64 // the IDs that it has got since the rows were read
}

// errUnknown says that the view shows no ID that is free, and that there may be one.
var errUnknown = errors.New("the rows that were read have no free ID")

// base are the gets that each look begins with.
func (l *Leases) base() []clientv3.Op {
	return []clientv3.Op{clientv3.OpGet(l.keys.namespace), clientv3.OpGet(l.keys.top)}
}

// rowsOf gets the rows of a range.
func (l *Leases) rowsOf(ids lease.Range, most int64) clientv3.Op {
	return clientv3.OpGet(l.keys.worker(ids.First), clientv3.WithRange(l.keys.after(ids.Last)), clientv3.WithLimit(most))
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
		gets, ranges := append(l.base(), l.rowsOf(ids, firstPage)), octaves(ids)
		for _, r := range ranges {
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
		v.all = !r.responses[2].More
		if !v.all && v.ids != ids {
			ids = v.ids // a range of its own: sample that
			continue
		}
		for i, asked := range append([]lease.Range{ids}, ranges...) {
			if v.all && i > 0 {
				break
			}
			if err := l.addSpan(&v, i+2, asked); err != nil {
				return view{}, err
			}
		}
		return v, nil
	}
}

// view begins a view with what base has read.
func (l *Leases) view(r read, w lease.Wanted) (v view, err error) {
	v.read, v.keys = r, l.keys
	if v.space, err = l.space(r, 0); err != nil {
		return v, err
	}
	if err := l.fits(r, v.space); err != nil {
		return v, err
	}
	if v.space.Fresh {
		return v, l.missing()
	}
	if v.ids, err = w.Within(v.space.Namespace); err != nil {
		return v, err
	}
	top := r.one(1, l.keys.top)
	switch {
	case !top.found():
		return v, unreadable(l.keys.top, "it is not there, though the namespace is")
	case string(top.data) == noRow:
		v.top = -1
	default:
		v.top, err = strconv.ParseInt(string(top.data), 10, 64)
		if err != nil || number(v.top) != string(top.data) {
			return v, unreadable(l.keys.top, "it is not a number of 19 digits")
		}
	}
	return v, nil
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
		all = append(all, known{recordOf(kv), row})
	}
	return all, nil
}

// addSpan adds what the i-th get has read of a range to the view, as far as the view has these
// IDs and does not know them.
func (l *Leases) addSpan(v *view, i int, asked lease.Range) error {
	rows, err := l.rows(v.responses[i].Kvs)
	if err != nil {
		return err
	}
	s := span{asked, rows}
	if n := len(s.rows); v.responses[i].More && n > 0 {
		s.Last = s.rows[n-1].WorkerID
	}
	s.First, s.Last = max(s.First, v.ids.First), min(s.Last, v.ids.Last)
	if n := len(v.spans); n > 0 {
		s.First = max(s.First, v.spans[n-1].Last+1)
	}
	s.rows = slices.DeleteFunc(s.rows, func(k known) bool { return k.WorkerID < s.First || k.WorkerID > s.Last })
	if s.First <= s.Last {
		v.spans = append(v.spans, s)
	}
	return nil
}

// choose returns the row to offer. The more often a Take has lost, the more rows it draws from.
func (v *view) choose(w lease.Wanted, now lease.Clock) (known, error) {
	highest, rest := w.Highest(now.Now), w.Rest+now.Error
	var usable, over []known
	first := v.first
	for _, s := range v.spans {
		for _, k := range s.rows {
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
	if id, found := v.unused(); found {
		return known{record{key: v.keys.worker(id)}, lease.Row{WorkerID: id, High: -1, Fresh: true}}, nil
	}
	switch {
	case !v.all || len(v.lost) > 0 && len(over) == 0:
		return known{}, errUnknown
	case len(over) > 0:
		return v.draw(over), nil
	}
	return known{}, lease.NoneFree(v.ids, first.Add(rest))
}

// spread is from how many IDs a Take draws: 1, 2, 4 and so on.
func (v *view) spread() int64 { return 1 << min(v.losses, 20) }

// draw returns the row whose lease has been over for longest, or after a loss one of the next.
func (v *view) draw(rows []known) known {
	slices.SortFunc(rows, func(a, b known) int { return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.WorkerID, b.WorkerID)) })
	return rows[rand.Int64N(min(v.spread(), int64(len(rows))))]
}

// unused returns an ID that has no row: above all, or in a gap.
func (v *view) unused() (id int64, found bool) {
	if v.full {
		return 0, false
	}
	above := v.ids.First - 1
	for _, s := range v.spans {
		if n := len(s.rows); n > 0 {
			above = max(above, s.rows[n-1].WorkerID)
		}
	}
	if !v.all || len(v.lost) > 0 && v.top <= v.ids.Last {
		above = max(above, v.top)
	}
	for _, id := range v.lost {
		above = max(above, id)
	}
	if above < v.ids.Last {
		return above + 1 + rand.Int64N(min(v.spread(), v.ids.Last-above)), true
	}
	var gaps []int64
	for _, s := range v.spans {
		gaps = s.gaps(gaps, v.spread())
	}
	gaps = slices.DeleteFunc(gaps, func(id int64) bool { return slices.Contains(v.lost, id) })
	if len(gaps) == 0 {
		return 0, false
	}
	return gaps[rand.IntN(len(gaps))], true
}

// gaps appends IDs of the span that have no row, until there are most.
func (s span) gaps(all []int64, most int64) []int64 {
	rows := s.rows
	for id := s.First; id <= s.Last && int64(len(all)) < most; id++ {
		if len(rows) > 0 && rows[0].WorkerID == id {
			rows = rows[1:]
			continue
		}
		all = append(all, id)
	}
	return all
}
