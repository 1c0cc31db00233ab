package stores

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

const (
	// lowest is how many rows a Take reads from the lowest ID on, where there are no blocks. In a namespace that has no
	// more, it knows them all.
	lowest = 256
	// newest is how many of the rows with the highest IDs it reads before it makes new ones: at most
	// as many are made at once, and others may have left some of theirs.
	newest = 100
	// runs is how many runs of so many rows it reads at random in between.
	runs, run = 8, 16
)

// A known row is one as it was read, or a new one.
type known struct {
	Record
	storage.Lease
	last int64 // of a new one: the last ID whose row is made with it
}

// A view is what a Take knows of the namespace.
type view struct {
	*leases
	wanted storage.Wanted
	query  Query
	answer *Answer // to the query: the newest one
	block  int64   // of a Driver that has them: how many rows one is
	newest bool    // what is read has to be
	lags   bool    // some of it may not have been

	own   Record
	ns    storage.Namespace // as it is stored
	ids   lease.Range       // to choose from
	given int64             // the highest ID that the namespace says, or of a row that was used
	rows  map[int64]known   // those that were read, there or not
	fresh map[int64]bool    // those of the last answer

	spare  []known // usable rows, when one was last chosen
	full   bool    // no row that was read at random was free
	next   int64   // the last of the rows that a refused write looked for
	put    string  // the text of the row that was made or chosen last
	losses int     // how often another client has been faster
}

// unanswered is an error of the Driver, other than one of what it has read.
type unanswered struct{ error }

// read reads the namespace, and more.
func (v *view) read(ctx context.Context, q Query) error {
	a, err := v.driver.Read(ctx, q)
	if err != nil {
		return unanswered{err}
	}
	v.query, v.answer = q, a
	if err := v.take(); err != nil || !v.answer.Old || q.Newest {
		return err
	}
	for id := range v.fresh {
		if _, known := v.rows[id]; !known {
			q.Newest = true
			return v.read(ctx, q)
		}
	}
	return nil
}

// first reads the namespace and enough rows for most Takes.
func (v *view) first() Query { return v.with(v.span(v.ids.First, v.lowest())) }

// lowest is how many rows a Take reads from the lowest ID on.
func (v *view) lowest() int64 { return cmp.Or(v.block, lowest) }

// some returns a block at random of those up to Given.
func (v *view) some() Range {
	first, last := v.ids.First/v.block, min(v.given, v.ids.Last)/v.block
	from := max((first+rand.Int64N(last-first+1))*v.block, v.ids.First)
	return v.span(from, v.block-from%v.block)
}

// with reads the namespace, and ranges.
func (v *view) with(ranges ...Range) Query {
	return Query{Keys: []string{v.leases.own()}, Ranges: ranges, Newest: v.newest, Judge: true}
}

// look begins a view.
func (v *view) look(ctx context.Context) error {
	v.ids = v.wanted.IDs
	v.forget()
	for {
		ids := v.ids
		err := v.read(ctx, v.first())
		if err == nil && v.block > 0 && min(v.given, v.ids.Last)-v.ids.First >= v.block {
			err = v.read(ctx, v.with(v.some()))
		}
		if err != nil || v.ids == ids {
			return err
		}
	}
}

func (v *view) forget() {
	v.given, v.full = -1, false
	v.rows, v.fresh = map[int64]known{}, map[int64]bool{}
}

// take takes in the answer.
func (v *view) take() (err error) {
	a := v.answer
	v.lags = v.lags || a.Old
	v.own = a.Records[0]
	if v.ns, err = v.usable(v.own, a); err != nil {
		return err
	}
	ids, err := v.wanted.Within(v.ns)
	if err != nil {
		return err
	}
	if v.ids != ids {
		v.ids = ids
		v.forget()
	}
	v.given = max(v.given, v.ns.Given)
	clear(v.fresh)
	for _, page := range append([][]Record{a.Records[1:]}, a.Pages...) {
		for _, r := range page {
			if err := v.add(r); err != nil {
				return err
			}
		}
	}
	for _, r := range v.query.Ranges {
		first, _ := ParseKey(r.First)
		last, _ := ParseKey(r.Last)
		for id := first.ID; id <= last.ID; id++ {
			if !v.fresh[id] {
				delete(v.rows, id)
				v.rows[id], v.fresh[id] = v.known(id), true
			}
		}
	}
	for id, k := range v.rows {
		if k.Text == "" && id <= v.given && (a.Old || !v.fresh[id]) {
			// Somebody may have made it since it was read, and before what says that it was given.
			delete(v.rows, id)
		}
	}
	return nil
}

// add takes in a row that was read.
func (v *view) add(r Record) error {
	k, _ := ParseKey(r.Key)
	is := v.known(k.ID)
	switch {
	case r.Text == "":
		is = known{Lease: storage.NewLease(k.ID)}
	case r.Text != is.Text:
		row, err := v.parseRow(r)
		if err != nil {
			return err
		}
		is.Lease = row
	}
	if r.Text != "" && !is.Unused() { // else somebody is making it, and then raises Given
		v.given = max(v.given, k.ID)
	}
	is.Record = r
	v.rows[k.ID], v.fresh[k.ID] = is, true
	return nil
}

// known returns what is known of a row; one that was not read is not there.
func (v *view) known(id int64) known {
	if k, read := v.rows[id]; read {
		return k
	}
	return known{Record: Record{Key: v.row(id)}, Lease: storage.NewLease(id)}
}

