package disposable_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
)

// counter hands out numbers from memory, and fails as told. Its methods may be called by any
// number of goroutines at once.
type counter struct {
	// fail, if set, is asked before each number; n counts the calls from 1.
	fail func(n int) error
	// lossy and refused are what Inspect returns.
	lossy   []string
	refused error
	// silent makes a call wait for the end of its context.
	silent bool

	mu    sync.Mutex
	calls int
	last  int64 // given last
	hosts []storage.Host
}

func (c *counter) Name() string { return "table NUMBERS" }

func (c *counter) Inspect(context.Context) ([]string, error) { return c.lossy, c.refused }

func (c *counter) Next(ctx context.Context, h storage.Host, most int64) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if c.silent {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	if c.fail != nil {
		if err := c.fail(c.calls); err != nil {
			return 0, err
		}
	}
	if c.last >= most {
		return 0, fmt.Errorf("%w: the next number is above %d", uid.ErrNoWorkerID, most)
	}
	c.last++
	c.hosts = append(c.hosts, h)
	return c.last, nil
}

// failing has the first calls fail, as many as that.
func failing(calls int, err error) func(n int) error {
	return func(n int) error {
		if n <= calls {
			return err
		}
		return nil
	}
}

var terms = fake.Terms

// A reporter is what New returns.
type reporter interface {
	uid.Worker
	health.WorkerReporter
}

func newDisposable(t testing.TB, numbers disposable.Numbers, cfg disposable.Config) reporter {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	d, err := disposable.New(numbers, cfg)
	require.NoError(t, err)
	return d.(reporter)
}

func acquire(t testing.TB, w uid.Worker, terms uid.Terms) uid.Reservation {
	t.Helper()
	r, err := w.Acquire(t.Context(), terms)
	require.NoError(t, err)
	return r
}

func acquireError(t testing.TB, w uid.Worker, terms uid.Terms) error {
	_, err := w.Acquire(t.Context(), terms)
	return err
}

