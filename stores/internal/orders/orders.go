// Package orders makes calls about the namespace of leases "orders", and about the tag "orders", for tests of drivers.
package orders

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker/lease"
)

// Secret is a text that no error and no finding may have.
const Secret = "hunter2"

// Leases returns the namespace.
func Leases(t testing.TB, s *stores.Store) lease.Store {
	t.Helper()
	l, err := s.Leases("orders")
	require.NoError(t, err)
	return l
}

// Made returns the namespace, which it makes if it is not there.
func Made(t testing.TB, s *stores.Store) lease.Store {
	t.Helper()
	l := Leases(t, s)
	Set(t, l, func(n *storage.Namespace) { n.Layout = "made" })
	return l
}

// Set writes what is common to the rows of the namespace.
func Set(t testing.TB, l lease.Store, write func(*storage.Namespace)) {
	t.Helper()
	require.NoError(t, l.Init(t.Context(), func(n *storage.Namespace, _ storage.Clock) error {
		write(n)
		return nil
	}))
}

// Wanted asks for any row of a range.
func Wanted(first, last int64) storage.Wanted {
	return storage.Wanted{IDs: lease.Range{First: first, Last: last}, Rest: time.Minute,
		Highest: func(time.Time) int64 { return math.MaxInt64 }}
}

// Taken takes a row, whose lease then lasts for d, and returns it as it was.
func Taken(t testing.TB, l lease.Store, w storage.Wanted, d time.Duration) (row storage.Lease) {
	t.Helper()
	decide := func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
		row = *r
		r.Nonce, r.Until, r.High = "taken", now.Now.Add(d), r.High+1
		return nil
	}
	require.NoError(t, l.Take(t.Context(), w, decide))
	return row
}

// Keep is a decision that leaves all as it is.
func Keep(*storage.Namespace, *storage.Lease, storage.Clock) error { return nil }

// Unasked is a decision that is not to be made.
func Unasked(t testing.TB) func(*storage.Namespace, *storage.Lease, storage.Clock) error {
	return func(*storage.Namespace, *storage.Lease, storage.Clock) error { return unasked(t) }
}

// UnaskedDraw is one about a segment.
func UnaskedDraw(t testing.TB) func(*storage.Segment) error {
	return func(*storage.Segment) error { return unasked(t) }
}

func unasked(t testing.TB) error {
	t.Error("decide has run")
	return nil
}

// Draw is a decision that takes n numbers.
func Draw(n int64) func(*storage.Segment) error {
	return func(r *storage.Segment) error {
		r.Step, r.Next = max(r.Step, 1), r.Next+n
		return nil
	}
}

// Rows returns the rows of the first tags.
func Rows(t testing.TB, s segment.Store, most int) []storage.Segment {
	t.Helper()
	rows, err := s.Rows(t.Context(), "", most)
	require.NoError(t, err)
	return rows
}

// Fails requires an error that may pass, or is for good, says each of the texts, and does not have the Secret.
func Fails(t testing.TB, err error, passes bool, says ...string) {
	t.Helper()
	require.Error(t, err)
	for _, text := range says {
		require.ErrorContains(t, err, text)
	}
	require.Equal(t, passes, retry.IsTransient(err), "%v", err)
	require.NotContains(t, logtest.Texts(err), Secret)
}

// Findings returns what a check finds. It says why, and what to do, where something is not as it should be.
func Findings(t testing.TB, s *stores.Store) []doctor.Finding {
	t.Helper()
	findings, err := s.Registry().(doctor.Examiner).Examine(t.Context(), doctor.Config{})
	require.NoError(t, err)
	for _, f := range findings {
		require.Equal(t, f.Level == doctor.LevelOK, f.Why == "", "%+v", f)
		require.Equal(t, f.Level == doctor.LevelOK, f.Do == "", "%+v", f)
	}
	require.NotContains(t, fmt.Sprint(findings), Secret)
	return findings
}
