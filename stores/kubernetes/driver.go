package kubernetes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
)

// A driver keeps the texts of package stores in objects of a Kubernetes namespace.
type driver struct {
	cfg   Config
	after sync.Map // by key: the *sight that the newest write of a row has come to, once, for the next renewal
}

var _ stores.Lister = (*driver)(nil)

// Name implements [stores.Driver].
func (d *driver) Name() string { return "the Kubernetes namespace " + d.cfg.Namespace }

// Durable implements [stores.Driver]: it is true, as of etcd.
func (d *driver) Durable() bool { return true }

// Block implements [stores.Blocked]: a list costs the API server, and its client, more for each row.
func (d *driver) Block() int64 { return 64 }

// Inspect implements [stores.Inspector]: nothing is to be seen of how the API server keeps its objects.
func (d *driver) Inspect(context.Context, string) (lossy []string, err error) { return nil, nil }

// A sight is objects by their keys, all as they were at one time, and the API server's date. Old ones may have been
// written since.
type sight struct {
	objects map[string]*object
	date    time.Time
	old     bool
}

// record returns what is under a key, and why it must not be used.
func (d *driver) record(v *sight, key string) stores.Record {
	k, _ := stores.ParseKey(key)
	o, r := v.objects[key], stores.Record{Key: key}
	if o == nil {
		return r
	}
	r.State, r.Bad, r.Text = o, o.bad, o.text
	switch {
	case o.bad != nil:
	case k.ID >= 0 && !o.counts(v.objects[stores.Key{Namespace: k.Namespace, ID: -1}.String()]):
		r.Text = o.state.Was
	case k.ID < 0 && o.state.UID != "" && o.state.UID != o.Meta.UID:
		r.Bad = fmt.Errorf("%w: %w: the Lease %s is a copy. Stop all that use it and delete it; the next start "+
			"makes a namespace anew, ahead of what may have been used, and a tag has to begin above all numbers in use",
			uid.ErrConfig, segment.ErrLost, o.Meta.Name)
	case k.ID < 0 && k.Namespace != "" && o.state.ClockError != d.cfg.ClockError.Microseconds():
		r.Bad = fmt.Errorf("%w: ClockError is %v, and namespace %q was made with %v: all clients have to have the same",
			uid.ErrConfig, d.cfg.ClockError, k.Namespace, time.Duration(o.state.ClockError)*time.Microsecond)
	}
	return r
}

// Read implements [stores.Driver]. A renewal begins with what the one before has read, and what need not be the newest
// with what the API server remembers: that takes no time of etcd's, of which a list takes more for each Lease of the
// Kubernetes namespace.
func (d *driver) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if len(q.Keys) == 2 && len(q.Ranges) == 0 && !q.Newest && ctx.Err() == nil {
		if v, is := d.after.LoadAndDelete(q.Keys[1]); is {
			return d.answer(q, v.(*sight)), nil
		}
	}
	return d.read(ctx, q, "0")
}

// read reads what is as new as a revision, if it need not be the newest.
func (d *driver) read(ctx context.Context, q stores.Query, since string) (*stores.Answer, error) {
	if q.Newest {
		since = ""
	}
	asked := d.cfg.Now()
	v, err := d.look(ctx, q, since)
	if err != nil {
		return nil, err
	}
	a := d.answer(q, v)
	if q.Judge {
		err = d.judge(asked, a.Clock.Now, v.date)
	}
	return a, err
}

func (d *driver) answer(q stores.Query, v *sight) *stores.Answer {
	a := &stores.Answer{Clock: d.clock(), Old: v.old}
	for _, key := range q.Keys {
		a.Records = append(a.Records, d.record(v, key))
	}
	keys := slices.Sorted(maps.Keys(v.objects))
	for _, r := range q.Ranges {
		var page []stores.Record
		for _, key := range keys {
			is := d.record(v, key)
			if key >= r.First && key <= r.Last && len(page) < r.Limit && (is.Text != "" || is.Bad != nil) {
				page = append(page, is)
			}
		}
		a.Pages = append(a.Pages, page)
	}
	return a
}

