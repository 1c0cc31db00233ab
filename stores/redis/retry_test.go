package redis_test

import (
	"context"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker/lease"
)

// made returns a namespace with one row, of worker ID 0.
func made(t *testing.T, s *stores.Store) lease.Store {
	t.Helper()
	l, err := s.Leases("orders")
	require.NoError(t, err)
	require.NoError(t, l.Init(t.Context(), func(n *leasestore.Namespace,
		_ leasestore.Clock) error {
		n.Layout = "x"
		return nil
	}))
	w := leasestore.Wanted{IDs: lease.Range{First: 0, Last: 9}, Highest: func(time.Time) int64 { return 0 }}
	require.NoError(t, l.Take(t.Context(), w, func(_ *leasestore.Namespace, r *leasestore.Row,
		now leasestore.Clock) error {
		r.Nonce, r.Until = "taken", now.Now.Add(time.Hour)
		return nil
	}))
	return l
}

func (f *fake) count(command string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[command]
}

// zero is the field of worker ID 0.
const zero = "0000000000000000000"

func (f *fake) row() string { return f.HGet("uid:{orders}:rows", zero) }

// A write whose reply is lost is not sent again: another client may have replaced by then what it
// has stored, and nobody could tell.
func TestWriteIsSentOnce(t *testing.T) {
	f := newFake(t)
	made(t, f.store())
	var w wire
	s := w.store(f, goredis.Options{})
	l, err := s.Leases("orders")
	require.NoError(t, err)

	writes := f.count("HSET")
	w.lose("d7647000f247155ec476a0797763d3d4950d0000") // only writes name it
	ran := 0
	err = l.Change(t.Context(), 0, func(_ *leasestore.Namespace, r *leasestore.Row, _ leasestore.Clock) error {
		ran++
		r.Nonce = "changed"
		return nil
	})
	require.ErrorContains(t, err, "the connection was lost")
	require.True(t, retry.IsTransient(err))
	require.EqualValues(t, 1, w.lost.Load())
	require.Equal(t, 1, ran)
	require.Equal(t, writes+1, f.count("HSET"))
	require.Contains(t, f.row(), `"nonce":"changed"`)

	// One that only reads is.
	w.lose("evalsha")
	require.NoError(t, l.Change(t.Context(), 0, func(_ *leasestore.Namespace, r *leasestore.Row,
		_ leasestore.Clock) error {
		return nil
	}))
	require.EqualValues(t, 2, w.lost.Load())
}

// A server without the scripts gets them.
func TestScriptsAreSentAgain(t *testing.T) {
	f := newFake(t)
	l := made(t, f.store())
	evals := f.count("EVAL")
	require.NoError(t, f.client().ScriptFlush(t.Context()).Err())
	require.NoError(t, l.Change(t.Context(), 0, func(_ *leasestore.Namespace, r *leasestore.Row,
		_ leasestore.Clock) error {
		return nil
	}))
	require.Equal(t, evals+1, f.count("EVAL"))
	require.NoError(t, l.Change(t.Context(), 0, func(_ *leasestore.Namespace, r *leasestore.Row,
		_ leasestore.Clock) error {
		return nil
	}))
	require.Equal(t, evals+1, f.count("EVAL"))
}

// A renewal takes two round trips, and so does an acquisition.
func TestRoundTrips(t *testing.T) {
	f := newFake(t)
	l := made(t, f.store())
	before := f.count("EVALSHA")
	require.NoError(t, l.Change(t.Context(), 0, func(_ *leasestore.Namespace, r *leasestore.Row,
		_ leasestore.Clock) error {
		return nil
	}))
	require.Equal(t, before+2, f.count("EVALSHA"))
	w := leasestore.Wanted{IDs: lease.Range{First: 0, Last: 9}, Highest: func(time.Time) int64 { return 0 }}
	require.NoError(t, l.Take(t.Context(), w, func(_ *leasestore.Namespace, r *leasestore.Row,
		_ leasestore.Clock) error {
		return nil
	}))
	require.Equal(t, before+4, f.count("EVALSHA"))
}

// A client that waits for ever does not keep a call that has been given up.
func TestContextEndsWait(t *testing.T) {
	f := newFake(t)
	made(t, f.store())
	w := wire{hang: true}
	s := w.store(f, goredis.Options{ReadTimeout: -1, WriteTimeout: -1})
	l, err := s.Leases("orders")
	require.NoError(t, err)
	w.lose("d7647000f247155ec476a0797763d3d4950d0000")
	ctx, cancel := context.WithCancel(t.Context())
	err = l.Change(ctx, 0, func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error {
		time.AfterFunc(10*time.Millisecond, cancel)
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, retry.IsTransient(err))
}
