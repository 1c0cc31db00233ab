package fleet

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/kit"
)

// A database that is away for less than the Window is not noticed by anybody. When it is
// away for longer, calls fail, and go on by themselves once it is back.
func TestOutage(t *testing.T) {
	s, _ := openShared(t)
	t.Run("", func(t *testing.T) { // which ends with those that follow
		for name, uncach := range map[string]bool{"cached": false, "uncached": true} {
			for store, durable := range map[string]bool{"": false, ", durable": true} {
				t.Run(name+store, func(t *testing.T) {
					t.Parallel() // they wait
					lease := crew.Timing{Window: 2 * time.Second, MaxClockSkew: 50 * time.Millisecond, DurableStore: durable}
					outage(t, s, lease, uncach)
				})
			}
		}
	})
}

func outage(t *testing.T, s store, lease crew.Timing, uncach bool) {
	through := kit.NewProxy(t, s.Addr)
	db, err := store{Addr: through.Addr()}.open(t.Context())
	require.NoError(t, err)
	defer db.Close()
	var logged texts
	cfg := lease.Config()
	cfg.Logger = logged.Logger()
	l, err := newLease(db, cfg)
	require.NoError(t, err)
	g, err := crew.NewGenerator(l, uncach, logged.Logger())
	require.NoError(t, err)
	seen := map[uid.UID]bool{}
	var newest uid.Parts
	draw := func() error {
		u, err := g.GetUID()
		logged.error(err)
		if err == nil {
			require.False(t, seen[u], "%d comes again", u)
			seen[u] = true
			newest, err = g.(uid.Parser).ParseUID(u)
			require.NoError(t, err)
			time.Sleep(time.Millisecond) // at about the rate that can be sustained
		}
		return err
	}
	require.NoError(t, draw())
	reserved := func() time.Time {
		switch g := g.(type) {
		case *cached.Generator:
			return g.Stats().ReservedUntil
		case *uncached.Generator:
			return g.Stats().ReservedUntil
		}
		return time.Time{}
	}

	// A new owner that burnt ticks is ahead of the clock by more than is reserved.
	crew.Await(t, "the clock to catch up", func() bool { return draw() == nil && !newest.Time.After(time.Now()) })
	for range times(1, 3) {
		through.Refuse(true)
		before := reserved()
		began, back := time.Now(), false
		for !reserved().After(before) {
			err := draw()
			// Attempts may lie further apart than what is left, and cached is a little ahead.
			if time.Now().Before(before.Add(-lease.Window / 4)) {
				require.NoError(t, err)
			}
			if !back && time.Since(began) > lease.Window/2 {
				through.Refuse(false)
				back = true
			}
		}
		through.Refuse(false)
	}

	through.Refuse(true)
	crew.Await(t, "the reservation to be used up", func() bool { err = draw(); return err != nil })
	require.ErrorIs(t, err, uid.ErrNoReservation)
	crew.Await(t, "the record", func() bool { return draw() != nil && strings.Contains(logged.String(), "calls fail") })
	through.Refuse(false)
	crew.Await(t, "the database to be asked again", func() bool { return draw() == nil })
	for range 100 {
		require.NoError(t, draw())
	}
	require.NoError(t, g.Close())
	require.False(t, logged.leaks(), logged.String())
}