func (d *driver) clock() stores.Clock {
	return stores.Clock{Now: d.cfg.Now().UTC().Truncate(time.Microsecond), Error: d.cfg.ClockError}
}

// judge returns [worker.ErrClock] when this process's clock and the API server's, of which an answer tells whole
// seconds, are further apart than two clocks can be that are both off true time by ClockError at most.
func (d *driver) judge(asked, answered, date time.Time) error {
	apart := max(asked.Sub(date)-time.Second, date.Sub(answered), 0)
	if date.IsZero() || apart <= 2*d.cfg.ClockError {
		return nil
	}
	return fmt.Errorf("%w: this process's shows %s, that of the API server %s; with a ClockError of %v they are %v "+
		"apart at most", worker.ErrClock, answered.UTC(), date, d.cfg.ClockError, 2*d.cfg.ClockError)
}

// look reads what a query is about, as it is at one time, in one request.
func (d *driver) look(ctx context.Context, q stores.Query, since string) (*sight, error) {
	ranges := slices.Clone(q.Ranges)
	for _, key := range q.Keys {
		ranges = append(ranges, stores.Range{First: key, Last: key})
	}
	first := ranges[0].First
	k, _ := stores.ParseKey(first)
	switch {
	case len(ranges) == 1 && len(q.Keys) == 1 && k.ID < 0: // a row needs its namespace
		o, date, err := d.get(ctx, first)
		return &sight{objects: map[string]*object{first: o}, date: date}, err
	case strings.HasPrefix(first, "segments/"):
		return d.list(ctx, labelSegment, since)
	}
	return d.list(ctx, labelNamespace+"="+slug(k.Namespace)+ids(ranges), since)
}

// ids returns the part of a selector that picks a namespace's own object, and the rows in ranges; "" for all.
func ids(ranges []stores.Range) string {
	in := []string{own}
	for _, r := range ranges {
		from, _ := stores.ParseKey(r.First)
		to, _ := stores.ParseKey(r.Last)
		for id := max(from.ID, 0); id <= to.ID; id++ {
			if in = append(in, fmt.Sprint(id)); len(in) > 300 { // longer URLs cost more than they save
				return ""
			}
		}
	}
	return "," + labelID + " in (" + strings.Join(in, ",") + ")"
}

// Write implements [stores.Driver].
func (d *driver) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	was := map[string]stores.Record{}
	for _, r := range w.Were {
		was[r.Key] = r
	}
	first, since := w.Puts[0], ""
	k, _ := stores.ParseKey(first.Key)
	space, row := was[stores.Key{Namespace: k.Namespace, ID: -1}.String()], k.ID >= 0
	switch {
	case k.Namespace == "": // segments
		stored, err = done(d.put(ctx, next(first, state{})))
	case space.State == nil && (row || len(w.Puts) > 1): // the namespace is gone
	case row:
		if stored, err = d.writeRow(ctx, space, was[first.Key], first); err == nil && !stored {
			if o, _, _ := d.get(ctx, first.Key); o != nil { // what refused it is as old as that, or older
				since = o.Meta.Revision
			}
		}
	case !w.Read.Old || len(w.Were) == len(w.Puts): // else one that is not put may have been written since
		stored, err = d.writeSpace(ctx, first, w.Puts[1:])
	}
	if err == nil && !stored {
		now, err = d.read(ctx, w.Otherwise, since)
	}
	return stored, now, err
}

// done reports whether put has stored something.
func done(now *object, err error) (bool, error) { return now != nil, err }

// writeRow stores a row that is there. The namespace as it is after that says whether it counts: it may have been
// written since it was read.
func (d *driver) writeRow(ctx context.Context, space, was, put stores.Record) (stored bool, err error) {
	of := space.State.(*object)
	now, err := d.put(ctx, next(put, state{On: of.revision, Was: was.Text}))
	if err != nil || now == nil {
		return false, err
	}
	after, _, err := d.get(ctx, space.Key)
	switch {
	case err != nil:
		return false, err
	case after == nil || after.Meta.UID != of.Meta.UID || of.revision < after.logged()[0]:
		// It may count, or have been replaced already.
		return false, worker.Transient(fmt.Errorf("kubernetes: update: the outcome is open, since the Lease %s was "+
			"deleted or made anew, or its log was shortened", of.Meta.Name))
	}
	if stored = now.counts(after); stored {
		d.after.Store(put.Key, &sight{objects: map[string]*object{space.Key: after, put.Key: now}, old: true})
	}
	return stored, nil
}

