package statefile_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

var terms = fake.Terms

// newClock stands still, at first in tick 1,000,000 of terms, until it is set.
func newClock() *fake.Clock { return fake.NewFrozenClock(terms(9).Epoch.Add(1_000_000 * time.Second)) }

// termsIn are those of a layout with ticks of another length.
func termsIn(unit time.Duration) uid.Terms {
	of := terms(9)
	of.Unit, of.MaxTick = unit, 1<<41-1
	return of
}

// saveState makes a file with a record for worker ID 7 on host alpha.
func saveState(path, kind, layout string, high int64) error {
	f, err := state.Open(path)
	if err != nil {
		return err
	}
	record := state.Record{Kind: kind, Host: "alpha", WorkerID: 7, Layout: layout, Granted: high, NextGranted: high}
	return errors.Join(f.Save(record), f.Close())
}

func tempPath(t testing.TB) string { return filepath.Join(t.TempDir(), "uid.state") }

func newFile(t testing.TB, path string, c *fake.Clock, cfg statefile.Config) *statefile.File {
	t.Helper()
	return newFileOf(t, path, worker.FixedID(7), c, cfg)
}

func newFileOf(t testing.TB, path string, s worker.Source, c *fake.Clock, cfg statefile.Config) *statefile.File {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = (&logtest.Records{}).Logger()
	}
	if cfg.Now == nil {
		cfg.Now = c.Now
	}
	f := must(statefile.New(path, s, cfg))
	return f.(*statefile.File)
}

func acquired(t testing.TB, w uid.Worker, of uid.Terms) uid.Reservation {
	t.Helper()
	r := must(w.Acquire(t.Context(), of))
	return r
}

func acquireError(t testing.TB, w uid.Worker, of uid.Terms) error {
	_, err := w.Acquire(t.Context(), of)
	return err
}

func extended(t testing.TB, w uid.Worker, through int64) uid.Reservation {
	t.Helper()
	r := must(w.Extend(t.Context(), through))
	return r
}

func extendError(t testing.TB, w uid.Worker, through int64) error {
	_, err := w.Extend(t.Context(), through)
	return err
}

// content returns what a file has.
func content(t testing.TB, path string) []byte {
	t.Helper()
	text := must(os.ReadFile(path))
	return text
}

func TestFileReserves(t *testing.T) {
	const clock = 1_000_000 // seconds
	for _, c := range []struct {
		unit, window time.Duration
		reach, left  int64 // ticks reserved beyond the clock's, and left of them at a renewal
	}{
		{time.Second, 0, 15, 10},
		{time.Second, 3 * time.Second, 5, 3},
		{time.Second, time.Nanosecond, 2, 1},
		{time.Second, 1500 * time.Millisecond, 3, 2},
		{time.Second, time.Second + 1, 3, 2}, // 1.5 s up, but more than what is left
		{time.Millisecond, 0, 15_000, 10_000},
		{time.Millisecond, 999999 * time.Nanosecond, 2, 1},
		{time.Minute, 0, 2, 1},
		{time.Hour, 0, 2, 1},
	} {
		of := termsIn(c.unit)
		tick := clock * int64(time.Second) / int64(c.unit)
		clock := newClock()
		f := newFile(t, tempPath(t), clock, statefile.Config{Window: c.window})
		r := acquired(t, f, of)
		require.Equal(t, uid.Reservation{WorkerID: 7, Last: tick + c.reach, Renew: tick + c.reach - c.left}, r, "%v", c)
		require.Greater(t, r.Renew, tick, "a renewal is not due at once")

		// Nothing is due, nothing is written.
		require.Equal(t, r, extended(t, f, tick))

		// When it is due it brings the next one into the future.
		clock.Step(time.Duration(r.Renew-tick) * c.unit)
		again := extended(t, f, 0)
		require.Equal(t, r.Renew+c.reach, again.Last)
		require.Greater(t, again.Renew, r.Renew)

		// And so it does when the generator is ahead of the clock.
		again = extended(t, f, again.Last+100)
		require.Equal(t, r.Renew+2*c.reach+100, again.Last)
		require.Equal(t, again.Last-c.left, again.Renew)
		require.Zero(t, again.First)

		// A clock that goes back takes nothing back.
		clock.Step(-time.Hour)
		require.Equal(t, again, extended(t, f, 0))
	}
}

