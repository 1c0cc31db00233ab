package tenure

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeOwner notes what it was told, and that it was told one thing at a time.
type fakeOwner struct {
	t    testing.TB
	cfg  Config // of its tenure
	log  logtest.Records
	busy atomic.Int64

	mu      sync.Mutex
	granted []uid.Reservation
}

func (o *fakeOwner) enter() func() {
	if o.busy.Add(1) != 1 {
		o.t.Errorf("two calls of the owner at once")
	}
	o.mu.Lock()
	return func() {
		o.mu.Unlock()
		o.busy.Add(-1)
	}
}

func (o *fakeOwner) onGranted(r uid.Reservation) {
	defer o.enter()()
	o.granted = append(o.granted, r)
}

func (o *fakeOwner) onDiscard() {
	o.enter()()
}

func (o *fakeOwner) grants() []uid.Reservation {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.granted)
}

func (o *fakeOwner) last() uid.Reservation {
	granted := o.grants()
	return granted[len(granted)-1]
}

// newFakes returns a worker that gives r at first and then fails, and its owner, whose ticks are
// of a second from now on.
func newFakes(t testing.TB, r uid.Reservation) (*fake.Worker, *fakeOwner) {
	w := &fake.Worker{OnAcquire: func(context.Context, uid.Terms) (uid.Reservation, error) { return r, nil }}
	fails(w)
	o := &fakeOwner{t: t}
	o.cfg = Config{
		Terms: uid.Terms{Epoch: time.Now(), Unit: time.Second, MaxTick: 1 << 30, MaxWorkerID: 15},
		Now:   time.Now, Logger: o.log.Logger(), Granted: o.onGranted, Discard: o.onDiscard,
	}
	return w, o
}

// bubble runs a test in a synctest bubble, on newFakes.
func bubble(t *testing.T, r uid.Reservation, test func(t *testing.T, w *fake.Worker, o *fakeOwner)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, o := newFakes(t, r)
		test(t, w, o)
	})
}

// pass lets time pass in a bubble, and what is due then happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// onExtend sets what the worker does from now on.
func onExtend(w *fake.Worker, extend func(ctx context.Context, through int64) (uid.Reservation, error)) {
	w.Set(func(w *fake.Worker) { w.OnExtend = extend })
}

// grants makes the worker give r from now on, and fails makes it fail.
func grants(w *fake.Worker, r uid.Reservation) {
	onExtend(w, func(context.Context, int64) (uid.Reservation, error) { return r, nil })
}

func fails(w *fake.Worker) {
	onExtend(w, func(context.Context, int64) (uid.Reservation, error) { return uid.Reservation{}, fake.ErrDown })
}

type call struct {
	at      time.Duration // since the worker was acquired
	through int64
}

// calls returns the worker's Extends.
func calls(w *fake.Worker) (all []call) {
	for _, a := range w.Asks() {
		all = append(all, call{a.At.Sub(w.Terms.Epoch), a.Through})
	}
	return all
}

// start starts the tenure, which is stopped when the test ends.
func start(t testing.TB, w *fake.Worker, o *fakeOwner) *Tenure {
	ten, err := Start(t.Context(), w, o.cfg)
	require.NoError(t, err)
	require.NotEmpty(t, o.grants())
	t.Cleanup(func() { require.NoError(t, ten.Stop(context.Background(), 0)) })
	return ten
}

// refused returns why the last Extend failed, nil if it did not.
func refused(t *Tenure) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trouble.err
}

// upTo is a reservation of the ticks up to last, of which an Extend is due at renew.
func upTo(last, renew int64) uid.Reservation {
	return uid.Reservation{WorkerID: 3, Last: last, Renew: renew}
}

var (
	// endless is a reservation that needs no renewal.
	endless = upTo(math.MaxInt64, math.MaxInt64)
	// due is one that an Extend is due for at once.
	due = upTo(100, 0)
)

// The bubble ends before the tenure does: there is no goroutine to wait for.
func TestNothingToRenew(t *testing.T) {
	bubble(t, endless, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		ten := start(t, w, o)
		require.Equal(t, []uid.Reservation{endless}, o.grants())
		time.Sleep(24 * time.Hour)
		require.Empty(t, calls(w))
		require.NoError(t, ten.Stop(t.Context(), 42))
		require.NoError(t, ten.Stop(t.Context(), 43))
		require.Equal(t, []int64{42}, w.Released)
		ten.Want(1)
		w.Terms.Revoke()
		time.Sleep(time.Hour)
		require.Empty(t, calls(w), "after Stop")
	})
}

