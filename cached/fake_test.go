package cached_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
)

// A fakeClock is time.Now plus an offset that a test sets: inside a synctest bubble
// both are under its control.
type fakeClock struct{ offset atomic.Int64 }

// clockAt returns a clock that shows at now and goes on from there.
func clockAt(at time.Time) *fakeClock {
	c := &fakeClock{}
	c.set(at)
	return c
}

func (c *fakeClock) now() time.Time {
	return time.Now().Round(0).Add(time.Duration(c.offset.Load()))
}
func (c *fakeClock) set(at time.Time)     { c.offset.Store(int64(at.Sub(time.Now().Round(0)))) }
func (c *fakeClock) step(d time.Duration) { c.offset.Add(int64(d)) }

// day is a day within every preset that is in use, on a whole second.
var day = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// A fakeWorker grants windows of ticks from high on, like a lease in a database.
type fakeWorker struct {
	mu       sync.Mutex
	id       int64
	window   int64 // 0: everything
	high     int64 // the last tick that was ever granted
	fail     error
	terms    uid.Terms
	extends  int
	released []int64
	clock    *fakeClock
	overlap  atomic.Int32
}

var errDown = errors.New("the database is down")

func (w *fakeWorker) grant(first, last int64) uid.Reservation {
	w.high = last
	return uid.Reservation{WorkerID: w.id, First: first, Last: last, Renew: last - w.window/2}
}

func (w *fakeWorker) Acquire(_ context.Context, terms uid.Terms) (uid.Reservation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.terms = terms
	if w.fail != nil {
		return uid.Reservation{}, w.fail
	}
	if w.window == 0 {
		return uid.Reservation{WorkerID: w.id, Last: math.MaxInt64, Renew: math.MaxInt64}, nil
	}
	first := max(w.high+1, terms.TickAt(w.clock.now()))
	return w.grant(first, first+w.window), nil
}

func (w *fakeWorker) Extend(_ context.Context, through int64) (uid.Reservation, error) {
	if w.overlap.Add(1) != 1 {
		panic("two calls of a Worker at the same time")
	}
	defer w.overlap.Add(-1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.extends++
	if w.fail != nil {
		return uid.Reservation{}, w.fail
	}
	return w.grant(0, max(w.high, through, w.terms.TickAt(w.clock.now()))+w.window), nil
}

func (w *fakeWorker) Release(_ context.Context, last int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.released = append(w.released, last)
	return nil
}

func (w *fakeWorker) set(f func(w *fakeWorker)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w)
}

// start returns a generator that is closed when the test ends. A clock of nil is the
// real one.
func start(t testing.TB, w uid.Worker, clock *fakeClock, cfg cached.Config) *cached.Generator {
	t.Helper()
	if clock != nil {
		cfg.Now = clock.now
		if fw, ok := w.(*fakeWorker); ok {
			fw.clock = clock
		}
	}
	g, err := cached.New(w, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// millis is a layout of millisecond ticks with runs of 16. (Layouts are made outside of
// synctest bubbles, where it is the year 2000 and every epoch in the future.)
var millis = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 4, Unit: time.Millisecond})

// runsOf16 is a layout of ticks of a second with runs of 16.
var runsOf16 = bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 20, SequenceBits: 4})