func TestConfigIsChecked(t *testing.T) {
	long := strings.Repeat("é", 65)
	for _, c := range []struct {
		cfg  disposable.Config
		is   error
		says string
	}{
		{disposable.Config{Timeout: -time.Second}, uid.ErrConfig, "-1s"},
		{disposable.Config{Port: "80"}, uid.ErrConfig, "without Host"},
		{disposable.Config{Host: long}, uid.ErrRange, "65 characters, a row holds 64"},
		{disposable.Config{Host: "h", Port: long}, uid.ErrRange, "65 characters, a row holds 64"},
		{disposable.Config{Host: "\xff"}, uid.ErrConfig, "UTF-8"},
	} {
		numbers := &counter{}
		d, err := disposable.New(numbers, c.cfg)
		logtest.Error(t, err, c.is, c.says)
		require.Nil(t, d)
		require.Zero(t, numbers.calls)
	}
	_, err := disposable.New(nil, disposable.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
}

func TestConfigIsTaken(t *testing.T) {
	for _, cfg := range []disposable.Config{
		{},
		{Host: strings.Repeat("é", 64), Port: strings.Repeat("9", 64)},
		{Timeout: time.Hour},
	} {
		numbers := &counter{}
		d := newDisposable(t, numbers, cfg)
		require.Zero(t, numbers.calls, "the constructor does not touch the store")
		acquire(t, d, terms(9))
	}
}

func TestDefaultLogger(t *testing.T) {
	logged := logtest.Default(t)
	d, err := disposable.New(&counter{}, disposable.Config{})
	require.NoError(t, err)
	acquire(t, d, terms(1023))
	require.Equal(t, 1, logged.Count(`worker_id=1 max_worker_id=1023 store="table NUMBERS" host=`))
}

func TestHost(t *testing.T) {
	own, err := os.Hostname()
	require.NoError(t, err)
	for _, name := range []string{"UID_HOST", "JPAAS_HOST", "UID_PORT", "JPAAS_HTTP_PORT", "JPAAS_HOST_PORT_8080"} {
		t.Setenv(name, "")
	}
	type vars = map[string]string
	for _, c := range []struct {
		name       string
		env        vars
		cfg        disposable.Config
		host, port string
	}{
		{"operating system", nil, disposable.Config{}, own, ""},
		{"own variables", vars{"UID_HOST": "a", "UID_PORT": "1"}, disposable.Config{}, "a", "1"},
		{"original's variables", vars{"JPAAS_HOST": "b", "JPAAS_HTTP_PORT": "2"}, disposable.Config{}, "b", "2"},
		{"original's other port", vars{"JPAAS_HOST": "b", "JPAAS_HOST_PORT_8080": "3"}, disposable.Config{}, "b", "3"},
		{"first one counts", vars{"UID_HOST": "a", "JPAAS_HOST": "b",
			"JPAAS_HOST_PORT_8080": "3", "JPAAS_HTTP_PORT": "2"}, disposable.Config{}, "a", "2"},
		{"blank ones are none", vars{"JPAAS_HOST": " ", "JPAAS_HTTP_PORT": " \t"}, disposable.Config{}, own, ""},
		{"blank ones are passed over", vars{"UID_HOST": " ", "JPAAS_HOST": "b", "JPAAS_HTTP_PORT": " ",
			"JPAAS_HOST_PORT_8080": "3"}, disposable.Config{}, "b", "3"},
		{"named variables", vars{"UID_HOST": "a", "UID_PORT": "1", "H": "c", "P": "4"},
			disposable.Config{HostEnv: []string{"G", "H"}, PortEnv: []string{"P"}}, "c", "4"},
		{"no variables", vars{"UID_HOST": "a", "UID_PORT": "1"},
			disposable.Config{HostEnv: []string{}, PortEnv: []string{}}, own, ""},
		{"settings come first", vars{"UID_HOST": "a", "UID_PORT": "1"}, disposable.Config{Host: "d"}, "d", ""},
		{"settings with a port", nil, disposable.Config{Host: "d", Port: "5"}, "d", "5"},
		// No host, but what the error says.
		{"host alone", vars{"UID_HOST": "a"}, disposable.Config{}, "", "JPAAS_HTTP_PORT"},
		{"port alone", vars{"UID_PORT": "1"}, disposable.Config{}, "", "UID_HOST"},
		{"too long", vars{"UID_HOST": strings.Repeat("a", 65), "UID_PORT": "1"}, disposable.Config{}, "", "65"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			numbers := &counter{}
			d := newDisposable(t, numbers, c.cfg)
			if c.host == "" {
				err := acquireError(t, d, terms(9))
				require.ErrorContains(t, err, c.port)
				logtest.Refused(t, err)
				require.Zero(t, numbers.calls, "no number is used up")
				return
			}
			acquire(t, d, terms(9))
			require.Equal(t, []storage.Host{{Name: c.host, Port: c.port}}, numbers.hosts)
		})
	}
}

func TestBinding(t *testing.T) {
	numbers := &counter{}
	d := newDisposable(t, numbers, disposable.Config{})
	_, err := d.Extend(t.Context(), 5)
	require.ErrorIs(t, err, uid.ErrNoReservation)
	require.ErrorIs(t, d.Release(t.Context(), -1), uid.ErrNoReservation)

	r := acquire(t, d, terms(9))
	require.Equal(t, uid.Reservation{WorkerID: 1, Last: math.MaxInt64, Renew: math.MaxInt64}, r)
	logtest.Error(t, acquireError(t, d, terms(9)), uid.ErrWorkerInUse, "table NUMBERS")
	again, err := d.Extend(t.Context(), 1<<40)
	require.NoError(t, err)
	require.Equal(t, r, again)
	require.Equal(t, 1, numbers.calls, "only Acquire uses the store")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, d.Release(ended, 7), "closing needs no store")
	require.EqualValues(t, 2, acquire(t, d, terms(9)).WorkerID, "a new generator, a new ID")
}

// A worker whose numbers panic is not bound.
func TestNumbersThatPanic(t *testing.T) {
	numbers := &counter{fail: func(n int) error {
		if n == 1 {
			panic("a store of somebody else's")
		}
		return nil
	}}
	d := newDisposable(t, numbers, disposable.Config{})
	require.Panics(t, func() { _, _ = d.Acquire(t.Context(), terms(9)) })
	acquire(t, d, terms(9))
}

