package stores_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

var tagKey = stores.Key{Tag: "orders", ID: -1}.String()

// full returns a store with a namespace that has a row which is over, and with a tag.
func full(t *testing.T) (*drivers.Memory, *stores.Store, lease.Store) {
	m := &drivers.Memory{}
	s := stores.New(m)
	l := orders.Made(t, s)
	orders.Taken(t, l, orders.Wanted(0, 0), -time.Hour)
	require.NoError(t, s.Segments().Change(t.Context(), "orders", orders.Draw(10)))
	return m, s, l
}

// A twice driver sends each write twice, as the client of a database may: the first has refused the second then.
type twice struct{ stores.Driver }

func (d twice) Write(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
	if stored, now, err := d.Driver.Write(ctx, w); !stored || err != nil {
		return stored, now, err
	}
	return d.Driver.Write(ctx, w)
}

// A write that was stored and is refused is not decided again.
func TestSentTwice(t *testing.T) {
	s := stores.New(twice{&drivers.Memory{}})
	l := orders.Leases(t, s)
	var runs, calls int
	once := func() error {
		if runs++; runs > calls {
			return errors.New("decided again")
		}
		return nil
	}
	decide := func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error { r.High++; return once() }
	draws := func() error {
		return s.Segments().Change(t.Context(), "orders",
			func(r *storage.Segment) error { return errors.Join(orders.Draw(5)(r), once()) })
	}
	for _, call := range []func() error{
		func() error {
			return l.Init(t.Context(), func(n *storage.Namespace, _ storage.Clock) error {
				n.Floor++
				return once()
			})
		},
		func() error { return l.Take(t.Context(), orders.Wanted(0, 9), decide) },
		func() error { return l.Change(t.Context(), 0, decide) },
		draws, draws, // one that makes the row, and one that changes it
	} {
		calls++
		require.NoError(t, call())
	}
}

// No two texts are equal, even if they say the same.
func TestValuesDiffer(t *testing.T) {
	m, s, l := full(t)
	for key, write := range map[string]func() error{
		workerKey(0): func() error { return l.Change(t.Context(), 0, orders.Keep) },
		ownKey: func() error {
			for _, layout := range []string{"another", "made"} {
				orders.Set(t, l, func(n *storage.Namespace) { n.Layout = layout })
			}
			return nil
		},
		tagKey: func() error { return s.Segments().Change(t.Context(), "orders", orders.Draw(0)) },
	} {
		was := m.Text(key)
		require.NoError(t, write())
		require.NotEqual(t, was, m.Text(key))
	}
}

// What could not be read back is not written. Package storage tries all that a row can be.
func TestUnwritable(t *testing.T) {
	_, s, l := full(t)
	spoil := func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
		r.High = -2
		return nil
	}
	require.ErrorIs(t, l.Change(t.Context(), 0, spoil), uid.ErrRange)
	require.ErrorIs(t, l.Take(t.Context(), orders.Wanted(0, 0), spoil), uid.ErrRange)
	segments := s.Segments()
	require.Equal(t, "segments of memory", segments.Name())
	require.ErrorIs(t, segments.Change(t.Context(), "orders",
		func(r *storage.Segment) error { r.Description = "\xff"; return nil }), uid.ErrConfig)
	for _, tag := range []string{"", "a@b", strings.Repeat("x", 129), " x"} {
		require.Equal(t, storage.CheckTag(tag), segments.Change(t.Context(), tag, orders.Draw(1)))
	}
	_, err := s.Leases("ä")
	require.ErrorIs(t, err, uid.ErrConfig)
	none, err := s.Registry().Namespace("ä")
	require.ErrorIs(t, err, uid.ErrConfig)
	require.Nil(t, none)
	ours, err := s.Leases("")
	require.NoError(t, err)
	require.Equal(t, `namespace "default" of memory`, ours.Name())
}

