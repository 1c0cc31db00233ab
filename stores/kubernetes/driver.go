package kubernetes

import (
	"context"
	"errors"
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
	cfg Config

	mu    sync.Mutex        // guards after
	after map[string]*sight // by key: what the newest write of a row has come to, once, for the next renewal
}

var _ stores.Lister = (*driver)(nil)

// Name implements [stores.Driver].
func (d *driver) Name() string { return "the Kubernetes namespace " + d.cfg.Namespace }

// Durable implements [stores.Driver]: it is true, as of etcd.
func (d *driver) Durable() bool { return true }

// Block implements [stores.Blocked].
func (d *driver) Block() int64 { return block }

// Inspect implements [stores.Inspector]: nothing is to be seen of how the API server keeps its objects.
func (d *driver) Inspect(context.Context, string) (lossy []string, err error) { return nil, nil }

// A sight is what was read: a namespace's object, and those of some of its rows; or of tags.
type sight struct {
	space *object
	rows  map[string]*object
	date  time.Time
}

func spaceKey(key string) string {
	k, _ := stores.ParseKey(key)
	return stores.Key{Namespace: k.Namespace, ID: -1}.String()
}

// isRow reports whether a key is that of a worker ID.
func isRow(key string) bool {
	k, ok := stores.ParseKey(key)
	return ok && k.ID >= 0
}

// record returns what is under a key, and why it must not be used.
func (d *driver) record(v *sight, key string) stores.Record {
	k, _ := stores.ParseKey(key)
	o, r := v.rows[key], stores.Record{Key: key}
	if k.Namespace != "" && k.ID < 0 {
		o = v.space
	}
	if o == nil {
		return r
	}
	r.State, r.Bad, r.Text = o, o.bad, o.state.text
	off := d.cfg.ClockError.Microseconds()
	switch {
	case o.bad != nil || k.Namespace == "" && o.state.UID == "":
	case k.ID >= 0:
		r.Text = o.text(v.space)
	case o.state.UID != "" && o.state.UID != o.Meta.UID && k.Namespace == "":
		r.Bad = fmt.Errorf("%w: the Lease %s of tag %q is a copy: what was given out since is not known here. Stop all "+
			"generators of it, delete the Lease, and begin the tag anew above all numbers that are in use", segment.ErrLost,
			o.Meta.Name, k.Tag)
	case o.state.UID != "" && o.state.UID != o.Meta.UID:
		r.Bad = fmt.Errorf("%w: the Lease %s of namespace %q is a copy, and writes since it was made are not known here. "+
			"Stop all its workers and delete the Lease; the next start makes it anew, ahead of what may have been used",
			uid.ErrConfig, o.Meta.Name, k.Namespace)
	case k.Namespace != "" && o.state.ClockError != off:
		r.Bad = fmt.Errorf("%w: ClockError is %v, and namespace %q was made with %v: all its clients have to have the same",
			uid.ErrConfig, d.cfg.ClockError, k.Namespace, time.Duration(o.state.ClockError)*time.Microsecond)
	}
	return r
}

// Read implements [stores.Driver]. A renewal begins with what the one before has read.
func (d *driver) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if len(q.Keys) == 2 && len(q.Ranges) == 0 && !q.Newest && ctx.Err() == nil {
		d.mu.Lock()
		v := d.after[q.Keys[1]]
		delete(d.after, q.Keys[1])
		d.mu.Unlock()
		if v != nil {
			a := d.answer(q, v, d.cfg.Now())
			a.Old = true
			return a, nil
		}
	}
	asked := d.cfg.Now()
	v, err := d.look(ctx, q)
	if err != nil {
		return nil, err
	}
	a := d.answer(q, v, d.cfg.Now())
	if q.Judge {
		err = d.judge(asked, a.Clock.Now, v.date)
	}
	return a, err
}