func TestIDsRunOut(t *testing.T) {
	for _, c := range []struct {
		id, maxID      int64
		warns, refused bool
	}{
		{80, 100, false, false}, {81, 100, true, false}, {100, 100, true, false}, {101, 100, false, true},
		{3355442, 4194303, false, false}, {3355443, 4194303, true, false}, {4194303, 4194303, true, false},
		{4194304, 4194303, false, true}, {1, 1, true, false}, {2, 1, false, true},
		{math.MaxInt64, math.MaxInt64, true, false}, {1 << 62, math.MaxInt64, false, false},
	} {
		t.Run(fmt.Sprint(c.id, " of ", c.maxID), func(t *testing.T) {
			var logged logtest.Records
			numbers := &counter{last: c.id - 1}
			d := newDisposable(t, numbers, disposable.Config{Logger: logged.Logger()})
			require.Equal(t, health.Worker{Kind: "disposable", Place: "table NUMBERS"}, d.WorkerHealth())
			r, err := d.Acquire(t.Context(), terms(c.maxID))
			if c.refused {
				logtest.Error(t, err, uid.ErrNoWorkerID, "table NUMBERS")
				require.Equal(t, 1, numbers.calls, "it is not tried again")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.id, r.WorkerID)
			require.Equal(t, c.warns, logged.Count("level=WARN") == 1)
			require.Equal(t, c.warns, logged.Count(fmt.Sprintf("ids_left=%d ", c.maxID-c.id)) == 1)
			require.Equal(t, &health.IDs{Taken: c.id, Total: c.maxID, Low: c.warns}, d.WorkerHealth().IDs)
		})
	}
}

// A number that is not within the layout is refused.
func TestNumbersOutOfRange(t *testing.T) {
	for _, id := range []int64{math.MinInt64, -1, 0, 10, math.MaxInt64} {
		d := newDisposable(t, wrong(id), disposable.Config{})
		logtest.Error(t, acquireError(t, d, terms(9)), uid.ErrRange, fmt.Sprint(id))
		_, err := d.Extend(t.Context(), 0)
		require.ErrorIs(t, err, uid.ErrNoReservation)
	}
}

// wrong always gives the same number.
type wrong int64

func (wrong) Inspect(context.Context) ([]string, error) { return nil, nil }

func (wrong) Name() string { return "a wrong store" }

func (w wrong) Next(context.Context, storage.Host, int64) (int64, error) { return int64(w), nil }

// Only errors that may pass are retried.
func TestFailures(t *testing.T) {
	deadlock, denied := errors.New("deadlock"), errors.New("access denied")
	synctest.Test(t, func(t *testing.T) {
		numbers := &counter{fail: failing(5, fmt.Errorf("wrapped: %w", worker.Transient(deadlock)))}
		var logged logtest.Records
		d := newDisposable(t, numbers, disposable.Config{Logger: logged.Logger()})
		require.EqualValues(t, 1, acquire(t, d, terms(9)).WorkerID)
		require.Equal(t, 6, numbers.calls)
		require.Equal(t, 1, logged.Count("level=WARN"), "one warning, not one each time")
	})
	for _, failure := range []error{denied, worker.ErrUnconfirmed, uid.ErrNoWorkerID} {
		numbers := &counter{fail: failing(1, failure)}
		d := newDisposable(t, numbers, disposable.Config{})
		err := acquireError(t, d, terms(9))
		logtest.Error(t, err, failure, "table NUMBERS")
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, numbers.calls)
		acquire(t, d, terms(9)) // after a failure the worker is free again
	}
}

// A store that loses a number gives it out again: a start takes none from it, unless that is accepted.
func TestLossyStore(t *testing.T) {
	numbers := &counter{lossy: []string{"fsync is off", "the table is UNLOGGED"}}
	err := acquireError(t, newDisposable(t, numbers, disposable.Config{}), terms(9))
	require.ErrorIs(t, err, uid.ErrConfig)
	logtest.Error(t, err, uid.ErrLossy,
		"assign an ID from table NUMBERS: ", "give them out again: fsync is off; the table is UNLOGGED. ",
		"accept it with LossyStore")
	require.Zero(t, numbers.calls)

	d := newDisposable(t, numbers, disposable.Config{LossyStore: true})
	require.EqualValues(t, 1, acquire(t, d, terms(9)).WorkerID)
}