// span is n rows from an ID on, as far as they are to be chosen from.
func (v *view) span(from, n int64) Range {
	n = min(n-1, v.ids.Last-from)
	return v.leases.rows(from, from+n, int(n)+1)
}

// namespace returns the namespace for decide.
func (v *view) namespace() storage.Namespace {
	n := v.ns
	n.Given = v.given
	return n
}

// newIDs returns the IDs whose rows are made at once. Where others were faster many are starting: they need more.
func (v *view) newIDs() (ids lease.Range, some bool) {
	ids, some = v.namespace().NewIDs(v.ids)
	if some && v.losses > 0 {
		ids.Last = ids.First + min(newest, max((v.ids.Last-ids.First)/4, 1)) - 1
	}
	return ids, some
}

// free returns the row to offer. It may read more.
func (v *view) free(ctx context.Context) (known, error) {
	for {
		usable, over := v.over()
		v.spare = usable
		there := lease.Range{First: v.ids.First, Last: min(v.given, v.ids.Last)}
		many, all := there.Last-there.First >= v.lowest(), true
		for id := there.First; id <= there.Last && !many && all; id++ {
			_, all = v.rows[id]
		}
		all = all && !many
		ids, some := v.newIDs()
		var err error
		switch {
		case len(usable) > 0 && (all || many):
			return v.draw(usable), nil
		case some && (all || v.full):
			k := v.known(ids.First)
			k.last = ids.Last
			return k, nil
		case all && len(over) > 0:
			return v.draw(over), nil
		case all:
			return known{}, v.noneFree(v.there())
		case !many:
			err = v.read(ctx, v.first())
		case !v.full:
			err = v.read(ctx, v.sample(there))
			usable, _ = v.over()
			v.full = len(usable) == 0
		default:
			return v.scan(ctx, there)
		}
		if err != nil {
			return known{}, err
		}
	}
}

// sample reads the newest rows, and some at random.
func (v *view) sample(of lease.Range) Query {
	if v.block > 0 {
		return v.with(v.span(of.Last-of.Last%v.block, v.block), v.some(), v.some())
	}
	q := v.with(v.span(of.Last-newest+1, newest))
	for range runs {
		q.Ranges = append(q.Ranges, v.span(of.First+rand.Int64N(of.Last-newest-of.First), run))
	}
	return q
}

// over returns the rows whose leases have been over for long enough; usable ones have no ticks too far ahead.
func (v *view) over() (usable, over []known) {
	now := v.answer.Clock
	highest, before := v.wanted.Highest(now.Now), now.Now.Add(-v.wanted.Rest-now.Error)
	for id, k := range v.rows {
		if k.Text == "" || id > v.given || !v.ids.Has(id) || !k.Until.Before(before) {
			continue
		}
		if over = append(over, k); k.High <= highest {
			usable = append(usable, k)
		}
	}
	return usable, over
}

// draw returns the row whose lease has been over for longest. Where others have been faster, or there are many blocks,
// it is any of those that were read last, since many may be at it.
func (v *view) draw(rows []known) known {
	if v.losses == 0 && (v.block == 0 || min(v.given, v.ids.Last)-v.ids.First < v.block) {
		return slices.MinFunc(rows, func(a, b known) int {
			return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.WorkerID, b.WorkerID))
		})
	}
	stale := func(k known) bool { return !v.fresh[k.WorkerID] }
	if fresh := slices.DeleteFunc(slices.Clone(rows), stale); len(fresh) > 0 {
		rows = fresh
	}
	return rows[rand.IntN(len(rows))]
}

// there returns the IDs of the rows that were read and are there, and when the first of their leases ends.
func (v *view) there() (ids []int64, end time.Time) {
	for id, k := range v.rows {
		if k.Text == "" {
			continue
		}
		if ids = append(ids, id); v.ids.Has(id) && (end.IsZero() || k.Until.Before(end)) {
			end = k.Until
		}
	}
	return ids, end
}

func (v *view) noneFree(have []int64, first time.Time) error {
	if !first.IsZero() {
		first = first.Add(v.wanted.Rest + v.answer.Clock.Error)
	}
	slices.Sort(have)
	return storage.NoneFree(v.ids, first, v.namespace().Missing(v.ids, have))
}

// scan reads all rows, in pages from a random place, up to the first that has one that is usable.
func (v *view) scan(ctx context.Context, of lease.Range) (known, error) {
	start := of.First + rand.Int64N(of.Last-of.First+1)
	var resort []known
	var first time.Time
	var have []int64
	for _, part := range []lease.Range{{First: start, Last: of.Last}, {First: of.First, Last: start - 1}} {
		for from := part.First; from <= part.Last; from += page {
			v.rows = map[int64]known{}
			ids := v.ids
			if err := v.read(ctx, v.with(v.span(from, min(page, part.Last-from+1)))); err != nil {
				return known{}, err
			}
			if v.ids != ids {
				return v.free(ctx)
			}
			usable, over := v.over()
			if v.spare = usable; len(usable) > 0 {
				return v.draw(usable), nil
			}
			read, end := v.there()
			resort, have = append(resort, over...), append(have, read...)
			if first.IsZero() || !end.IsZero() && end.Before(first) {
				first = end
			}
		}
	}
	if len(resort) > 0 {
		return v.draw(resort), nil
	}
	return known{}, v.noneFree(have, first)
}
