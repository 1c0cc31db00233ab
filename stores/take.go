package stores

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
)

// Take implements [lease.Store]. It takes two requests, two more if it makes rows or decide changes the namespace, one
// more in a namespace of more than 256 rows whose first ones are all held, and one more each time that another client
// has been faster. With blocks it takes one more where there are several.
func (l *leases) Take(ctx context.Context, w storage.Wanted,
	decide func(*storage.Namespace, *storage.Lease, storage.Clock) error) error {
	if w.IDs.First < 0 || w.IDs.First > w.IDs.Last {
		return fmt.Errorf("%w: no worker IDs are wanted: %d to %d", uid.ErrRange, w.IDs.First, w.IDs.Last)
	}
	var said refusals
	v := &view{leases: l, wanted: w}
	if b, is := l.driver.(Blocked); is {
		v.block = b.Block()
	}
	for err := v.look(ctx); ; {
		var free known
		if err == nil {
			free, err = v.free(ctx)
		}
		if err == nil {
			n, row := v.namespace(), free.Lease
			if err = told(decide(&n, &row, storage.Clock(v.answer.Clock))); err == nil {
				stored, failed := v.store(ctx, n, row, free)
				if stored || failed != nil {
					return failed
				}
				err = v.raced(free)
				continue
			}
		}
		if f, is := err.(unanswered); is {
			return f.error
		}
		refused := said.hear(err)
		sure, failed := v.confirm(ctx, err, free)
		switch {
		case failed != nil:
			return failed
		case sure:
			return refused
		}
		err = v.take()
	}
}

// confirm reports whether an error stands: what it is based on may be old. Else the view has an answer that
// is sure.
func (v *view) confirm(ctx context.Context, err error, free known) (sure bool, failed error) {
	if _, by := err.(byDecide); by && v.lags {
		// The namespace and the row may be of different times.
		was := v.own
		v.query = Query{Keys: []string{v.leases.own(), free.Key}, Newest: true, Judge: true}
		if v.answer, failed = v.driver.Read(ctx, v.query); failed != nil {
			return false, failed
		}
		return v.answer.Records[0].Text == was.Text && v.answer.Records[1].Text == free.Text, nil
	}
	if !v.lags || v.newest {
		return true, nil
	}
	v.newest = true
	v.forget()
	v.query = v.first()
	v.answer, failed = v.driver.Read(ctx, v.query)
	return false, failed
}

// store writes what a Take has decided. If that is refused the view has the answer to what is read then.
func (v *view) store(ctx context.Context, n storage.Namespace, row storage.Lease, was known,
) (stored bool, err error) {
	var none []Record
	for id := max(was.WorkerID, v.given+1); id <= was.last; id++ {
		if k := v.known(id); k.Text == "" { // else somebody has made it, and not yet raised Given
			none = append(none, k.Record)
		}
	}
	n.Given = max(v.given, was.last)
	all, err := writes(v.own, v.ns, n, was.Record, row, none...)
	if err != nil {
		return false, err
	}
	v.query, v.put = v.otherwise(was), all[len(all)-1].Were[1].Text
	stored, v.answer, err = store(ctx, v.driver, v.answer, all, v.query)
	return stored, err
}

// spares is how many rows a Take reads again when its write is refused, to try one of them next.
const spares = 32

// otherwise reads the namespace and the row that a write is about, some others that may be offered next, and
// the rows that somebody may have made.
func (v *view) otherwise(was known) Query {
	q := Query{Keys: []string{v.leases.own(), was.Key}, Newest: v.newest, Judge: true}
	next, some := v.newIDs()
	v.next = next.Last
	switch size := next.Last - next.First + 1; {
	case some && (was.WorkerID > v.given || v.given-v.ids.First < v.lowest()): // it has to know them all
		q.Ranges = []Range{v.span(next.First, size)}
	case v.block > 0:
		q.Ranges = []Range{v.some()}
		return q
	case some:
		for _, i := range rand.Perm(int(size))[:min(size, spares)] {
			if key := v.row(next.First + int64(i)); key != was.Key {
				q.Keys = append(q.Keys, key)
			}
		}
	}
	for _, i := range rand.Perm(len(v.spare))[:min(len(v.spare), spares)] {
		if key := v.spare[i].Key; key != was.Key {
			q.Keys = append(q.Keys, key)
		}
	}
	return q
}

// raced takes in the answer to a refused write.
func (v *view) raced(was known) error {
	err := v.take()
	if v.given > v.next {
		v.full = false // others have made more than were looked for
	}
	if is := v.known(was.WorkerID).Text; err != nil || is == was.Text || is == v.put {
		return err
	}
	v.losses++
	usable, _ := v.over()
	if slices.ContainsFunc(usable, func(k known) bool { return v.fresh[k.WorkerID] }) {
		return nil
	}
	// Others have got all that were read again: so it is with the rest.
	for _, k := range usable {
		delete(v.rows, k.WorkerID)
	}
	return nil
}