func (d *driver) answer(q stores.Query, v *sight, now time.Time) *stores.Answer {
	a := &stores.Answer{}
	for _, key := range q.Keys {
		a.Records = append(a.Records, d.record(v, key))
	}
	keys := slices.Sorted(maps.Keys(v.rows))
	for _, r := range q.Ranges {
		var page []stores.Record
		for _, key := range keys {
			if key < r.First || key > r.Last || len(page) == r.Limit {
				continue
			}
			if is := d.record(v, key); is.Text != "" || is.Bad != nil {
				page = append(page, is)
			}
		}
		a.Pages = append(a.Pages, page)
	}
	a.Clock = stores.Clock{Now: now.UTC().Truncate(time.Microsecond), Error: d.cfg.ClockError}
	return a
}

// judge returns [worker.ErrClock] when this process's clock and the API server's, of which an answer tells whole
// seconds, are further apart than two clocks can be that are both off true time by ClockError at most.
func (d *driver) judge(asked, answered, date time.Time) error {
	apart := max(asked.Sub(date)-time.Second, date.Sub(answered), 0)
	if date.IsZero() || apart <= 2*d.cfg.ClockError {
		return nil
	}
	return fmt.Errorf("%w: this process's shows %s, that of the API server %s, at least %v apart; with a ClockError of %v "+
		"it is %v at most", worker.ErrClock, answered.UTC().Format(time.RFC3339Nano), date.UTC().Format(time.RFC3339),
		apart.Round(time.Millisecond), d.cfg.ClockError, 2*d.cfg.ClockError)
}

// look reads what a query is about, as it is at one time, by the fewest requests.
func (d *driver) look(ctx context.Context, q stores.Query) (v *sight, err error) {
	first := append(slices.Clone(q.Keys), stores.Range{}.First)[0]
	if len(q.Ranges) > 0 && first == "" {
		first = q.Ranges[0].First
	}
	k, _ := stores.ParseKey(first)
	space := spaceKey(first)
	keys := slices.DeleteFunc(slices.Clone(q.Keys), func(key string) bool { return key == space })
	v = &sight{rows: map[string]*object{}}
	switch {
	case strings.HasPrefix(first, "segments/") && len(q.Ranges) == 0 && len(keys) == 1:
		v.rows[first], v.date, err = d.get(ctx, first)
		return v, err
	case strings.HasPrefix(first, "segments/"):
		l, err := d.list(ctx, labelSegment)
		return &sight{rows: l.objects, date: l.date}, err
	case len(keys) == 0 && len(q.Ranges) == 0:
		v.space, v.date, err = d.get(ctx, space)
		return v, err
	case len(keys) == 1 && len(q.Ranges) == 0:
		return v, d.pair(ctx, v, space, keys[0])
	}
	l, err := d.list(ctx, labelNamespace+"="+slug(k.Namespace)+blocks(keys, q.Ranges))
	if err != nil {
		return nil, err
	}
	v.space = l.objects[space]
	delete(l.objects, space)
	v.rows, v.date = l.objects, l.date
	return v, nil
}

// blocks returns the part of a selector that picks a namespace's own object, and the rows with keys and in ranges; "" for
// all.
func blocks(keys []string, ranges []stores.Range) string {
	const most = 20
	in := map[string]bool{own: true}
	for _, key := range keys {
		_, labels := place(key)
		in[labels[labelBlock]] = true
	}
	for _, r := range ranges {
		from, _ := stores.ParseKey(r.First)
		to, _ := stores.ParseKey(r.Last)
		for n := from.ID / block; n <= to.ID/block && len(in) <= most; n++ {
			in[fmt.Sprint(n)] = true
		}
	}
	if len(in) > most {
		return ""
	}
	return "," + labelBlock + " in (" + strings.Join(slices.Sorted(maps.Keys(in)), ",") + ")"
}