func TestAcquireBreaksTheTerms(t *testing.T) {
	for _, c := range []struct {
		r     uid.Reservation
		fails error // the worker's Release
		text  string
	}{
		{uid.Reservation{WorkerID: 16, Last: 10, Renew: 5}, nil, "worker ID 16: the layout holds 0 to 15"},
		{uid.Reservation{WorkerID: -1, Last: 10, Renew: 5}, nil, "worker ID -1"},
		{uid.Reservation{WorkerID: 1, First: -2, Last: 10, Renew: 5}, fake.ErrDown, "from tick -2"},
	} {
		bubble(t, c.r, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
			w.FailRelease = c.fails
			_, err := Start(t.Context(), w, o.cfg)
			logtest.Error(t, err, uid.ErrRange, c.text)
			says := fmt.Sprint("could not be released\" worker_id=", c.r.WorkerID)
			require.Equal(t, c.fails != nil, o.log.Count(says) == 1)
			require.Equal(t, []int64{-1}, w.Released)
			require.Empty(t, o.grants())
			w.Terms.Revoke()
			time.Sleep(time.Hour)
			require.Empty(t, calls(w))
		})
	}
}

// An Extend is made when the clock enters the tick at which it is due, not sooner.
func TestRenewWhenDue(t *testing.T) {
	bubble(t, upTo(100, 50), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		next := upTo(20000, 10000)
		grants(w, next)
		start(t, w, o)
		time.Sleep(50*time.Second - 1)
		require.Empty(t, calls(w))
		pass(time.Nanosecond)
		require.Equal(t, []call{{50 * time.Second, 0}}, calls(w))
		require.Equal(t, next, o.last())
		grants(w, endless)
		time.Sleep(10000 * time.Second)
		require.Len(t, calls(w), 2)
		require.Equal(t, 10000*time.Second, calls(w)[1].at)
		time.Sleep(24 * time.Hour)
		require.Len(t, calls(w), 2, "no renewal is needed any more")
	})
}

// The tick counts, not a whole number of units from the last look on.
func TestRenewWhenDueWithinATick(t *testing.T) {
	for _, epoch := range []time.Duration{0, 300 * time.Millisecond, -800 * time.Millisecond} {
		bubble(t, upTo(100, 5), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
			o.cfg.Terms.Epoch = o.cfg.Terms.Epoch.Add(epoch)
			ten := start(t, w, o)
			time.Sleep(250 * time.Millisecond)
			grants(w, upTo(101, 5))
			ten.Want(1) // the tenure asks, and looks again from here on
			synctest.Wait()
			time.Sleep(5*time.Second + epoch - 250*time.Millisecond - 1)
			require.Len(t, calls(w), 1)
			pass(time.Nanosecond)
			require.Len(t, calls(w), 2)
			require.Equal(t, 5*time.Second, calls(w)[1].at)
		})
	}
}

// A wall clock that is set forward while the tenure sleeps is noticed within the hour.
func TestRenewAfterTheClockWasSet(t *testing.T) {
	bubble(t, upTo(200000, 100000), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		clock := fake.NewClock(time.Now())
		o.cfg.Now = clock.Now
		grants(w, endless)
		start(t, w, o)
		time.Sleep(time.Minute)
		clock.Step(100000 * time.Second)
		pass(time.Hour)
		require.Len(t, calls(w), 1)
	})
}

// A wall clock that is set back while the tenure sleeps does not put the renewal off.
func TestRenewAfterTheClockWasSetBack(t *testing.T) {
	bubble(t, upTo(200, 30), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		clock := fake.NewClock(time.Now())
		o.cfg.Now = clock.Now
		grants(w, endless)
		start(t, w, o)
		time.Sleep(10 * time.Second)
		clock.Step(-30 * time.Minute)
		pass(20*time.Second - 1)
		require.Empty(t, calls(w))
		pass(time.Nanosecond)
		require.Len(t, calls(w), 1)
	})
}

