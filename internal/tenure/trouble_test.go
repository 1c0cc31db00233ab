package tenure

import (
	"context"
	"log/slog"
	"regexp"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
)

// layout is one of ticks of a second, as those of terms are.
var (
	layout = bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 4, SequenceBits: 4, Unit: time.Second,
		Epoch: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
	expiry bits.Expiry
)

// told returns the records so far: second, level and text of each.
func told(log *logtest.Records) (all []string) {
	record := regexp.MustCompile(`time=2000-01-01T00:(\d\d:\d\d)\S* level=(\S+) msg="uid: ([^"]*)"`)
	for _, found := range record.FindAllStringSubmatch(log.String(), -1) {
		all = append(all, found[1]+" "+found[2]+" "+found[3])
	}
	return all
}

// A renewal that fails is logged when that begins, at half and at the end, each on time even if an
// attempt hangs; once more when it is over; and otherwise not. It is no warning while there is a
// minute left.
func TestTroubleIsLogged(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var log logtest.Records
			// 200 ticks of a second are reserved, the renewal is due at 20.
			w, o := newFakes(t, uid.Reservation{WorkerID: 3, Last: 199, Renew: 20})
			if hangs {
				onExtend(w, func(ctx context.Context, _ int64) (uid.Reservation, error) {
					if time.Since(o.config().Terms.Epoch) > 25*time.Second {
						<-ctx.Done()
						return uid.Reservation{}, ctx.Err()
					}
					return uid.Reservation{}, fake.ErrDown
				})
			}
			ten := startLogged(t, w, o, &log)
			time.Sleep(19 * time.Second)
			synctest.Wait()
			require.Empty(t, log.String(), "nothing to tell")
			time.Sleep(20 * time.Minute)
			synctest.Wait()
			want := []string{
				"00:20 INFO the reservation cannot be renewed",
				"01:50 INFO half of the reservation is left, and it still cannot be renewed",
				"03:20 ERROR the reservation is used up and cannot be renewed: calls fail",
			}
			require.Equal(t, want, told(&log))
			require.Contains(t, log.String(), "worker_id=3 left=3m0s attempts=1 for=0s error=")
			// At the latest minPause after the half, if an attempt fails just before it.
			require.Regexp(t, `worker_id=3 left=1m(30s|29\.9[0-9]*s) attempts=`, log.String())
			require.Contains(t, log.String(), "left=0s")

			h := ten.Health(layout, expiry, time.Now())
			require.Contains(t, h.Failing.Error, ten.Refused().Error())
			require.Equal(t, 20*time.Second, h.Failing.Since.Sub(ten.cfg.Terms.Epoch))
			require.Greater(t, h.Failing.Attempts, int64(50))
			require.EqualValues(t, h.Failing.Attempts, h.Counts["renewal_failures"])

			grants(w, uid.Reservation{WorkerID: 3, Last: 5000, Renew: 3000})
			time.Sleep(20 * time.Second)
			synctest.Wait()
			require.Len(t, told(&log), 4)
			require.Contains(t, told(&log)[3], "INFO the reservation is renewed again")
			require.Nil(t, ten.Health(layout, expiry, time.Now()).Failing)

			// The next trouble is told anew.
			fails(w)
			ten.Want(6000)
			time.Sleep(time.Second)
			synctest.Wait()
			require.Len(t, told(&log), 5)
			require.Contains(t, told(&log)[4], "INFO the reservation cannot be renewed")
			require.Contains(t, log.String(), "attempts=1 for=0s")
			require.NoError(t, ten.Stop(t.Context(), 7))
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			require.Len(t, told(&log), 5, "nothing is told of what was stopped")
		})
	}
}

// What begins with less than a minute left is a warning; so is its half.
func TestTroubleWithinTheLastMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Records
		w, o := newFakes(t, uid.Reservation{WorkerID: 3, Last: 60, Renew: 2})
		ten := startLogged(t, w, o, &log)
		time.Sleep(40 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{
			"00:02 WARN the reservation cannot be renewed",
			"00:31 WARN half of the reservation is left, and it still cannot be renewed",
		}, told(&log))
		require.NoError(t, ten.Stop(t.Context(), 7))
	})
	synctest.Test(t, func(t *testing.T) { // a minute to the second
		var log logtest.Records
		w, o := newFakes(t, uid.Reservation{WorkerID: 3, Last: 61, Renew: 2})
		ten := startLogged(t, w, o, &log)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"00:02 INFO the reservation cannot be renewed"}, told(&log))
		require.NoError(t, ten.Stop(t.Context(), 7))
	})
}

