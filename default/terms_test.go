package uncached

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
)

// stingy is a worker that gives one tick at a time, and notes the furthest that it was
// asked for, beyond the clock's.
func stingy(asked *time.Duration) *fake.Worker {
	w := &fake.Worker{}
	granted := int64(0)
	grant := func(through int64) (uid.Reservation, error) {
		granted = max(granted, through)
		return uid.Reservation{WorkerID: 1, Last: granted, Renew: math.MaxInt64}, nil
	}
	w.OnAcquire = func(_ context.Context, t uid.Terms) (uid.Reservation, error) { return grant(t.TickAt(time.Now())) }
	w.OnExtend = func(_ context.Context, through int64) (uid.Reservation, error) {
		*asked = max(*asked, time.Duration(through-w.Terms.TickAt(time.Now()))*w.Terms.Unit)
		return grant(min(through, granted+1))
	}
	return w
}

// The worker hears how far ahead it may be asked for ticks, and is asked for no more, and
// for just as many where the policy never runs ahead.
func TestMaxLeadIsTold(t *testing.T) {
	layouts := map[time.Duration]bits.Layout{}
	for _, unit := range []time.Duration{time.Millisecond, time.Second, time.Minute} {
		cfg := bits.Config{TimeBits: 42, WorkerBits: 10, SequenceBits: 1, Unit: unit, Epoch: time.Unix(0, 0)}
		layouts[unit] = bits.MustLayout(cfg)
	}
	for unit, layout := range layouts {
		for _, policy := range policies {
			t.Run(fmt.Sprint(unit, policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var asked time.Duration
					w := stingy(&asked)
					g := quiet(t, w, Config{Layout: layout, ClockBack: policy})
					for range 50 {
						must(g.GetUID())
					}
					require.NoError(t, g.Close())
					most := max(time.Second, unit)
					require.Equal(t, most, asked)
					if policy == Logical() {
						most += unit
					}
					require.Equal(t, most, w.Terms.MaxLead)
				})
			})
		}
	}
	require.Equal(t, time.Duration(math.MaxInt64), Logical().lead(math.MaxInt64))
}