// What this package cannot have written is an error that names it, and a finding. Package storage
// try all that can be wrong with a text.
func TestUnreadable(t *testing.T) {
	const row = `{"v":2,"write":"w","nonce":"n","high":5,"until":0,"layout":"l","holder":"h","acquired":0,"renewed":0}`
	undecided := errors.New("decided")
	for _, c := range []struct{ key, old, new, says string }{ // a whole text, if old is ""
		{workerKey(0), "", orders.Secret, "not a JSON object"},
		{workerKey(0), `"high":`, `"` + orders.Secret + `":1,"high":`, "a field that is not known"},
		{workerKey(0), `"high":0`, `"high":-2`, "high is -2"},
		{workerKey(0), `"v":2`, `"v":3,"new":true`, "newer version"},
		{workerKey(0), `}`, `} `, "written in another way"},
		{workerKey(5) + "0", "", row, "does not end with the 19 digits"},
		{ownKey, "", orders.Secret, "not a JSON object"},
		{ownKey, `"floor":-1,`, ``, "a field is missing"},
		{ownKey, `"floor":-1`, `"floor":-2`, "no worker writes it"},
		{ownKey, `"v":3`, `"v":4`, "newer version"},
		{ownKey, `"v":3`, `"v":2`, "no version"},
		{tagKey, "", orders.Secret, "not a JSON object"},
		{tagKey, `"next":10,`, ``, "a field is missing"},
		{tagKey, `"next":10`, `"next":-5`, "-5"},
		{tagKey, `"step":`, `"` + orders.Secret + `":1,"step":`, "a field that is not known"},
		{"segments/a@b", "", row, "does not end with a tag"},
	} {
		t.Run(c.key+" "+c.says, func(t *testing.T) {
			m, s, l := full(t)
			text := c.new
			if c.old != "" {
				is := m.Text(c.key)
				require.Equal(t, 1, strings.Count(is, c.old), is)
				text = strings.Replace(is, c.old, c.new, 1)
			}
			m.Set(c.key, text)
			decide := func(*storage.Namespace, *storage.Lease, storage.Clock) error { return undecided }
			_, inspected := l.Inspect(t.Context())
			_, rows := s.Registry().Rows(t.Context(), "orders", -1, 10)
			_, listed := s.Segments().Rows(t.Context(), "", 10)
			take := l.Take(t.Context(), orders.Wanted(0, 10), decide)
			errs, named, kind := []error{l.Change(t.Context(), 0, decide), take,
				rows}, "worker ID 0", worker.ErrUnconfirmed
			switch {
			case c.key == ownKey:
				errs = append(errs, inspected, l.Init(t.Context(),
					func(*storage.Namespace, storage.Clock) error { return undecided }))
				named = `namespace "orders"`
			case c.key == tagKey:
				errs = []error{s.Segments().Change(t.Context(), "orders",
					func(*storage.Segment) error { return undecided }), listed}
				named, kind = `tag "orders"`, uid.ErrRange
			case c.key == workerKey(5)+"0":
				errs, named = []error{take, rows}, c.key
			case c.key != workerKey(0):
				errs, named, kind = []error{listed}, c.key, uid.ErrRange
			}
			for _, err := range errs {
				require.ErrorIs(t, err, kind)
				orders.Fails(t, err, false, c.says, named)
			}
			findings := orders.Findings(t, s)
			require.Equal(t, c.key == ownKey, findings[0].Level == doctor.LevelError, "%+v", findings[0])
			require.Equal(t, strings.HasPrefix(c.key, "segments"), findings[1].Level != doctor.LevelOK, "%+v",
				findings[1])
		})
	}
}

// A check says how many there are, and what has rows and nothing of its own.
func TestExamine(t *testing.T) {
	m, s, _ := full(t)
	finding := func() (said []string) {
		for _, f := range orders.Findings(t, s) {
			said = append(said, fmt.Sprintf("%s: %s", f.Level, f.Value))
		}
		return said
	}
	require.Equal(t, []string{"ok: 1, all as they should be", "ok: 1, all as they should be"}, finding())
	require.NoError(t, s.Segments().Change(t.Context(), "b", orders.Draw(1)))
	m.Set(tagKey, "{}")
	m.Set(ownKey, "")
	require.Equal(t, []string{`warn: "orders" has rows, and nothing of its own`, "error: 1 of 2 cannot be used"},
		finding())
	s = stores.New(&drivers.Memory{})
	require.Empty(t, finding())
}

// A lister lists names itself, some of which have nothing.
type lister struct{ stores.Driver }

func (lister) Namespaces(context.Context) ([]string, stores.Clock, error) {
	return []string{"orders", "no longer there", "left"}, stores.Clock{Now: time.Unix(77, 0)}, nil
}

// Namespaces are listed by their names, whatever these have, in one request each.
func TestNamespaces(t *testing.T) {
	d := newServer()
	s := stores.New(d)
	_, now, err := s.Registry().Namespaces(t.Context())
	require.ErrorIs(t, err, worker.ErrNoNamespace)
	require.WithinDuration(t, time.Now(), now.Now, time.Minute)
	all := []string{"..", "a", "a b", "a%2Fb", "a/", "a/b", "a/namespace", "a.b", "orders", "Z"}
	for _, name := range all {
		l, err := s.Leases(name)
		require.NoError(t, err)
		orders.Set(t, l, func(n *storage.Namespace) { n.Layout = name })
	}
	for _, key := range []string{"leases/left/worker/0000000000000000005", "leases/%zz/else", "leases", "else",
		"segments/orders"} {
		d.m.Set(key, "{}")
	}
	var names []string
	require.Equal(t, len(all)+3, d.count(func() { names, _, err = s.Registry().Namespaces(t.Context()) }))
	require.NoError(t, err)
	require.Equal(t, slices.Sorted(slices.Values(append(all, "left"))), names)
	for _, name := range all {
		p, err := s.Registry().Rows(t.Context(), name, -1, 10)
		require.NoError(t, err)
		require.Equal(t, name, p.Namespace.Layout)
	}
	names, now, err = stores.New(lister{d}).Registry().Namespaces(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"left", "orders"}, names)
	require.Equal(t, time.Unix(77, 0), now.Now)
}

// Rows come in pages, however many there are, in the order of the bytes of their tags.
func TestSegmentRows(t *testing.T) {
	d := newServer()
	s := stores.New(d).Segments()
	require.NoError(t, s.Change(t.Context(), "orders", orders.Draw(1)))
	for i := range 1200 {
		d.m.Set(fmt.Sprintf("segments/t%04d", i), d.m.Text(tagKey))
	}
	d.m.Set("segments", "x")
	d.m.Set("segments0", "x") // behind all
	var tags []string
	for after := ""; len(tags)%700 == 0; after = tags[len(tags)-1] {
		rows, err := s.Rows(t.Context(), after, 700)
		require.NoError(t, err)
		for _, r := range rows {
			tags = append(tags, r.Tag)
		}
	}
	require.Len(t, tags, 1201)
	require.IsIncreasing(t, tags)
	for most, want := range map[int]int{math.MaxInt: 1201, 0: 0, -1: 0} {
		require.Equal(t, (want+499)/500, d.count(func() {
			require.Len(t, orders.Rows(t, s, most), want)
		}))
	}
}