// A burst uses up the reserved ticks long before the clock does: the log tells of it at once.
func TestTroubleOfABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Records
		w, o := newFakes(t, uid.Reservation{WorkerID: 3, Last: 999, Renew: 0})
		ten := startLogged(t, w, o, &log)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		for range 3 {
			_, err := ten.Await(ten.Grant(), 1000, 1000, true)
			require.ErrorIs(t, err, uid.ErrNoReservation)
			synctest.Wait()
		}
		require.Equal(t, []string{
			"00:00 INFO the reservation cannot be renewed",
			"00:05 ERROR the reservation is used up and cannot be renewed: calls fail",
		}, told(&log))
		require.NoError(t, ten.Stop(t.Context(), 7))
	})
}

// A single failure costs two records, neither of them a warning.
func TestTroubleThatPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Records
		w, o := newFakes(t, uid.Reservation{WorkerID: 3, Last: 199, Renew: 20})
		ten := startLogged(t, w, o, &log)
		time.Sleep(20*time.Second + time.Millisecond)
		synctest.Wait()
		grants(w, uid.Reservation{WorkerID: 3, Last: 5000, Renew: 3000})
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		require.Equal(t, []string{
			"00:20 INFO the reservation cannot be renewed",
			"00:20 INFO the reservation is renewed again",
		}, told(&log))
		require.NoError(t, ten.Stop(t.Context(), 7))
	})
}

// The clock is set while renewals fail: what is left counts, not what has passed.
func TestTroubleAndTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Records
		w, o := newFakes(t, uid.Reservation{WorkerID: 3, Last: 199, Renew: 0})
		clock := fake.NewClock(time.Now())
		cfg := o.config()
		cfg.Now, cfg.Logger = clock.Now, log.Logger()
		ten, err := Start(t.Context(), w, cfg)
		require.NoError(t, err)
		synctest.Wait()
		clock.Step(-time.Hour)
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		require.Len(t, told(&log), 1)
		clock.Step(2 * time.Hour)
		time.Sleep(maxPause)
		synctest.Wait()
		require.Len(t, told(&log), 2)
		require.Contains(t, told(&log)[1], "ERROR")
		require.NoError(t, ten.Stop(t.Context(), 7))
	})
}

// A generator that is closed has no ticks left, which is no trouble.
func TestTroubleEndsWithTheTenure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Records
		w, o := newFakes(t, uid.Reservation{WorkerID: 3, Last: 199, Renew: 20})
		ten := startLogged(t, w, o, &log)
		time.Sleep(21 * time.Second)
		onExtend(w, func(ctx context.Context, _ int64) (uid.Reservation, error) {
			<-ctx.Done()
			return uid.Reservation{}, ctx.Err()
		})
		time.Sleep(6 * time.Second) // an Extend is under way
		synctest.Wait()
		ten.End(nil, uid.ErrClosed)
		require.NoError(t, ten.Stop(t.Context(), 7))
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, []string{"00:20 INFO the reservation cannot be renewed"}, told(&log))
	})
}

// A handler of the log may ask for the health of what it hears of.
func TestTroubleIsLoggedWithoutLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newFakes(t, due)
		cfg := o.config()
		var ten atomic.Pointer[Tenure]
		asked := 0
		cfg.Logger = slog.New(asking{slog.DiscardHandler, func() {
			asked++
			if !ten.Load().mu.TryLock() {
				t.Error("the lock is held")
				return
			}
			ten.Load().mu.Unlock()
			require.NotNil(t, ten.Load().Health(layout, expiry, time.Now()).Failing)
			ten.Load().cfg.Terms.Revoke()
		}})
		onExtend(w, func(context.Context, int64) (uid.Reservation, error) {
			time.Sleep(time.Second) // for ten to be set
			return uid.Reservation{}, fake.ErrDown
		})
		started, err := Start(t.Context(), w, cfg)
		require.NoError(t, err)
		ten.Store(started)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 2, asked, "when it begins, and when it has nothing left because of the Revoke")
		require.NoError(t, started.Stop(t.Context(), 7))
	})
}

type asking struct {
	slog.Handler
	ask func()
}

func (a asking) Enabled(context.Context, slog.Level) bool { return true }

func (a asking) Handle(context.Context, slog.Record) error {
	a.ask()
	return nil
}