// mostLog is how many writes of itself a namespace remembers.
const mostLog = 32

// writeSpace stores a namespace, after rows that are new: nobody leases them before the namespace says that they were
// given.
func (d *driver) writeSpace(ctx context.Context, put stores.Record, rows []stores.Record) (stored bool, err error) {
	of, there := put.State.(*object)
	s := state{ClockError: d.cfg.ClockError.Microseconds()}
	if there {
		s.Log = of.logged()
		if made, err := d.make(ctx, of, rows); err != nil || !made {
			return false, err
		}
	}
	if len(s.Log) > mostLog {
		if s.Log, err = d.trim(ctx, of); err != nil || s.Log == nil {
			return false, err
		}
	}
	return done(d.put(ctx, next(put, s)))
}

// make stores rows that are new, in their order. Of many that make the same one does: the others wait, until they are
// there.
func (d *driver) make(ctx context.Context, space *object, rows []stores.Record) (made bool, err error) {
	for i, r := range rows {
		if made, err = d.makeOne(ctx, space, r); err == nil && !made && i == 0 {
			err = pause(ctx, time.Second)
		}
		if err != nil || !made {
			return false, err
		}
	}
	return true, nil
}

func (d *driver) makeOne(ctx context.Context, space *object, r stores.Record) (made bool, err error) {
	now, err := d.put(ctx, next(r, state{On: space.revision}))
	if r.State != nil || now != nil || err != nil {
		return now != nil, err
	}
	// An object may be there whose text does not count, and which no range has shown. One that was decided on the
	// namespace as it was read does.
	o, _, err := d.get(ctx, r.Key)
	if err != nil || o == nil || o.state.On == space.revision {
		return false, err
	}
	of, _, err := d.get(ctx, space.key)
	if err != nil || of == nil || of.revision != space.revision {
		return false, err
	}
	is := d.record(&sight{objects: map[string]*object{r.Key: o, space.key: of}}, r.Key)
	if is.Text != "" || is.Bad != nil {
		return false, is.Bad
	}
	r.State = o
	return done(d.put(ctx, next(r, state{On: space.revision})))
}

// trim forgets what a namespace remembers of its writes before the one that is there, for its next one. Rows whose
// texts do not count are written anew before that, as what counts. No row that is stored after the list counts if it
// was decided on a write before. The log is nil if somebody else has written.
func (d *driver) trim(ctx context.Context, space *object) (log []int64, err error) {
	for {
		l, err := d.list(ctx, labelNamespace+"="+space.Meta.Labels[labelNamespace], "")
		if err != nil {
			return nil, err
		}
		if now := l.objects[space.key]; now == nil || now.revision != space.revision {
			return nil, nil
		}
		done := true
		for key, o := range l.objects {
			switch {
			case o.bad != nil: // by a newer version, say
				return nil, o.bad
			case key == space.key || o.counts(space):
				continue
			}
			done = false
			r := stores.Record{Key: key, Text: o.state.Was, State: o}
			if _, err := d.put(ctx, next(r, state{On: space.revision, Was: o.state.Was})); err != nil {
				return nil, err
			}
		}
		if done {
			return []int64{space.revision}, nil
		}
	}
}

// Namespaces implements [stores.Lister].
func (d *driver) Namespaces(ctx context.Context) (names []string, now stores.Clock, err error) {
	l, err := d.list(ctx, labelNamespace, "")
	for key := range l.objects {
		k, _ := stores.ParseKey(key)
		names = append(names, k.Namespace)
	}
	slices.Sort(names)
	return slices.Compact(names), d.clock(), err
}