// pair reads a row and then the namespace. If that was written since the row was, the row is read once more: both are as
// they were at one time then.
func (d *driver) pair(ctx context.Context, v *sight, space, key string) error {
	row, _, err := d.get(ctx, key)
	for err == nil {
		if v.space, v.date, err = d.get(ctx, space); err != nil {
			return err
		}
		if v.rows[key] = row; row != nil && (v.space == nil || v.space.revision < row.revision) {
			return nil
		}
		again, _, err := d.get(ctx, key)
		if err != nil {
			return err
		}
		if (again == nil) == (row == nil) && (row == nil || again.revision == row.revision) {
			return nil
		}
		row = again
	}
	return err
}

// Write implements [stores.Driver].
func (d *driver) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	was := map[string]stores.Record{}
	for _, r := range w.Were {
		was[r.Key] = r
	}
	first := w.Puts[0].Key
	space := spaceKey(first)
	i := slices.IndexFunc(w.Puts, func(r stores.Record) bool { return r.Key == space })
	switch {
	case strings.HasPrefix(first, "segments/"):
		stored, err = d.writeTag(ctx, w.Puts[0])
	case i >= 0:
		rows := slices.Delete(slices.Clone(w.Puts), i, i+1)
		if stored, err = d.same(ctx, space, w.Were); stored && err == nil {
			stored, err = d.writeSpace(ctx, was[space], w.Puts[i], rows)
		}
	case len(w.Puts) == 1:
		stored, err = d.writeRow(ctx, was[space], was[first], w.Puts[0])
	default:
		err = errors.New("kubernetes: several rows without their namespace cannot be written at once")
	}
	if err == nil && !stored {
		q := w.Otherwise
		q.Newest = true
		now, err = d.Read(ctx, q)
	}
	return stored, now, err
}

// same reports whether the rows that a namespace's write was decided on are as they were: what was read of them may be old.
func (d *driver) same(ctx context.Context, space string, were []stores.Record) (is bool, err error) {
	for _, r := range were {
		if r.Key == space || r.Text == "" {
			continue
		}
		v := &sight{rows: map[string]*object{}}
		if err = d.pair(ctx, v, space, r.Key); err != nil || d.record(v, r.Key).Text != r.Text {
			return false, err
		}
	}
	return true, nil
}

func stateOf(r stores.Record) *object {
	o, _ := r.State.(*object)
	return o
}

// writeTag stores the row of a tag.
func (d *driver) writeTag(ctx context.Context, put stores.Record) (stored bool, err error) {
	was, s := stateOf(put), stateText{}
	if was != nil {
		s.UID = was.Meta.UID
	}
	now, err := d.put(ctx, was.next(put.Key, put.Text, s))
	return now != nil, err
}

// writeRow stores a row that is there. The namespace as it is after that says whether it counts: it may have been written
// since it was read.
func (d *driver) writeRow(ctx context.Context, space, was, put stores.Record) (stored bool, err error) {
	of := stateOf(space)
	if of == nil {
		return false, nil
	}
	now, err := d.put(ctx, stateOf(was).next(put.Key, put.Text, stateText{On: of.revision, Was: was.Text}))
	if err != nil || now == nil {
		return false, err
	}
	after, _, err := d.get(ctx, space.Key)
	switch {
	case err != nil:
		return false, err
	case after == nil || after.Meta.UID != of.Meta.UID || of.revision < after.logged()[0]:
		// It may count, or have been replaced already.
		return false, worker.Transient(fmt.Errorf("kubernetes: update: the Lease %s was deleted or made anew, or its log "+
			"was shortened, meanwhile: the outcome is open", of.Meta.Name))
	}
	if stored = now.counts(after); stored {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.after == nil || len(d.after) > 64 {
			d.after = map[string]*sight{}
		}
		d.after[put.Key] = &sight{space: after, rows: map[string]*object{put.Key: now}}
	}
	return stored, nil
}

// mostLog is how many writes of itself a namespace remembers.
const mostLog = 32