func TestFileGoesOnAboveWhatWasReserved(t *testing.T) {
	for _, back := range []time.Duration{0, -time.Hour, time.Second, 10 * time.Minute, time.Hour} {
		for name, unused := range map[string]int64{"kill": 0, "release": 3} {
			t.Run(fmt.Sprint(name, back), func(t *testing.T) {
				clock, path := newClock(), tempPath(t)
				cfg := statefile.Config{MaxAhead: 2 * time.Hour}
				f := newFile(t, path, clock, cfg)
				acquired(t, f, terms(9))
				clock.Step(5 * time.Second)
				last := extended(t, f, 1_000_100).Last - unused
				if name == "kill" {
					f.Crash()
				} else {
					require.NoError(t, f.Release(t.Context(), last))
				}
				clock.Step(-back)
				for range 3 { // the same value, too, starts from the file
					again := acquired(t, f, terms(9))
					require.Equal(t, last+1, again.First)
					require.GreaterOrEqual(t, again.Last, again.First)
					require.NoError(t, f.Release(t.Context(), -1), "nothing issued: nothing used up")
				}
				for n := range int64(2) {
					f = newFile(t, path, clock, cfg)
					require.Equal(t, last+1+n, acquired(t, f, terms(9)).First)
					require.NoError(t, f.Release(t.Context(), last+1+n))
				}
			})
		}
	}
}

// Whatever happens to processes and clocks, no two of them may issue the same tick.
func TestFileNeverRepeatsATick(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		clock := newClock()
		path := filepath.Join(dir, fmt.Sprint(n))
		of := termsIn(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Hour}).Draw(t, "unit"))
		used := int64(-1) // the last tick that has been issued
		for range rapid.IntRange(1, 6).Draw(t, "starts") {
			w, err := statefile.New(path, worker.FixedID(7), statefile.Config{
				Now: clock.Now, Logger: (&logtest.Records{}).Logger(), MaxAhead: math.MaxInt64,
				Window: time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(t, "window")),
			})
			require.NoError(t, err)
			f := w.(*statefile.File)
			r := must(f.Acquire(context.Background(), of))
			require.Greater(t, r.First, used)
			require.GreaterOrEqual(t, r.Last, r.First)
			first, last := r.First, int64(-1)
			for range rapid.IntRange(0, 4).Draw(t, "steps") {
				if rapid.Bool().Draw(t, "issue") {
					last = rapid.Int64Range(max(first, last), r.Last).Draw(t, "last")
				}
				clock.Step(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "clock")))
				before := r
				through := r.Last + rapid.Int64Range(-100, 100).Draw(t, "through")
				r = must(f.Extend(context.Background(), through))
				require.Equal(t, first, r.First)
				require.GreaterOrEqual(t, r.Last, max(before.Last, min(through, of.MaxTick)))
			}
			if rapid.Bool().Draw(t, "killed") {
				f.Crash()
			} else {
				require.NoError(t, f.Release(context.Background(), last))
			}
			used = max(used, last)
		}
	})
}

func TestFileTooFarAhead(t *testing.T) {
	for _, c := range []struct {
		cfg     statefile.Config
		unit    time.Duration
		allowed int64 // ticks
	}{
		{statefile.Config{}, time.Second, 900},
		{statefile.Config{MaxAhead: time.Minute}, time.Second, 60},
		{statefile.Config{MaxAhead: time.Minute - 1}, time.Second, 60},
		{statefile.Config{MaxAhead: time.Minute}, time.Millisecond, 60_000},
		{statefile.Config{}, time.Hour, 4}, // never less than what is reserved, twice
	} {
		of := termsIn(c.unit)
		clock, path := newClock(), tempPath(t)
		tick := of.TickAt(clock.Now())
		f := newFile(t, path, clock, c.cfg)
		acquired(t, f, of)
		require.NoError(t, f.Release(t.Context(), tick+c.allowed))
		require.EqualValues(t, tick+c.allowed+1, acquired(t, f, of).First)
		require.NoError(t, f.Release(t.Context(), tick+c.allowed+1))
		before := content(t, path)
		logtest.Error(t, acquireError(t, f, of), worker.ErrClock,
			path, fmt.Sprintf("up to %d", tick+c.allowed+1), fmt.Sprintf("tick %d", tick), "MaxAhead")
		require.Equal(t, before, content(t, path))

		allow := c.cfg
		allow.MaxAhead = math.MaxInt64
		g := newFile(t, path, clock, allow)
		require.EqualValues(t, tick+c.allowed+2, acquired(t, g, of).First)
		require.NoError(t, g.Release(t.Context(), -1))
		clock.Step(c.unit) // time helps
		acquired(t, f, of)
	}
	// Nobody is to use ticks that a later start would refuse.
	greedy := terms(9)
	greedy.MaxLead = time.Hour
	err := acquireError(t, newFile(t, tempPath(t), newClock(), statefile.Config{}), greedy)
	logtest.Error(t, err, uid.ErrConfig, "MaxLead 1h0m0s is more than MaxAhead 15m0s")

	// An hour back over a restart is too much, and the error tells how much it is.
	clock, path := newClock(), tempPath(t)
	f := newFile(t, path, clock, statefile.Config{})
	acquired(t, f, terms(9))
	f.Crash()
	clock.Step(-time.Hour)
	err = acquireError(t, f, terms(9))
	logtest.Error(t, err, worker.ErrClock, "1h0m15s ahead of the clock's tick 996400; MaxAhead allows 15m0s")

	// Millennia ahead, and a clock before the epoch.
	far := terms(9)
	far.MaxTick = math.MaxInt64
	g := newFile(t, path+"2", clock, statefile.Config{})
	acquired(t, g, far)
	require.NoError(t, g.Release(t.Context(), math.MaxInt64-1))
	clock.Step(-20 * 24 * time.Hour)
	logtest.Error(t, acquireError(t, g, far), worker.ErrClock, "ticks of 1s")
	g = newFile(t, path+"2", clock, statefile.Config{MaxAhead: math.MaxInt64})
	require.EqualValues(t, int64(math.MaxInt64), acquired(t, g, far).First)
}

