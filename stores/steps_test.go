package stores_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A stepped driver does something before each Read and Write, by their number, and knows what a Write may be about.
type stepped struct {
	*drivers.Memory
	t      *testing.T
	n      int
	before func(n int) error // of each request, from 1
	writes []int             // how many records each Write that was stored has put
}

func (d *stepped) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if d.n++; d.before != nil {
		if err := d.before(d.n); err != nil {
			return nil, err
		}
	}
	a, err := d.Memory.Read(ctx, q)
	for i := range a.Records {
		a.Records[i].State = d.n
	}
	return a, err
}

func (d *stepped) Write(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
	if d.n++; d.before != nil {
		if err := d.before(d.n); err != nil {
			return false, nil, err
		}
	}
	if len(w.Puts) > 1 {
		require.Equal(d.t, ownKey, w.Puts[0].Key)
		require.NotEmpty(d.t, d.Text(ownKey))
	}
	for _, put := range w.Puts[1:] {
		i := slices.IndexFunc(w.Were, func(r stores.Record) bool { return r.Key == put.Key })
		require.Empty(d.t, w.Were[i].Text, "a row is put with its namespace, and it is not new")
	}
	require.Contains(d.t, []any{nil, w.Were[0].State}, w.Puts[0].State, "the State is of another Read")
	stored, now, err := d.Memory.Write(ctx, w)
	if stored {
		d.writes = append(d.writes, len(w.Puts))
	}
	return stored, now, err
}

// raise is a decision that changes the namespace and the row.
func raise(n *storage.Namespace, r *storage.Lease, now storage.Clock) error {
	if r == nil {
		return errors.New("no row")
	}
	n.Floor++
	r.Nonce, r.High, r.Until = "raised", r.High+1, now.Now.Add(time.Hour)
	return nil
}

type decision = func(*storage.Namespace, *storage.Lease, storage.Clock) error

var stepwise = map[string]func(l lease.Store, decide decision) error{
	"Take": func(l lease.Store, decide decision) error {
		return l.Take(context.Background(), orders.Wanted(0, 0), decide)
	},
	"Take of a new ID": func(l lease.Store, decide decision) error {
		return l.Take(context.Background(), orders.Wanted(1, 4), decide)
	},
	"Change": func(l lease.Store, decide decision) error {
		return l.Change(context.Background(), 0, decide)
	},
}

// eachStep runs a test of a call on a namespace with a row that is over.
func eachStep(t *testing.T, test func(t *testing.T, d *stepped, l lease.Store, key string,
	call func(decide decision) error)) {
	for name, call := range stepwise {
		t.Run(name, func(t *testing.T) {
			m := &drivers.Memory{}
			orders.Taken(t, orders.Made(t, stores.New(m)), orders.Wanted(0, 0), -time.Hour)
			d := &stepped{Memory: m, t: t}
			l := orders.Leases(t, stores.New(d))
			key := workerKey(map[bool]int64{true: 1}[name == "Take of a new ID"])
			test(t, d, l, key, func(decide decision) error {
				return call(l, decide)
			})
		})
	}
}

func row(t *testing.T, d *stepped, key string) storage.Lease {
	k, _ := stores.ParseKey(key)
	r, err := storage.ParseLease(k.ID, d.Text(key))
	require.NoError(t, err)
	return r
}

func namespace(t *testing.T, d *stepped) storage.Namespace {
	n, err := storage.ParseNamespace(d.Text(ownKey))
	require.NoError(t, err)
	return n
}

// The namespace is stored before the row, and nothing of the row if what comes between fails.
func TestNamespaceFirst(t *testing.T) {
	cut := worker.Transient(errors.New("cut"))
	eachStep(t, func(t *testing.T, d *stepped, _ lease.Store, key string,
		call func(decision) error) {
		for failing := 2; failing <= 4; failing++ { // a write, a read, and a write
			own, was := namespace(t, d), d.Text(key)
			d.n, d.writes, d.before = 0, nil, func(n int) error {
				if n == failing {
					return cut
				}
				return nil
			}
			require.ErrorIs(t, call(raise), cut)
			if failing == 2 {
				require.Equal(t, own, namespace(t, d))
				require.Equal(t, was, d.Text(key))
				continue
			}
			require.Equal(t, own.Floor+1, namespace(t, d).Floor)
			require.Len(t, d.writes, 1)
			if was == "" {
				require.True(t, row(t, d, key).Unused())
				require.EqualValues(t, 1, namespace(t, d).Given)
			} else {
				require.Equal(t, was, d.Text(key))
			}
		}
		d.n, d.before, d.writes = 0, nil, nil
		require.NoError(t, call(raise))
		require.Equal(t, 4, d.n)
		require.Equal(t, []int{1, 1}, d.writes)
		require.Equal(t, "raised", row(t, d, key).Nonce)
	})
}

