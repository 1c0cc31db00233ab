package etcd_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker/lease"
)

const namespaceKey = "uid/leases/orders/namespace"

func workerKey(id int64) string { return fmt.Sprintf("uid/leases/orders/worker/%019d", id) }

// made returns the namespace of a new client.
func made(t *testing.T, s *server) lease.Store { return orders.Made(t, s.store(t, etcd.Config{})) }

// take takes an ID and returns it.
func take(t *testing.T, l lease.Store, first, last int64) int64 {
	t.Helper()
	return orders.Taken(t, l, orders.Wanted(first, last), time.Hour).WorkerID
}

// An acquisition and a renewal are two requests, two more where rows are made, and a lost race is one more.
func TestRequests(t *testing.T) {
	s := newServer(t)
	l, other := made(t, s), made(t, s)
	renew := func(l lease.Store) error {
		return l.Change(t.Context(), 0, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
			r.High++
			return nil
		})
	}
	require.Equal(t, 2+2, s.count(func() { take(t, l, 0, 9) }))
	require.Equal(t, 2, s.count(func() { require.NoError(t, renew(l)) }))
	s.between = func() { require.NoError(t, renew(other)) }
	require.Equal(t, 3+2, s.count(func() { require.NoError(t, renew(l)) }))
	s.between = func() { require.EqualValues(t, 1, take(t, other, 0, 9)) }
	require.Equal(t, 3+2+2, s.count(func() { require.NotEqualValues(t, 1, take(t, l, 0, 9)) }), "and it makes rows")
}

// A snapshot that is restored under another cluster ID refuses everybody until the namespace is
// made anew.
func TestRestoredElsewhere(t *testing.T) {
	s := newServer(t)
	l := made(t, s)
	take(t, l, 0, 0)
	s.backup()(0xbad)
	for _, err := range []error{
		l.Change(t.Context(), 0, orders.Unasked(t)),
		l.Take(t.Context(), orders.Wanted(0, 9), orders.Unasked(t)),
		l.Init(t.Context(), func(n *storage.Namespace, now storage.Clock) error {
			return orders.Unasked(t)(n, nil, now)
		}),
	} {
		require.ErrorIs(t, err, uid.ErrConfig)
		orders.Fails(t, err, false, "cdf818194e3a8c32", "0000000000000bad")
	}

	s.set(namespaceKey, "")
	require.NoError(t, l.Init(t.Context(), func(n *storage.Namespace, _ storage.Clock) error {
		require.True(t, n.Fresh && n.Given == 0)
		return nil
	}))
	require.EqualValues(t, 1, take(t, l, 0, 9))
}

// What was decided before a snapshot was restored is not stored, or at least not confirmed. TestStore tries what is
// written since.
func TestDecidedBeforeRestore(t *testing.T) {
	renew := func(l lease.Store, nonce string, decided func()) error {
		return l.Change(t.Context(), 0, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
			if nonce, r.Nonce = "", nonce; decided != nil {
				decided()
				decided = nil
			}
			return nil
		})
	}
	begin := func(t *testing.T) (*server, lease.Store, func(uint64)) {
		s := newServer(t)
		l := made(t, s)
		take(t, l, 0, 0)
		return s, l, s.backup()
	}
	const same = 0xcdf818194e3a8c32
	t.Run("the revision is not reached again", func(t *testing.T) {
		s, l, restore := begin(t)
		s.set("another/key", "x") // lost, and read with
		require.NoError(t, renew(l, "late", func() { restore(same) }))
		require.NotContains(t, s.value(workerKey(0)), "late", "decided on what is lost")
	})
	t.Run("another cluster answers", func(t *testing.T) {
		_, l, restore := begin(t)
		err := renew(l, "late", func() { restore(0xbad) })
		orders.Fails(t, err, true, "0000000000000bad") // its outcome is open
	})
	t.Run("the history is compacted", func(t *testing.T) {
		s, l, _ := begin(t)
		require.NoError(t, renew(l, "", func() {
			s.set("another/key", "x")
			s.mu.Lock()
			defer s.mu.Unlock()
			s.compacted = s.revision
		}))
	})
}

// All clients of a namespace have the same bound for their clocks, and what this package cannot have written is an
// error that names the key. What is under a key is read by later versions: it must not change.
func TestEnvelope(t *testing.T) {
	for says, c := range map[string]struct{ of, old, new string }{
		"not a JSON object":             {"both", `{`, orders.Secret},
		"a field that is not known":     {"both", `"text":`, `"` + orders.Secret + `":1,"text":`},
		"newer version: its form is 3":  {"both", `{"v":2,"cluster"`, `{"v":3,"cluster"`},
		"cluster is not a number of 16": {"both", `"cdf8`, `"0xCD`},
		"a field is missing":            {namespaceKey, `"clock_error":1000000,`, ``},
		"clock_error is 0 µs":           {namespaceKey, `"clock_error":1000000`, `"clock_error":0`},
		"clock_error is 3600000001 µs":  {namespaceKey, `"clock_error":1000000`, `"clock_error":3600000001`},
		"ClockError is 1s, and namespace \"orders\" was made with 2s": {namespaceKey, `"clock_error":1000000`,
			`"clock_error":2000000`},
	} {
		s := newServer(t)
		l, numbers := made(t, s), segments(t, s)
		require.NoError(t, numbers.Change(t.Context(), "orders", orders.Draw(1)))
		for _, key := range []string{namespaceKey, segmentKey} {
			s.set(key, strings.Replace(s.value(key), c.old, c.new, 1))
		}
		errs := []error{l.Take(t.Context(), orders.Wanted(0, 1<<40), orders.Unasked(t)),
			l.Change(t.Context(), 0, orders.Unasked(t))}
		if c.of == "both" {
			_, listed := numbers.Rows(t.Context(), "", 10)
			require.ErrorIs(t, listed, uid.ErrRange)
			require.NotContains(t, listed.Error(), orders.Secret)
			errs = append(errs, numbers.Change(t.Context(), "orders", orders.UnaskedDraw(t)))
		}
		for _, err := range errs {
			orders.Fails(t, err, false, says, "orders")
		}
	}
	expects := func(_ *storage.Namespace, now storage.Clock) error {
		require.Equal(t, time.Second, now.Error)
		return nil
	}
	require.NoError(t, made(t, newServer(t)).Init(t.Context(), expects))
}