func TestFileBeforeTheEpoch(t *testing.T) {
	clock := newClock()
	clock.Step(-30 * 24 * time.Hour)
	f := newFile(t, tempPath(t), clock, statefile.Config{})
	of := terms(9)
	of.MaxTick = math.MaxInt64
	r := acquired(t, f, of)
	require.EqualValues(t, 15, r.Last)
	require.Equal(t, r, extended(t, f, -1))
}

var alpha, beta = statefile.Config{Host: "alpha"}, statefile.Config{Host: "beta"}

func TestFileServesOneGenerator(t *testing.T) {
	clock, path := newClock(), tempPath(t)
	f, g := newFile(t, path, clock, alpha), newFile(t, path, clock, alpha)
	r := acquired(t, f, terms(9))
	logtest.Error(t, acquireError(t, f, terms(9)), uid.ErrWorkerInUse, path)
	for range 2 {
		logtest.Error(t, acquireError(t, g, terms(9)), uid.ErrWorkerInUse,
			path, fmt.Sprintf(`process %d on host "alpha"`, os.Getpid()))
	}
	require.Equal(t, r, extended(t, f, 0))
	require.NoError(t, f.Release(t.Context(), 5))
	require.EqualValues(t, 6, acquired(t, g, terms(9)).First)
}

func TestFileBelongsToOneWorker(t *testing.T) {
	clock, path := newClock(), tempPath(t)
	f := newFile(t, path, clock, alpha)
	acquired(t, f, terms(9))
	require.NoError(t, f.Release(t.Context(), 41))
	refused := func(f *statefile.File, of uid.Terms, want error, says ...string) {
		t.Helper()
		before := content(t, path)
		logtest.Error(t, acquireError(t, f, of), want, append(says, path)...)
		require.Equal(t, before, content(t, path))
	}
	refused(newFileOf(t, path, worker.FixedID(8), clock, alpha), terms(9), worker.ErrState, "worker ID 7", "tells 8")
	refused(newFile(t, path, clock, beta), terms(9), worker.ErrState, `"alpha"`, `"beta"`, "AnyHost")
	refused(newFile(t, path, clock, statefile.Config{}), terms(9), worker.ErrState, `"alpha"`)
	other := terms(9)
	other.Layout = "41 ms/10/12"
	refused(f, other, worker.ErrLayout, "28 s/22/13", "41 ms/10/12", "7")

	moved := newFile(t, path, clock, statefile.Config{Host: "beta", AnyHost: true})
	require.EqualValues(t, 42, acquired(t, moved, terms(9)).First)
	require.NoError(t, moved.Release(t.Context(), 42))
	refused(f, terms(9), worker.ErrState, `"alpha"`, `"beta"`) // it is the other host's now

	path = path + ".other"
	for _, c := range []struct {
		kind string
		high int64
		says string
	}{{"lease", 5, `"lease"`}, {"fixed", -2, "up to -2"}} {
		require.NoError(t, saveState(path, c.kind, terms(9).Layout, c.high))
		refused(newFile(t, path, clock, alpha), terms(9), worker.ErrState, c.says)
	}
}