// writeSpace stores a namespace, after rows that are new: nobody leases them before the namespace says that they were
// given.
func (d *driver) writeSpace(ctx context.Context, was, put stores.Record, rows []stores.Record) (stored bool, err error) {
	of := stateOf(was)
	s := stateText{ClockError: d.cfg.ClockError.Microseconds()}
	if of != nil {
		s.UID, s.Log = of.Meta.UID, of.logged()
		if made, err := d.make(ctx, of, rows); err != nil || !made {
			return false, err
		}
	} else if len(rows) > 0 {
		return false, errors.New("kubernetes: rows without their namespace cannot be written")
	}
	if len(s.Log) > mostLog {
		if s.Log, err = d.trim(ctx, of); err != nil || s.Log == nil {
			return false, err
		}
	}
	now, err := d.put(ctx, of.next(put.Key, put.Text, s))
	return now != nil, err
}

// make stores rows that are new. Of many that make the same one does: the others wait, until they are there.
func (d *driver) make(ctx context.Context, space *object, rows []stores.Record) (made bool, err error) {
	one := func(r stores.Record) (bool, error) {
		row, s := stateOf(r), stateText{On: space.revision}
		now, err := d.put(ctx, row.next(r.Key, r.Text, s))
		if row != nil || now != nil || err != nil {
			return now != nil, err
		}
		// An object may be there whose text does not count, and which no range has shown. One that was decided on the
		// namespace as it was read does.
		if row, _, err = d.get(ctx, r.Key); err != nil || row == nil || row.state.On == space.revision {
			return false, err
		}
		v := &sight{rows: map[string]*object{}}
		if err = d.pair(ctx, v, space.state.key, r.Key); err != nil || v.space == nil || v.space.revision != space.revision {
			return false, err
		}
		row = v.rows[r.Key]
		switch {
		case row != nil && row.bad != nil:
			return false, row.bad
		case row == nil || row.text(v.space) != "":
			return false, nil
		}
		now, err = d.put(ctx, row.next(r.Key, r.Text, s))
		return now != nil, err
	}
	for len(rows) > 0 {
		if made, err = one(rows[0]); err != nil {
			return false, err
		}
		if !made {
			return false, pause(ctx, time.Second)
		}
		rows = rows[1:]
		break
	}
	const atOnce = 8
	var all sync.WaitGroup
	turns, errs, refused := make(chan bool, atOnce), make([]error, len(rows)), make([]bool, len(rows))
	for i, r := range rows {
		turns <- true
		all.Go(func() {
			defer func() { <-turns }()
			made, err := one(r)
			errs[i], refused[i] = err, !made
		})
	}
	all.Wait()
	return !slices.Contains(refused, true), errors.Join(errs...)
}

// trim forgets what a namespace remembers of its writes before the one that is there, for its next one. Rows whose texts do
// not count are written anew before that, as what counts. No row that is stored after the list counts if it was decided
// on a write before. The log is nil if somebody else has written.
func (d *driver) trim(ctx context.Context, space *object) (log []int64, err error) {
	for {
		l, err := d.list(ctx, labelNamespace+"="+space.Meta.Labels[labelNamespace])
		if err != nil {
			return nil, err
		}
		if now := l.objects[space.state.key]; now == nil || now.revision != space.revision {
			return nil, nil
		}
		done := true
		for key, o := range l.objects {
			switch {
			case o.bad != nil: // by a newer version, say
				return nil, o.bad
			case !isRow(key) || o.counts(space):
				continue
			}
			done = false
			s := stateText{On: space.revision, Was: o.state.Was}
			if _, err := d.put(ctx, o.next(key, o.state.Was, s)); err != nil {
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
	l, err := d.list(ctx, labelNamespace)
	seen := map[string]bool{}
	for key := range l.objects {
		if k, ok := stores.ParseKey(key); ok && !seen[k.Namespace] {
			seen[k.Namespace] = true
			names = append(names, k.Namespace)
		}
	}
	return names, stores.Clock{Now: d.cfg.Now().UTC().Truncate(time.Microsecond), Error: d.cfg.ClockError}, err
}
