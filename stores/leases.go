package stores

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// leases is a namespace of leased IDs, and a [lease.Store]. All methods may
// be called by any number of goroutines at once.
type leases struct {
	driver Driver
	name   string
}

var _ lease.Store = (*leases)(nil)

// Durable implements [lease.Store].
func (l *leases) Durable() bool { return l.driver.Durable() }

// Name returns the namespace and its place: namespace "orders" of etcd below uid/.
func (l *leases) Name() string { return fmt.Sprintf("namespace %q of %s", l.name, l.driver.Name()) }

// Inspect implements [lease.Store].
func (l *leases) Inspect(ctx context.Context) (lossy []string, err error) {
	return inspect(ctx, l.driver, l.own(), func(own Record) error { _, err := l.parse(own); return err })
}

func inspect(ctx context.Context, d Driver, key string, check func(Record) error) (lossy []string, err error) {
	if i, is := d.(Inspector); is {
		return i.Inspect(ctx, key)
	}
	a, err := d.Read(ctx, Query{Keys: []string{key}})
	if err != nil {
		return nil, err
	}
	return nil, check(a.Records[0])
}

func (l *leases) own() string         { return Key{Namespace: l.name, ID: -1}.String() }
func (l *leases) row(id int64) string { return Key{Namespace: l.name, ID: id}.String() }

// rows are those from one ID to another.
func (l *leases) rows(first, last int64, most int) Range {
	return Range{l.row(first), l.row(last), most}
}

func (l *leases) parse(own Record) (storage.Namespace, error) {
	if own.Text == "" {
		return storage.Namespace{Given: -1, Floor: -1, Fresh: true}, nil
	}
	n, err := storage.ParseNamespace(own.Text)
	if err != nil {
		return n, unreadable(l.Name(), err)
	}
	return n, nil
}

func (l *leases) parseRow(r Record) (storage.Lease, error) {
	k, ok := ParseKey(r.Key)
	if !ok || k.Namespace != l.name || k.ID < 0 {
		return storage.Lease{}, unreadable(fmt.Sprintf("the key %.200q", r.Key),
			fmt.Errorf("its name does not end with the %d digits of a worker ID", digits))
	}
	if r.Bad != nil {
		return storage.Lease{}, r.Bad
	}
	row, err := storage.ParseLease(k.ID, r.Text)
	if err != nil {
		return row, unreadable(fmt.Sprintf("worker ID %d in %s", k.ID, l.Name()), err)
	}
	return row, nil
}

// unreadable is the final error of a text that this package has not written: nobody may use it before
// somebody has looked. It quotes nothing of it.
func unreadable(what string, err error) error {
	return fmt.Errorf("%w: %s cannot be read: %w", worker.ErrUnconfirmed, what, err)
}

// put returns the record that replaces another one: a namespace, if row is nil, or a row. No two are alike.
func put(was Record, n storage.Namespace, row *storage.Lease) (_ Record, err error) {
	if row == nil {
		was.Text, err = storage.NamespaceText(n, rand.Text())
	} else {
		was.Text, err = storage.LeaseText(*row, rand.Text())
	}
	return was, err
}

// same reports whether records are as they were, and may be used.
func same(were, are []Record) bool {
	return slices.EqualFunc(were, are, func(a, b Record) bool { return a.Text == b.Text && b.Bad == nil })
}

// has reports whether an answer to a refused Write shows that it was stored all the same: the client of a
// database may send a request twice, and the first one has refused the second then.
func (a *Answer) has(put Record) bool {
	return slices.ContainsFunc(a.Records, func(r Record) bool { return r.Key == put.Key && r.Text == put.Text })
}

// store carries out writes that were decided on an answer, one after another. Between them it reads what the next one
// compares: that has to be as it was, or as it was just put. Else, and when a write is refused, decide has to run
// again, on the answer that store returns.
func store(ctx context.Context, d Driver, a *Answer, writes []Write, q Query) (stored bool, now *Answer, err error) {
	for i, w := range writes {
		if w.Read, w.Otherwise = a, q; i > 0 {
			q.Newest = true
			if now, err = d.Read(ctx, q); err != nil || !same(w.Were, now.Records[:len(w.Were)]) {
				return false, now, err
			}
			w.Were = now.Records[:len(w.Were)]
			w.Puts[0].State = w.Were[len(w.Were)-1].State
		}
		stored, now, err = d.Write(ctx, w)
		if err == nil && !stored && now.Old && len(w.Puts) == 1 && same(w.Were, now.Records[:len(w.Were)]) {
			q.Newest = true // that is older than what refused it
			now, err = d.Read(ctx, q)
		}
		if err != nil || !stored && !now.has(w.Puts[0]) {
			return false, now, err
		}
	}
	return true, nil, nil
}

// update reads keys, decides, and writes, until nobody has written in between. decide returns how to store it,
// or nothing. It sees what is sure before its error counts.
func update(ctx context.Context, d Driver, q Query, decide func(*Answer) ([]Write, error)) error {
	var said refusals
	a, err := d.Read(ctx, q)
	for err == nil {
		writes, refused := decide(a)
		if a.Old && (refused != nil || len(writes) == 0) {
			final, was := said.hear(refused), a.Records
			q.Newest = true
			if a, err = d.Read(ctx, q); err == nil && refused != errOld && same(was, a.Records) {
				return final
			}
			continue
		}
		if refused != nil || len(writes) == 0 {
			return said.hear(refused)
		}
		stored, now, err := store(ctx, d, a, writes, q)
		if err != nil || stored {
			return err
		}
		a = now
	}
	return err
}