// A worker that gives what it gave before is not asked on and on, but more often than one that
// fails: it may have more at any moment.
func TestPausesOfAnIdleWorker(t *testing.T) {
	bubble(t, due, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		grants(w, due)
		start(t, w, o)
		pass(time.Minute)
		require.Less(t, len(calls(w)), 250)
		require.Greater(t, len(calls(w)), 10)
		fails(w)
		time.Sleep(time.Minute)
		grants(w, due)
		pass(maxPause)
		before := len(calls(w))
		pass(time.Minute)
		require.Greater(t, len(calls(w))-before, 115)
		require.Less(t, len(calls(w))-before, 245)
	})
}

func TestRenewWhenWanted(t *testing.T) {
	bubble(t, upTo(100, math.MaxInt64), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		onExtend(w, func(_ context.Context, through int64) (uid.Reservation, error) {
			return upTo(through, math.MaxInt64), nil
		})
		ten := start(t, w, o)
		ten.Want(150)
		ten.Want(120)
		synctest.Wait()
		require.EqualValues(t, 150, o.last().Last)
		require.LessOrEqual(t, len(calls(w)), 2)
		require.Zero(t, calls(w)[0].at)
		for range 100 {
			ten.Want(160)
		}
		pass(idlePause) // the wish for 120 may have brought nothing, and a pause with it
		require.EqualValues(t, 160, o.last().Last)
		ten.Want(130) // no less than what was wanted before
		pass(idlePause)
		require.EqualValues(t, 160, o.last().Last)
	})
}

// A renewal that is centuries away is not taken for one that is due.
func TestRenewInTheFarFuture(t *testing.T) {
	for _, renew := range []int64{1 << 34, 1 << 62, math.MaxInt64 - 1} {
		bubble(t, upTo(math.MaxInt64, renew), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
			start(t, w, o)
			time.Sleep(3 * time.Hour)
			require.Empty(t, calls(w))
		})
	}
}

// Failures are told, and answered with longer and longer pauses; the first success ends them.
func TestBackOffAndRecovery(t *testing.T) {
	bubble(t, upTo(100, 10), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		ten := start(t, w, o)
		pass(60 * time.Second)
		made := calls(w)
		require.ErrorIs(t, refused(ten), fake.ErrDown)
		require.Len(t, o.grants(), 1)
		pause := minPause
		for i := 1; i < len(made); i++ {
			d := made[i].at - made[i-1].at
			require.GreaterOrEqual(t, d, pause/2)
			require.LessOrEqual(t, d, pause)
			pause = min(2*pause, maxPause)
		}
		require.Greater(t, len(made), 12)
		// Wishes do not hurry it.
		for range 50 {
			ten.Want(200)
		}
		synctest.Wait()
		require.Len(t, calls(w), len(made))

		grants(w, upTo(1000, 500))
		pass(maxPause)
		require.EqualValues(t, 1000, o.last().Last)
		require.Len(t, calls(w), len(made)+1)

		// The next trouble begins with short pauses again.
		fails(w)
		pass(500*time.Second - time.Since(w.Terms.Epoch) + minPause)
		require.GreaterOrEqual(t, len(calls(w)), len(made)+3)
	})
}

// A worker that loses its ID and gives another one is believed at once.
func TestAnotherWorkerID(t *testing.T) {
	bubble(t, upTo(100, 10), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		grants(w, uid.Reservation{WorkerID: 4, First: 20, Last: 90, Renew: 10})
		ten := start(t, w, o)
		time.Sleep(9 * time.Second)
		ten.Want(100)
		synctest.Wait()
		require.EqualValues(t, 4, o.last().WorkerID)
		grants(w, endless)
		ten.Want(101)
		synctest.Wait()
		require.Equal(t, endless, o.last())
	})
}

func TestExtendBreaksTheTerms(t *testing.T) {
	bubble(t, upTo(100, 10), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		grants(w, uid.Reservation{WorkerID: 16, Last: 1000, Renew: 500})
		ten := start(t, w, o)
		pass(10 * time.Second)
		require.Len(t, o.grants(), 1)
		require.ErrorIs(t, refused(ten), uid.ErrRange)
	})
}

// hang makes Extend wait until its context ends.
func hang(w *fake.Worker) {
	onExtend(w, func(ctx context.Context, _ int64) (uid.Reservation, error) {
		<-ctx.Done()
		return endless, ctx.Err()
	})
}

func TestExtendTimesOut(t *testing.T) {
	bubble(t, due, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		hang(w)
		ten := start(t, w, o)
		pass(extendTimeout)
		require.ErrorIs(t, refused(ten), context.DeadlineExceeded)
	})
}

