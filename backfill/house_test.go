package backfill_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
)

// seconds is a layout of few worker IDs and small ticks: 8 IDs, 4 UIDs in a tick.
var seconds = bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 3, SequenceBits: 2, Unit: time.Second,
	Epoch: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)})

var quiet = slog.New(slog.DiscardHandler)

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// errorOf returns the error of a call.
func errorOf[V any](_ V, err error) error { return err }

// at returns a time within a tick of seconds.
func at(tick int64) time.Time { return seconds.TimeOf(tick).Add(300 * time.Millisecond) }

// present is the tick at which tests begin.
const present = 10_000

// now is the present for those that share it with nobody.
func now() time.Time { return at(present) }

// A store is a durable one in memory, with the namespace orders.
type store struct {
	*storetest.Memory
	*fake.Clock // of all processes and the store
}

func (s store) tick() int64 { return seconds.TickAt(s.Now()) }

const orders = "orders"

func newStore(t require.TestingT, ids lease.Range) store {
	s := store{Clock: fake.NewFrozenClock(now())}
	s.Memory = storetest.NewMemory(storetest.MemoryConfig{Now: s.Now, Durable: true})
	require.NoError(t, s.found(orders, ids))
	return s
}

func (s store) found(namespace string, ids lease.Range) error {
	return lease.Found(context.Background(), s.Store(namespace), lease.Founding{Layout: seconds, IDs: ids})
}

func (s store) source() backfill.Source { return leased(s.Store(orders)) }

// leased and numbered are sources of the usual settings.
func leased(s lease.Store) backfill.Source { return backfill.FromLeases(s, backfill.LeaseConfig{}) }

func numbered(n disposable.Numbers) backfill.Source {
	return backfill.FromNumbers(n, disposable.Config{Host: "h"})
}

// refused makes a generator that New refuses.
func refused(t *testing.T, source backfill.Source, cfg backfill.Config, is error, text string) {
	t.Helper()
	logtest.Error(t, errorOf(backfill.New(source, cfg)), is, text)
}

// config is that of a run over ticks.
func (s store) config(first, last int64) backfill.Config {
	return backfill.Config{Layout: seconds, From: at(first), To: at(last), Logger: quiet, Now: s.Now}
}

// run makes a generator over ticks.
func (s store) run(t require.TestingT, first, last int64) *backfill.Generator {
	return must(backfill.New(s.source(), s.config(first, last)))
}

// high returns High of an ID's row.
func (s store) high(t require.TestingT, id int64) int64 {
	row, found := s.Row(orders, id)
	require.True(t, found)
	return row.High
}

// live leases an ID for a live process, and returns what is reserved.
func (s store) live(t require.TestingT) uid.Reservation {
	w := must(lease.New(s.Store(orders), lease.Config{Logger: quiet, Now: s.Now}))
	terms := seconds.Terms()
	terms.Revoke = func() {}
	return must(w.Acquire(context.Background(), terms))
}

// numbers gives numbers from a list.
type numbers struct {
	next []int64
	err  error
}

func (n *numbers) Next(_ context.Context, _ storage.Host, _ int64) (int64, error) {
	if n.err != nil {
		return 0, n.err
	}
	if len(n.next) == 0 {
		return 0, uid.ErrNoWorkerID
	}
	id := n.next[0]
	n.next = n.next[1:]
	return id, nil
}

func (*numbers) Inspect(context.Context) ([]string, error) { return nil, nil }

func (*numbers) Name() string { return "a list" }

// listed is a run on numbers of a list over all ticks until present.
func listed(t testing.TB, change func(*backfill.Config), ids ...int64) *backfill.Generator {
	t.Helper()
	cfg := backfill.Config{Layout: seconds, Logger: quiet, Now: now, Workers: len(ids)}
	if change != nil {
		change(&cfg)
	}
	return must(backfill.New(numbered(&numbers{next: ids}), cfg))
}

// parts of a UID of seconds.
func parts(t require.TestingT, u uid.UID) (tick, id, sequence int64) {
	p := must(seconds.Parse(u))
	return seconds.TickAt(p.Time), p.WorkerID, p.Sequence
}

var errPlanned = errors.New("planned")