// byDecide is an error of decide, other than one of the store.
type byDecide struct{ error }

func told(err error) error {
	if err == nil {
		return nil
	}
	return byDecide{err}
}

// refusals remembers whether decide has ever refused.
type refusals bool

// hear returns the error of a call. If decide has refused, one of the store is not final: it may not be what
// decide said last.
func (r *refusals) hear(err error) error {
	if by, is := err.(byDecide); is {
		*r = true
		return by.error
	}
	if err != nil && bool(*r) {
		return worker.Transient(err)
	}
	return err
}

// errOld stands for an error of what may be old.
var errOld = errors.New("stores: what was read may be old")

// Change implements [lease.Store]. It takes two requests, two more if decide changes the namespace, and one more each
// time that another client has been faster.
func (l *leases) Change(ctx context.Context, id int64,
	decide func(*storage.Namespace, *storage.Lease, storage.Clock) error) error {
	q := Query{Keys: []string{l.own(), l.row(max(id, 0))}}
	return update(ctx, l.driver, q, func(a *Answer) ([]Write, error) {
		own, was := a.Records[0], a.Records[1]
		ns, err := l.usable(own, a)
		if err != nil {
			return nil, err
		}
		n := ns
		if was.Text == "" || id < 0 {
			if a.Old {
				return nil, errOld
			}
			if err := decide(&n, nil, storage.Clock(a.Clock)); err != nil {
				return nil, told(err)
			}
			return nil, fmt.Errorf("%w: worker ID %d has no row that could be changed", worker.ErrUnconfirmed, id)
		}
		row, err := l.parseRow(was)
		if err != nil {
			return nil, err
		}
		if err := decide(&n, &row, storage.Clock(a.Clock)); err != nil {
			return nil, told(err)
		}
		n.Given = ns.Given
		return writes(own, ns, n, was, row)
	})
}

// usable returns a namespace that is there and may be used.
func (l *leases) usable(own Record, a *Answer) (storage.Namespace, error) {
	n, err := l.parse(own)
	switch {
	case own.Bad != nil:
		return n, own.Bad
	case err == nil && n.Fresh && a.Old:
		return n, errOld
	case err == nil && n.Fresh:
		return n, fmt.Errorf("%w: there is no %s", worker.ErrNoNamespace, l.Name())
	}
	return n, err
}

// writes returns how to store what was decided about a namespace and a row, since a Driver need not write both at once.
// The namespace goes first, if it has changed: who has the row counts on what it says. With it go rows of new IDs,
// which nobody has leased yet. It does no harm if the row does not follow.
func writes(own Record, ns, n storage.Namespace, was Record, r storage.Lease, none ...Record) ([]Write, error) {
	first, then := Write{Were: []Record{own}}, Write{Were: []Record{own, was}}
	if was.Text != "" {
		first.Were = append(first.Were, was)
	}
	var err error
	if n != ns {
		then.Were[0], err = put(own, n, nil)
		first.Puts = append(first.Puts, then.Were[0])
	}
	for _, no := range none {
		k, _ := ParseKey(no.Key)
		fresh := storage.NewLease(k.ID)
		p, failed := put(no, n, &fresh)
		first.Were, first.Puts, err = append(first.Were, no), append(first.Puts, p), cmp.Or(err, failed)
		if p.Key == was.Key {
			then.Were[1] = p
		}
	}
	p, failed := put(then.Were[1], n, &r)
	if then.Puts = []Record{p}; len(first.Puts) == 0 {
		return []Write{then}, cmp.Or(err, failed)
	}
	return []Write{first, then}, cmp.Or(err, failed)
}

// Init implements [lease.Store]. It takes three requests. If the namespace is missing and rows of a former
// one are left, it reads them all.
func (l *leases) Init(ctx context.Context, decide func(*storage.Namespace, storage.Clock) error) error {
	q := Query{Keys: []string{l.own()}, Judge: true}
	return update(ctx, l.driver, q, func(a *Answer) ([]Write, error) {
		own := a.Records[0]
		was, err := l.parse(own)
		if own.Bad != nil || err != nil {
			return nil, cmp.Or(own.Bad, err)
		}
		if was.Fresh && a.Old {
			return nil, errOld
		}
		// The namespace's own key may have been deleted or put back alone, with owners at work.
		n := was
		if n.Given, err = l.top(ctx, was.Given); err != nil {
			return nil, err
		}
		top := n.Given
		if err := decide(&n, storage.Clock(a.Clock)); err != nil {
			return nil, told(err)
		}
		if n.Given = top; n == was && !was.Fresh {
			return nil, nil
		}
		p, err := put(own, n, nil)
		return []Write{{Were: a.Records, Puts: []Record{p}}}, err
	})
}

// page is how many rows are read at once by what reads all.
const page = 500

// top returns the highest worker ID that has a row, or given if none above that has one.
func (l *leases) top(ctx context.Context, given int64) (int64, error) {
	for given < math.MaxInt64 {
		a, err := l.driver.Read(ctx, Query{Ranges: []Range{l.rows(given+1, math.MaxInt64, page)}, Newest: true})
		if err != nil {
			return 0, err
		}
		for _, r := range a.Pages[0] {
			row, err := l.parseRow(r)
			if err != nil {
				return 0, err
			}
			given = row.WorkerID
		}
		if len(a.Pages[0]) < page {
			break
		}
	}
	return given, nil
}