// What an Extend returns that was under way during a revocation is what was revoked.
func TestRevokeDuringExtend(t *testing.T) {
	bubble(t, due, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		n := 0
		onExtend(w, func(context.Context, int64) (uid.Reservation, error) {
			time.Sleep(time.Second)
			if n++; n == 1 {
				return due, nil
			}
			return upTo(1100, math.MaxInt64), nil
		})
		start(t, w, o)
		time.Sleep(500 * time.Millisecond)
		w.Terms.Revoke()
		pass(time.Second)
		require.Len(t, o.grants(), 1, "the revoked one was handed over")
		pass(time.Second)
		require.EqualValues(t, 1100, o.last().Last)
		require.Len(t, calls(w), 2)
		require.Equal(t, time.Second, calls(w)[1].at, "the worker is asked again at once")
	})
}

// A revocation during Acquire leaves nothing of the reservation, and the worker is asked
// again only when Acquire has returned. However often it then revokes and gives the same
// again, it is asked at once.
func TestRevokeDuringAcquire(t *testing.T) {
	bubble(t, endless, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		w.OnAcquire = func(_ context.Context, terms uid.Terms) (uid.Reservation, error) {
			go terms.Revoke()
			time.Sleep(time.Second)
			return endless, nil
		}
		grants(w, endless)
		start(t, w, o)
		require.Equal(t, nothing(endless.WorkerID), o.grants()[0])
		synctest.Wait()
		require.Equal(t, endless, o.last())
		began := time.Now()
		for i := range 20 {
			w.Terms.Revoke()
			synctest.Wait()
			require.Len(t, o.grants(), 3+i)
		}
		require.Zero(t, time.Since(began))
	})
}

// Stop cancels an Extend under way, waits for it to return, and then releases the worker.
func TestStopDuringExtend(t *testing.T) {
	bubble(t, due, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		w.FailRelease = fake.ErrDown
		onExtend(w, func(ctx context.Context, _ int64) (uid.Reservation, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // cleans up
			return endless, nil
		})
		ten := start(t, w, o)
		synctest.Wait()
		began := time.Now()
		require.ErrorIs(t, ten.Stop(t.Context(), 7), fake.ErrDown)
		require.Equal(t, time.Second, time.Since(began))
		require.NoError(t, ten.Stop(t.Context(), 8))
		require.Equal(t, []int64{7}, w.Released)
		require.Len(t, o.grants(), 1, "a reservation after Stop")
		require.NoError(t, refused(ten))
	})
}

// Stop during a pause does not wait for its end.
func TestStopDuringPause(t *testing.T) {
	bubble(t, due, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		ten := start(t, w, o)
		time.Sleep(30*time.Second + 1)
		began := time.Now()
		require.NoError(t, ten.Stop(t.Context(), 7))
		require.Zero(t, time.Since(began))
	})
}

// strictOwner knows which reservations have been revoked: all that the worker had returned
// when Discard was called.
type strictOwner struct {
	*fakeOwner
	returned *atomic.Int64 // the serial number of the worker's newest reservation
	revoked  int64
}

func (o *strictOwner) onGranted(r uid.Reservation) {
	defer o.enter()()
	runtime.Gosched() // let others in, if they can
	if r.Last >= 0 && r.Last <= o.revoked {
		o.t.Errorf("granted %d, revoked are those up to %d", r.Last, o.revoked)
	}
}

func (o *strictOwner) onDiscard() {
	defer o.enter()()
	runtime.Gosched()
	o.revoked = o.returned.Load()
}

