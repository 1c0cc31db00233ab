package uncached

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// stingyWorker gives one tick at a time, and notes the furthest that it was asked for,
// beyond the clock's.
type stingyWorker struct {
	terms   uid.Terms
	asked   time.Duration
	granted int64
}

func (w *stingyWorker) grant(through int64) uid.Reservation {
	w.granted = max(w.granted, through)
	return uid.Reservation{WorkerID: 1, Last: w.granted, Renew: math.MaxInt64}
}

func (w *stingyWorker) Acquire(_ context.Context, t uid.Terms) (uid.Reservation, error) {
	w.terms = t
	return w.grant(t.TickAt(time.Now())), nil
}

func (w *stingyWorker) Extend(_ context.Context, through int64) (uid.Reservation, error) {
	w.asked = max(w.asked, time.Duration(through-w.terms.TickAt(time.Now()))*w.terms.Unit)
	return w.grant(min(through, w.granted+1)), nil
}

func (w *stingyWorker) Release(context.Context, int64) error { return nil }

// The worker hears how far ahead it may be asked for ticks, and is asked for no more, and
// for just as many where the policy never runs ahead.
func TestMaxLeadIsTold(t *testing.T) {
	layouts := map[time.Duration]bits.Layout{}
	for _, unit := range []time.Duration{time.Millisecond, time.Second, time.Minute} {
		layouts[unit] = bits.MustLayout(bits.Config{TimeBits: 42, WorkerBits: 10, SequenceBits: 1, Unit: unit, Epoch: time.Unix(0, 0)})
	}
	for unit, layout := range layouts {
		for _, policy := range policies {
			t.Run(fmt.Sprint(unit, policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := &stingyWorker{}
					g := quiet(t, w, Config{Layout: layout, ClockBack: policy})
					for range 50 {
						_, err := g.GetUID()
						require.NoError(t, err)
					}
					require.NoError(t, g.Close())
					most := max(time.Second, unit)
					require.Equal(t, most, w.asked)
					if policy == Logical() {
						most += unit
					}
					require.Equal(t, most, w.terms.MaxLead)
				})
			})
		}
	}
	require.Equal(t, time.Duration(math.MaxInt64), Logical().lead(math.MaxInt64))
}

// New returns the error of a worker that refuses its terms, and leaves nothing behind: the
// worker was not bound, so it is not released, and serves the next generator.
func TestTermsAreRefused(t *testing.T) {
	w := newPuppet(all)
	refused := errors.New("too far ahead")
	w.set(all, refused)
	g, err := New(w, Config{})
	require.Nil(t, g)
	require.ErrorIs(t, err, refused)
	require.ErrorContains(t, err, "uncached: acquiring the worker: too far ahead")
	require.Empty(t, w.released)
	w.set(all, nil)
	g = quiet(t, w, Config{})
	_, err = g.GetUID()
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.Len(t, w.released, 1)
}