func TestFileOnAFullDisk(t *testing.T) {
	clock, path := newClock(), tempPath(t)
	f := newFile(t, path, clock, statefile.Config{})
	r := acquired(t, f, terms(9))
	for range 2 {
		clock.Step(6 * time.Second)
		undo := f.Fill()
		for range 3 {
			err := extendError(t, f, 0)
			require.ErrorIs(t, err, worker.ErrState)
			require.ErrorIs(t, err, state.ErrFull)
		}
		undo()
		again := extended(t, f, 0)
		require.Greater(t, again.Last, r.Last)
		r = again
	}
	f.Fill()
	require.ErrorIs(t, f.Release(t.Context(), 5), state.ErrFull)
	require.Equal(t, r.Last+1, acquired(t, f, terms(9)).First, "what could not be given back stays reserved")
}

func TestFileExhausted(t *testing.T) {
	clock, path := newClock(), tempPath(t)
	of := terms(9)
	of.MaxTick = 1_000_020
	f := newFile(t, path, clock, statefile.Config{})
	r := acquired(t, f, of)
	require.EqualValues(t, 1_000_015, r.Last)
	for _, through := range []int64{1_000_016, math.MaxInt64} {
		r := extended(t, f, through)
		require.EqualValues(t, 1_000_020, r.Last)
		require.Equal(t, int64(math.MaxInt64), r.Renew, "there is nothing more to be had")
	}
	f.Crash()
	logtest.Error(t, acquireError(t, f, of), uid.ErrExhausted, "1000020")

	only := terms(9) // a layout of one tick
	only.MaxTick = 0
	f = newFile(t, path+"2", clock, statefile.Config{})
	require.Equal(t, uid.Reservation{WorkerID: 7, First: 0, Last: 0, Renew: math.MaxInt64}, acquired(t, f, only))
	f.Crash()
	require.ErrorIs(t, acquireError(t, f, only), uid.ErrExhausted)
}

func TestFileSource(t *testing.T) {
	path, id := tempPath(t), int64(10)
	f := newFileOf(t, path, func(int64) (int64, error) { return id, nil }, newClock(), statefile.Config{})
	require.ErrorIs(t, acquireError(t, f, terms(9)), uid.ErrRange)
	require.NoFileExists(t, path, "a refusal changes nothing")
	require.EqualValues(t, 10, acquired(t, f, terms(10)).WorkerID)
	require.NoError(t, f.Release(t.Context(), 1))
	id = 6 // it is asked each time
	require.ErrorIs(t, acquireError(t, f, terms(9)), worker.ErrState)
}

func TestConfig(t *testing.T) {
	id := worker.FixedID(1)
	for name, c := range map[string]struct {
		path string
		s    worker.Source
		cfg  statefile.Config
	}{
		"path":     {"", id, statefile.Config{}},
		"source":   {"x", nil, statefile.Config{}},
		"Window":   {"x", id, statefile.Config{Window: -1}},
		"-1ns":     {"x", id, statefile.Config{MaxAhead: -1}},
		"14m59s":   {"x", id, statefile.Config{Window: 10 * time.Minute, MaxAhead: 15*time.Minute - time.Second}},
		"3/2":      {"x", id, statefile.Config{Window: 10*time.Minute + 1}},
		"2562047h": {"x", id, statefile.Config{Window: math.MaxInt64, MaxAhead: math.MaxInt64}},
	} {
		_, err := statefile.New(c.path, c.s, c.cfg)
		logtest.Error(t, err, uid.ErrConfig, name)
	}
	for _, cfg := range []statefile.Config{
		{}, {Window: 10 * time.Minute}, {Window: math.MaxInt64 / 2, MaxAhead: math.MaxInt64},
	} {
		_, err := statefile.New("x", id, cfg)
		require.NoError(t, err)
	}
	require.NoFileExists(t, "x")

	// Without other settings the clock and the host's name are used.
	path := tempPath(t)
	w := must(statefile.New(path, id, statefile.Config{Logger: (&logtest.Records{}).Logger()}))
	f := w.(*statefile.File)
	before := terms(9).TickAt(time.Now())
	require.GreaterOrEqual(t, acquired(t, f, terms(9)).Last, before+15)
	host := must(os.Hostname())
	require.Contains(t, string(content(t, path)), fmt.Sprintf(`"host":%q`, host))
	require.NoError(t, f.Release(t.Context(), -1))
}

func TestFileContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := tempPath(t)
	f := newFile(t, path, newClock(), statefile.Config{})
	_, err := f.Acquire(ctx, terms(9))
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, path)
	require.ErrorIs(t, extendError(t, f, 0), uid.ErrNoReservation)
	require.ErrorIs(t, f.Release(t.Context(), 5), uid.ErrNoReservation)
	require.Equal(t, health.Worker{Kind: "statefile", Place: path}, f.WorkerHealth())
	acquired(t, f, terms(9))
	_, err = f.Extend(ctx, 5)
	require.NoError(t, err)
	require.NoError(t, f.Release(ctx, 3), "closing works without a context's consent")
	require.EqualValues(t, 4, acquired(t, f, terms(9)).First)
}

// The folder may be left while the file is in use.
func TestFilePathIsRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	f := newFile(t, "uid.state", newClock(), statefile.Config{})
	acquired(t, f, terms(9))
	t.Chdir("/")
	extended(t, f, 2_000_000)
	require.NoError(t, f.Release(t.Context(), 5))
}

// childLayout has few UIDs in a tick, so that a generator goes through ticks.
func childLayout() bits.Layout {
	return bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 3,
		Unit: time.Millisecond, Epoch: terms(9).Epoch})
}

type generator interface {
	uid.Generator
	Close() error
}

// generators makes each kind of generator, with a layout of its own.
var generators = map[string]func(w uid.Worker, l bits.Layout, now func() time.Time) (generator, error){
	"cached": func(w uid.Worker, l bits.Layout, now func() time.Time) (generator, error) {
		return cached.New(w, cached.Config{Layout: l, Now: now, Logger: slog.New(slog.DiscardHandler)})
	},
	"uncached": func(w uid.Worker, l bits.Layout, now func() time.Time) (generator, error) {
		return uncached.New(w, uncached.Config{Layout: l, Now: now, Logger: slog.New(slog.DiscardHandler)})
	},
}

// A generator whose file is lost stops when its reservation ends, and says why. With
// the file back in its place it goes on.
func TestFileLostUnderGenerators(t *testing.T) {
	for name, make := range generators {
		t.Run(name, func(t *testing.T) {
			clock, path := newClock(), tempPath(t)
			f := newFile(t, path, clock, statefile.Config{Window: 100 * time.Millisecond})
			g := must(make(f, childLayout(), clock.Now))
			first, err := g.GetUID()
			require.NoError(t, err)
			require.NoError(t, os.Rename(path, path+".away"))
			for err == nil {
				clock.Step(time.Millisecond)
				_, err = g.GetUID()
			}
			require.ErrorIs(t, err, uid.ErrNoReservation)
			logtest.Error(t, err, worker.ErrState, path)
			require.NoError(t, os.Rename(path+".away", path))
			require.Eventually(t, func() bool {
				u, err := g.GetUID()
				require.True(t, err == nil && u > first || errors.Is(err, uid.ErrNoReservation), "%v", err)
				return err == nil
			}, time.Minute, time.Millisecond)
			require.NoError(t, g.Close())
		})
	}
}

// A floor is where the first ticks begin. The file keeps it for the next start, even if no UID
// is issued; one that the next start would refuse is refused now, and the file stays as it is.
func TestFileFloor(t *testing.T) {
	clock, path := newClock(), tempPath(t)
	now := termsIn(time.Second).TickAt(clock.Now())
	of := func(min int64) uid.Terms {
		terms := termsIn(time.Second)
		terms.MinTick = min
		return terms
	}
	f := newFile(t, path, clock, statefile.Config{})
	r := acquired(t, f, of(now+500))
	require.Equal(t, now+500, r.First)
	require.Greater(t, r.Last, r.First)
	require.NoError(t, f.Release(t.Context(), -1))
	require.Equal(t, now+500, acquired(t, f, of(0)).First)
	require.NoError(t, f.Release(t.Context(), now+510))
	require.Equal(t, now+511, acquired(t, f, of(now+400)).First)
	require.NoError(t, f.Release(t.Context(), -1))

	before := content(t, path)
	allowed := int64(15 * time.Minute / time.Second)
	logtest.Error(t, acquireError(t, f, of(now+allowed+2)), uid.ErrRange,
		fmt.Sprintf("ticks up to %d are ruled out, which is 15m1s ahead", now+allowed+1))
	require.Equal(t, before, content(t, path))
	require.Equal(t, now+allowed+1, acquired(t, f, of(now+allowed+1)).First)
	require.NoError(t, f.Release(t.Context(), -1))
}