// A store that cannot keep numbers is refused in any case.
func TestRefusedStore(t *testing.T) {
	numbers := &counter{refused: fmt.Errorf("%w: engine MEMORY", uid.ErrConfig)}
	for _, lossy := range []bool{false, true} {
		d := newDisposable(t, numbers, disposable.Config{LossyStore: lossy})
		err := acquireError(t, d, terms(9))
		logtest.Error(t, err, uid.ErrConfig, "engine MEMORY")
		require.NotErrorIs(t, err, uid.ErrLossy)
		require.Zero(t, numbers.calls)
	}
}

func TestTimeout(t *testing.T) {
	for _, c := range []struct{ set, want time.Duration }{
		{0, 30 * time.Second}, {time.Minute, time.Minute}, {time.Millisecond, time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			refused := errors.New("connection refused")
			numbers := &counter{fail: failing(math.MaxInt, worker.Transient(refused))}
			d := newDisposable(t, numbers, disposable.Config{Timeout: c.set})
			start := time.Now()
			_, err := d.Acquire(t.Context(), terms(1023))
			require.Equal(t, c.want, time.Since(start))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			logtest.Error(t, err, refused, "after "+c.want.String())
			// Pauses of 50 ms, doubling to 2 s, each between half and all of that.
			require.LessOrEqual(t, numbers.calls, 2*int(c.want/time.Second)+10)
			require.GreaterOrEqual(t, numbers.calls, 1+int(c.want/(2*time.Second)))
		})
	}
}

// Acquire gives up on a store that does not answer, too.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		numbers := &counter{silent: true}
		d := newDisposable(t, numbers, disposable.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		start := time.Now()
		_, err := d.Acquire(ctx, terms(1023))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 3*time.Second, time.Since(start))

		before := numbers.calls
		_, err = d.Acquire(ctx, terms(1023))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, before, numbers.calls, "with an ended context nothing is tried")
	})
}

// keeper are numbers that keep floors.
type keeper struct {
	counter
	asked []time.Time
	kept  time.Time
	fail  error
}

func (k *keeper) NextFrom(ctx context.Context, h storage.Host, most int64,
	at time.Time) (int64, time.Time, error) {
	id, err := k.Next(ctx, h, most)
	if err != nil {
		return 0, time.Time{}, err
	}
	k.asked = append(k.asked, at)
	if at.After(k.kept) {
		k.kept = at
	}
	return id, k.kept, k.fail
}

// A floor that is still ahead is kept with the number, and later starts begin above it. One that
// the clock has passed has no effect, and nothing is stored.
func TestFloor(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 5e8, time.UTC)
	terms := bits.Default().Terms()
	tick := terms.TickAt(now)
	for _, c := range []struct {
		own, kept, first int64
		within           time.Duration // kept's tick
	}{
		{0, 0, 0, 0},
		{tick - 10, 0, tick - 10, 0},
		{tick + 10, 0, tick + 10, 0},
		{0, tick + 20, tick + 20, 0},
		{0, tick + 20, tick + 21, 1},
		{0, tick + 20, tick + 21, terms.Unit - 1},
		{tick + 10, tick + 20, tick + 20, 0},
		{tick + 30, tick + 20, tick + 30, 0},
	} {
		var k keeper
		if c.kept > 0 {
			k.kept = bits.Default().TimeOf(c.kept).Add(c.within)
		}
		d := newDisposable(t, &k, disposable.Config{Host: "h", Now: func() time.Time { return now }})
		terms.MinTick, terms.Revoke = c.own, func() {}
		r := acquire(t, d, terms)
		require.Equal(t, uid.Reservation{WorkerID: 1, First: c.first, Last: math.MaxInt64, Renew: math.MaxInt64},
			r, "%v", c)
		again, err := d.Extend(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, r, again)
		want := time.Time{}
		if c.own > tick {
			want = bits.Default().TimeOf(c.own)
		}
		require.Len(t, k.asked, 1)
		require.True(t, want.Equal(k.asked[0]), "%v: %v", c, k.asked)
	}
	k := keeper{fail: errors.New("no rights")}
	d := newDisposable(t, &k, disposable.Config{Host: "h"})
	require.ErrorIs(t, acquireError(t, d, terms), k.fail, "the store may have a floor that is not known")
}
