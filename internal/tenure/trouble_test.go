package tenure

import (
	"context"
	"regexp"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
)

// layout is one of ticks of a second, as those of newFakes are.
var (
	layout = bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 4, SequenceBits: 4, Unit: time.Second,
		Epoch: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
	expiry bits.Expiry
)

// told returns the records so far: second, level and text of each.
func (o *fakeOwner) told() (all []string) {
	record := regexp.MustCompile(`time=2000-01-01T00:(\d\d:\d\d)\S* level=(\S+) msg="uid: ([^"]*)"`)
	for _, found := range record.FindAllStringSubmatch(o.log.String(), -1) {
		all = append(all, found[1]+" "+found[2]+" "+found[3])
	}
	return all
}

// A renewal that fails is logged when that begins, at half and at the end, each on time even if an
// attempt hangs; once more when it is over; and otherwise not. It is no warning while there is a
// minute left.
func TestTroubleIsLogged(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		// 200 ticks of a second are reserved, the renewal is due at 20.
		bubble(t, upTo(199, 20), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
			if hangs {
				time.AfterFunc(25*time.Second, func() { hang(w) })
			}
			ten := start(t, w, o)
			pass(19 * time.Second)
			require.Empty(t, o.log.String(), "nothing to tell")
			pass(20 * time.Minute)
			want := []string{
				"00:20 INFO the reservation cannot be renewed",
				"01:50 INFO half of the reservation is left, and it still cannot be renewed",
				"03:20 ERROR the reservation is used up and cannot be renewed: calls fail",
			}
			require.Equal(t, want, o.told())
			require.Contains(t, o.log.String(), "worker_id=3 left=3m0s attempts=1 for=0s error=")
			// At the latest minPause after the half, if an attempt fails just before it.
			require.Regexp(t, `worker_id=3 left=1m(30s|29\.9[0-9]*s) attempts=`, o.log.String())
			require.Contains(t, o.log.String(), "left=0s")

			h := ten.Health(layout, expiry, time.Now())
			require.Contains(t, h.Failing.Error, refused(ten).Error())
			require.Equal(t, 20*time.Second, h.Failing.Since.Sub(ten.cfg.Terms.Epoch))
			require.Greater(t, h.Failing.Attempts, int64(50))
			require.EqualValues(t, h.Failing.Attempts, h.Counts["renewal_failures"])

			grants(w, upTo(5000, 3000))
			pass(20 * time.Second)
			require.Len(t, o.told(), 4)
			require.Contains(t, o.told()[3], "INFO the reservation is renewed again")
			require.Nil(t, ten.Health(layout, expiry, time.Now()).Failing)

			// The next trouble is told anew.
			fails(w)
			ten.Want(6000)
			pass(time.Second)
			require.Len(t, o.told(), 5)
			require.Contains(t, o.told()[4], "INFO the reservation cannot be renewed")
			require.Contains(t, o.log.String(), "attempts=1 for=0s")
			require.NoError(t, ten.Stop(t.Context(), 7))
			pass(2 * time.Hour)
			require.Len(t, o.told(), 5, "nothing is told of what was stopped")
		})
	}
}

// What begins with less than a minute left is a warning; so is its half.
func TestTroubleWithinTheLastMinute(t *testing.T) {
	bubble(t, upTo(60, 2), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		start(t, w, o)
		pass(40 * time.Second)
		require.Equal(t, []string{
			"00:02 WARN the reservation cannot be renewed",
			"00:31 WARN half of the reservation is left, and it still cannot be renewed",
		}, o.told())
	})
	// A minute to the second is left.
	bubble(t, upTo(61, 2), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		start(t, w, o)
		pass(3 * time.Second)
		require.Equal(t, []string{"00:02 INFO the reservation cannot be renewed"}, o.told())
	})
}

// A burst uses up the reserved ticks long before the clock does: the log tells of it at once.
func TestTroubleOfABurst(t *testing.T) {
	bubble(t, upTo(999, 0), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		ten := start(t, w, o)
		pass(5 * time.Second)
		for range 3 {
			_, err := ten.Await(ten.Grant(), 1000, 1000, true)
			require.ErrorIs(t, err, uid.ErrNoReservation)
			synctest.Wait()
		}
		require.Equal(t, []string{
			"00:00 INFO the reservation cannot be renewed",
			"00:05 ERROR the reservation is used up and cannot be renewed: calls fail",
		}, o.told())
	})
}

// The clock is set while renewals fail: what is left counts, not what has passed.
func TestTroubleAndTheClock(t *testing.T) {
	bubble(t, upTo(199, 0), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		clock := fake.NewClock(time.Now())
		o.cfg.Now = clock.Now
		start(t, w, o)
		synctest.Wait()
		clock.Step(-time.Hour)
		pass(30 * time.Minute)
		require.Len(t, o.told(), 1)
		clock.Step(2 * time.Hour)
		pass(maxPause)
		require.Len(t, o.told(), 2)
		require.Contains(t, o.told()[1], "ERROR")
	})
}

// A generator that is closed has no ticks left, which is no trouble.
func TestTroubleEndsWithTheTenure(t *testing.T) {
	bubble(t, upTo(199, 20), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		ten := start(t, w, o)
		time.Sleep(21 * time.Second)
		hang(w)
		pass(6 * time.Second) // an Extend is under way
		ten.End(nil, uid.ErrClosed)
		require.NoError(t, ten.Stop(t.Context(), 7))
		pass(time.Hour)
		require.Equal(t, []string{"00:20 INFO the reservation cannot be renewed"}, o.told())
	})
}

// A handler of the log may ask for the health of what it hears of.
func TestTroubleIsLoggedWithoutLocks(t *testing.T) {
	bubble(t, due, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		var ten atomic.Pointer[Tenure]
		asked := 0
		ask := func() {
			asked++
			if !ten.Load().mu.TryLock() {
				t.Error("the lock is held")
				return
			}
			ten.Load().mu.Unlock()
			require.NotNil(t, ten.Load().Health(layout, expiry, time.Now()).Failing)
			ten.Load().cfg.Terms.Revoke()
		}
		o.log.On = map[string]func(){`cannot be renewed"`: ask, "used up": ask}
		onExtend(w, func(context.Context, int64) (uid.Reservation, error) {
			time.Sleep(time.Second) // for ten to be set
			return uid.Reservation{}, fake.ErrDown
		})
		ten.Store(start(t, w, o))
		pass(time.Minute)
		require.Equal(t, 2, asked, "when it begins, and when it has nothing left because of the Revoke")
		require.Len(t, o.told(), 2)
	})
}