// In whatever order calls are made: the worker's methods are called one at a time, and nothing
// that was revoked is handed over.
func TestConcurrentCalls(t *testing.T) {
	for range 300 {
		var returned atomic.Int64
		w, owner := newFakes(t, endless)
		o := &strictOwner{fakeOwner: owner, returned: &returned}
		give := func() uid.Reservation {
			return upTo(returned.Add(1), math.MaxInt64)
		}
		var wg sync.WaitGroup
		w.OnAcquire = func(_ context.Context, terms uid.Terms) (uid.Reservation, error) {
			wg.Go(func() {
				for range 30 {
					terms.Revoke()
					runtime.Gosched()
				}
			})
			runtime.Gosched()
			return give(), nil
		}
		onExtend(w, func(context.Context, int64) (uid.Reservation, error) {
			runtime.Gosched()
			return give(), nil
		})
		o.cfg.Granted, o.cfg.Discard = o.onGranted, o.onDiscard
		ten, err := Start(t.Context(), w, o.cfg)
		require.NoError(t, err)
		for range 2 {
			wg.Go(func() {
				for i := range int64(30) {
					ten.Want(1<<20 + i)
					runtime.Gosched()
				}
			})
		}
		runtime.Gosched()
		for range 2 {
			wg.Go(func() {
				if err := ten.Stop(context.Background(), 1); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.Equal(t, []int64{1}, w.Released)
		if t.Failed() {
			return
		}
	}
}

func requireClosed(t *testing.T, news <-chan struct{}) {
	t.Helper()
	select {
	case <-news:
	default:
		require.FailNow(t, "nobody was told")
	}
}

// Calls that find nothing reserved wait, fail at once, or are told of the last failure;
// news of every kind ends a wait.
func TestAwait(t *testing.T) {
	bubble(t, upTo(100, math.MaxInt64), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		onExtend(w, func(context.Context, int64) (uid.Reservation, error) {
			time.Sleep(time.Millisecond) // the next calls find it on its way
			return uid.Reservation{}, fake.ErrDown
		})
		ten := start(t, w, o)
		first := ten.Grant()
		require.EqualValues(t, 100, first.Until)
		_, err := ten.Await(first, 101, 150, false)
		require.ErrorIs(t, err, uid.ErrNoReservation)
		require.EqualError(t, err, "no reservation for worker 3 (reserved up to tick 100): more has been asked for")
		require.Equal(t, &noReservation{workerID: 3, until: 100, err: errOnItsWay}, err)

		news, err := ten.Await(first, 101, 150, true)
		require.NoError(t, err)
		require.NotNil(t, news)
		pass(time.Millisecond)
		requireClosed(t, news) // the worker has failed
		for _, wait := range []bool{false, true} {
			_, err = ten.Await(first, 101, 150, wait)
			require.ErrorIs(t, err, uid.ErrNoReservation)
			require.ErrorIs(t, err, fake.ErrDown)
		}

		granted := ten.News()
		grants(w, endless)
		pass(maxPause)
		requireClosed(t, granted)
		require.NoError(t, refused(ten))
		require.EqualValues(t, 1<<30, ten.Grant().Until, "the layout's last tick")
		news, err = ten.Await(first, 101, 150, true)
		require.NoError(t, err)
		require.Nil(t, news, "it is another grant")
		require.EqualValues(t, 150, calls(w)[0].through)

		ended := ten.News()
		ten.End(first, fake.ErrDown) // which is not in force
		require.Nil(t, ten.Grant().Ended)
		ten.End(nil, uid.ErrClosed)
		requireClosed(t, ended)
		_, err = ten.Await(ten.Grant(), 101, 150, true)
		require.Equal(t, uid.ErrClosed, err)
	})
}

// A revocation has the grant taken away before the generator is told, and another worker
// ID none in force while it is.
func TestNoGrantWhileTheOwnerIsTold(t *testing.T) {
	bubble(t, endless, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		var ten *Tenure
		told := 0
		check := func() {
			told++
			require.EqualValues(t, -1, ten.Grant().Until)
		}
		o.cfg.Terms.MaxTick = math.MaxInt64
		o.cfg.Discard = check
		o.cfg.Switch = func() {
			if ten != nil {
				check()
			}
		}
		ten = start(t, w, o)
		grants(w, uid.Reservation{WorkerID: 4, Last: 7, Renew: math.MaxInt64})
		ten.Want(0)
		synctest.Wait()
		require.Equal(t, 1, told)
		require.EqualValues(t, 7, ten.Grant().Until)
		w.Terms.Revoke()
		require.Equal(t, 2, told)
	})
}

// What an Extend returns after the end is not put in force, nor does a revocation change
// anything.
func TestEndIsForGood(t *testing.T) {
	bubble(t, endless, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		ten := start(t, w, o)
		onExtend(w, func(context.Context, int64) (uid.Reservation, error) {
			time.Sleep(time.Second)
			return endless, nil
		})
		ten.Want(7)
		synctest.Wait()
		ten.End(nil, uid.ErrClosed)
		w.Terms.Revoke()
		time.Sleep(time.Minute)
		require.Equal(t, uid.ErrClosed, ten.Grant().Ended)
		require.EqualValues(t, -1, ten.Grant().Until)
	})
}