// What is written between the steps counts: decide runs again, on that. If nothing is, it does not.
func TestBetweenTheSteps(t *testing.T) {
	for name, c := range map[string]struct {
		meddle func(t *testing.T, d *stepped, other lease.Store, key string)
		runs   int
		high   int64 // how far it has risen
		err    error
	}{
		"nothing": {func(*testing.T, *stepped, lease.Store, string) {}, 1, 1, nil},
		"the namespace is written": {func(t *testing.T, d *stepped, other lease.Store, _ string) {
			orders.Set(t, other, func(n *storage.Namespace) { n.Layout = "another" })
		}, 2, 1, nil},
		"the namespace is put back": {func(t *testing.T, d *stepped, _ lease.Store, _ string) {
			n := namespace(t, d)
			n.Floor--
			text, err := storage.NamespaceText(n, "back")
			require.NoError(t, err)
			d.Set(ownKey, text)
		}, 2, 1, nil},
		"the row is written": {func(t *testing.T, d *stepped, other lease.Store, key string) {
			k, _ := stores.ParseKey(key)
			require.NoError(t, other.Change(t.Context(), k.ID,
				func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error { r.High += 7; return nil }))
		}, 2, 8, nil},
		"writes are lost": {func(_ *testing.T, d *stepped, _ lease.Store, _ string) { d.LoseHistory() }, 2, 1, nil},
		"the namespace is gone": {func(_ *testing.T, d *stepped, _ lease.Store, _ string) { d.Set(ownKey, "") }, 1, 0,
			worker.ErrNoNamespace},
	} {
		for at := 3; at <= 4; at++ { // before the read, and before the write of the row
			t.Run(name, func(t *testing.T) {
				eachStep(t, func(t *testing.T, d *stepped, _ lease.Store, key string,
					call func(decision) error) {
					var runs int
					var high int64 = -1
					var floor int64
					if d.Text(key) != "" {
						high = row(t, d, key).High
					}
					d.before = func(n int) error {
						if n == at {
							floor = namespace(t, d).Floor
							c.meddle(t, d, orders.Leases(t, stores.New(d.Memory)), key)
						}
						return nil
					}
					err := call(func(n *storage.Namespace, r *storage.Lease, now storage.Clock) error {
						runs++
						return raise(n, r, now)
					})
					require.ErrorIs(t, err, c.err)
					require.Equal(t, c.runs, runs)
					if c.high > 0 || d.Text(key) != "" && key == workerKey(0) {
						require.Equal(t, high+c.high, row(t, d, key).High)
					}
					if c.err == nil {
						require.GreaterOrEqual(t, namespace(t, d).Floor, floor)
					}
				})
			})
		}
	}
}

// A leaving driver leaves the rows of its first Write alone: somebody else is faster with the namespace.
type leaving struct {
	*drivers.Memory
	first sync.Once
}

func (d *leaving) Write(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
	d.first.Do(func() {
		for _, put := range w.Puts[1:] {
			d.Set(put.Key, put.Text)
		}
		d.Set(ownKey, strings.Replace(d.Text(ownKey), `"layout":"made"`, `"layout":"other"`, 1))
	})
	return d.Memory.Write(ctx, w)
}

// Rows that a Take has made itself, before others were faster with the namespace, do not look like a crowd.
func TestLeftByOnesOwn(t *testing.T) {
	m := &drivers.Memory{}
	orders.Made(t, stores.New(m))
	s := &server{m: m}
	orders.Taken(t, orders.Leases(t, stores.New(&leaving{Memory: m})), orders.Wanted(0, 1000), time.Hour)
	require.EqualValues(t, 15, s.given(t))
	require.Contains(t, m.Text(ownKey), "other")
}

// unused writes a row by hand that was made, and that nobody has had.
func (s *server) unused(t *testing.T, id int64) (text string) {
	text, err := storage.LeaseText(storage.NewLease(id), "made")
	require.NoError(t, err)
	s.m.Set(workerKey(id), text)
	return text
}

// Rows above Given that nobody has had are left by somebody who died, or is at work. The next one makes those that are
// missing, and gives them all before it leases one.
func TestMakerDied(t *testing.T) {
	for name, there := range map[string][]int64{
		"none": nil, "the first": {0, 1, 2}, "the last": {15}, "some": {3, 7, 40},
		"all": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
	} {
		t.Run(name, func(t *testing.T) {
			s, l := made(t)
			texts := map[int64]string{}
			for _, id := range there {
				texts[id] = s.unused(t, id)
			}
			orders.Taken(t, l, orders.Wanted(0, 1000), time.Hour)
			given := s.given(t)
			require.GreaterOrEqual(t, given, int64(15))
			require.LessOrEqual(t, given, int64(99))
			for id := range given + 1 {
				require.NotEmpty(t, s.m.Text(workerKey(id)), id)
			}
			delete(texts, 0)
			for id, text := range texts {
				require.Equal(t, text, s.m.Text(workerKey(id)))
			}
		})
	}
	t.Run("in a large namespace", func(t *testing.T) {
		const rows = 3000
		s, l := made(t)
		s.fill(lease.Range{First: 0, Last: rows - 1}, held)
		for id := range int64(100) {
			s.unused(t, rows+id)
		}
		require.LessOrEqual(t, s.count(func() {
			require.EqualValues(t, rows, orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour).WorkerID)
		}), 6)
		require.EqualValues(t, rows+99, s.given(t))
	})
}
