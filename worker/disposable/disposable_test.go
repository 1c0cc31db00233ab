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
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
)

// numbers are Numbers in memory.
type numbers struct {
	mu    sync.Mutex
	last  int64
	hosts []disposable.Host
	fail  func(call int) error // nil: none fails
}

func (n *numbers) Name() string { return "numbers in memory" }

func (n *numbers) Next(_ context.Context, h disposable.Host, most int64) (int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts = append(n.hosts, h)
	if n.fail != nil {
		if err := n.fail(len(n.hosts)); err != nil {
			return 0, err
		}
	}
	if n.last >= most {
		return 0, fmt.Errorf("%w: the next number is %d, the layout's maximum is %d", uid.ErrNoWorkerID, n.last+1, most)
	}
	n.last++
	return n.last, nil
}

func terms(most int64) uid.Terms {
	return uid.Terms{
		Layout: "28/22/13", Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Unit: time.Second,
		MaxTick: 1<<28 - 1, MaxWorkerID: most, Revoke: func() {},
	}
}

var quiet = slog.New(slog.DiscardHandler)

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
		t.Run(fmt.Sprintf("%+v", c.cfg), func(t *testing.T) {
			n := &numbers{}
			d, err := disposable.New(n, c.cfg)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
			require.Nil(t, d)
			require.Empty(t, n.hosts)
		})
	}
	_, err := disposable.New(nil, disposable.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
}

func TestConfigIsTaken(t *testing.T) {
	for _, cfg := range []disposable.Config{
		{}, {Host: strings.Repeat("é", 64), Port: strings.Repeat("9", 64)}, {Timeout: math.MaxInt64},
	} {
		n := &numbers{}
		cfg.Logger = quiet
		d, err := disposable.New(n, cfg)
		require.NoError(t, err)
		require.Empty(t, n.hosts, "the constructor does not touch the store")
		_, err = d.Acquire(t.Context(), terms(9))
		require.NoError(t, err)
	}
}

func TestDefaultLogger(t *testing.T) {
	var logged logtest.Records
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(logged.Logger())
	d, err := disposable.New(&numbers{}, disposable.Config{})
	require.NoError(t, err)
	_, err = d.Acquire(t.Context(), terms(1023))
	require.NoError(t, err)
	require.Equal(t, 1, logged.Count(`worker_id=1 max_worker_id=1023 store="numbers in memory" host=`))
}

// acquireAs returns the host that Acquire notes.
func acquireAs(t *testing.T, cfg disposable.Config) (disposable.Host, error) {
	t.Helper()
	n := &numbers{}
	cfg.Logger = quiet
	d, err := disposable.New(n, cfg)
	require.NoError(t, err)
	if _, err := d.Acquire(t.Context(), terms(9)); err != nil {
		require.Empty(t, n.hosts, "no number is taken")
		return disposable.Host{}, err
	}
	require.Len(t, n.hosts, 1)
	return n.hosts[0], nil
}

func TestHost(t *testing.T) {
	own, err := os.Hostname()
	require.NoError(t, err)
	for _, name := range []string{"UID_HOST", "JPAAS_HOST", "UID_PORT", "JPAAS_HTTP_PORT", "JPAAS_HOST_PORT_8080"} {
		t.Setenv(name, "")
	}
	for _, c := range []struct {
		name       string
		env        map[string]string
		cfg        disposable.Config
		host, port string
	}{
		{"operating system", nil, disposable.Config{}, own, ""},
		{"own variables", map[string]string{"UID_HOST": "a", "UID_PORT": "1"}, disposable.Config{}, "a", "1"},
		{"original's variables", map[string]string{"JPAAS_HOST": "b", "JPAAS_HTTP_PORT": "2"}, disposable.Config{}, "b", "2"},
		{"original's other port", map[string]string{"JPAAS_HOST": "b", "JPAAS_HOST_PORT_8080": "3"}, disposable.Config{}, "b", "3"},
		{"first one counts", map[string]string{"UID_HOST": "a", "JPAAS_HOST": "b", "JPAAS_HOST_PORT_8080": "3", "JPAAS_HTTP_PORT": "2"}, disposable.Config{}, "a", "2"},
		{"blank ones are none", map[string]string{"JPAAS_HOST": " ", "JPAAS_HTTP_PORT": " \t"}, disposable.Config{}, own, ""},
		{"blank ones are passed over", map[string]string{"UID_HOST": " ", "JPAAS_HOST": "b", "JPAAS_HTTP_PORT": " ", "JPAAS_HOST_PORT_8080": "3"}, disposable.Config{}, "b", "3"},
		{"named variables", map[string]string{"UID_HOST": "a", "UID_PORT": "1", "H": "c", "P": "4"},
			disposable.Config{HostEnv: []string{"G", "H"}, PortEnv: []string{"P"}}, "c", "4"},
		{"no variables", map[string]string{"UID_HOST": "a", "UID_PORT": "1"},
			disposable.Config{HostEnv: []string{}, PortEnv: []string{}}, own, ""},
		{"settings come first", map[string]string{"UID_HOST": "a", "UID_PORT": "1"}, disposable.Config{Host: "d"}, "d", ""},
		{"settings with a port", nil, disposable.Config{Host: "d", Port: "5"}, "d", "5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			h, err := acquireAs(t, c.cfg)
			require.NoError(t, err)
			require.Equal(t, disposable.Host{Name: c.host, Port: c.port}, h)
		})
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		is   error
		says string
	}{
		{"host alone", map[string]string{"UID_HOST": "a"}, uid.ErrConfig, "JPAAS_HTTP_PORT"},
		{"port alone", map[string]string{"UID_PORT": "1"}, uid.ErrConfig, "UID_HOST"},
		{"too long", map[string]string{"UID_HOST": strings.Repeat("a", 65), "UID_PORT": "1"}, uid.ErrRange, "65"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			_, err := acquireAs(t, disposable.Config{})
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestBinding(t *testing.T) {
	n := &numbers{}
	d, err := disposable.New(n, disposable.Config{Logger: quiet})
	require.NoError(t, err)
	_, err = d.Extend(t.Context(), 5)
	require.ErrorIs(t, err, uid.ErrNoReservation)
	require.ErrorIs(t, d.Release(t.Context(), -1), uid.ErrNoReservation)

	r, err := d.Acquire(t.Context(), terms(9))
	require.NoError(t, err)
	require.Equal(t, uid.Reservation{WorkerID: 1, Last: math.MaxInt64, Renew: math.MaxInt64}, r)
	_, err = d.Acquire(t.Context(), terms(9))
	require.ErrorIs(t, err, uid.ErrWorkerInUse)
	again, err := d.Extend(t.Context(), 1<<40)
	require.NoError(t, err)
	require.Equal(t, r, again)
	require.Len(t, n.hosts, 1, "only Acquire uses the store")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, d.Release(ended, 7), "closing needs no store")
	r, err = d.Acquire(t.Context(), terms(9))
	require.NoError(t, err)
	require.EqualValues(t, 2, r.WorkerID, "a new generator, a new ID")
}

func TestIDsRunOut(t *testing.T) {
	for _, c := range []struct {
		id, most       int64
		warns, refused bool
	}{
		{80, 100, false, false}, {81, 100, true, false}, {100, 100, true, false}, {101, 100, false, true},
		{3355442, 4194303, false, false}, {3355443, 4194303, true, false}, {4194303, 4194303, true, false}, {4194304, 4194303, false, true},
		{1, 1, true, false}, {2, 1, false, true}, {1 << 62, math.MaxInt64, false, false}, {math.MaxInt64, math.MaxInt64, true, false},
	} {
		t.Run(fmt.Sprint(c.id, " of ", c.most), func(t *testing.T) {
			var logged logtest.Records
			d, err := disposable.New(&numbers{last: c.id - 1}, disposable.Config{Logger: logged.Logger()})
			require.NoError(t, err)
			r, err := d.Acquire(t.Context(), terms(c.most))
			if c.refused {
				require.ErrorIs(t, err, uid.ErrNoWorkerID)
				_, err = d.Extend(t.Context(), 0)
				require.ErrorIs(t, err, uid.ErrNoReservation, "it is not bound")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.id, r.WorkerID)
			require.Equal(t, c.warns, logged.Count("level=WARN") == 1)
			require.Equal(t, c.warns, logged.Count(fmt.Sprintf("left=%d ", c.most-c.id)) == 1)
		})
	}
}

// wrong are Numbers that do not keep to what they are asked.
type wrong struct{ number int64 }

func (wrong) Name() string { return "wrong numbers" }

func (w wrong) Next(context.Context, disposable.Host, int64) (int64, error) { return w.number, nil }

// A number that the layout does not hold would be another one's in the UID.
func TestNumbersAreNotTrusted(t *testing.T) {
	for _, number := range []int64{-1, 0, 10, math.MaxInt64} {
		d, err := disposable.New(wrong{number}, disposable.Config{Logger: quiet})
		require.NoError(t, err)
		_, err = d.Acquire(t.Context(), terms(9))
		require.ErrorIs(t, err, uid.ErrRange)
		require.ErrorContains(t, err, fmt.Sprint(number))
	}
}

// What may pass is tried again, and nothing else.
func TestTransient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		n := &numbers{fail: func(call int) error {
			if call < 4 {
				return worker.Transient(down)
			}
			return nil
		}}
		d, err := disposable.New(n, disposable.Config{Logger: quiet})
		require.NoError(t, err)
		r, err := d.Acquire(t.Context(), terms(9))
		require.NoError(t, err)
		require.EqualValues(t, 1, r.WorkerID)
		require.Len(t, n.hosts, 4)

		n = &numbers{fail: func(int) error { return worker.Transient(down) }}
		d, err = disposable.New(n, disposable.Config{Logger: quiet, Timeout: time.Minute})
		require.NoError(t, err)
		began := time.Now()
		_, err = d.Acquire(t.Context(), terms(9))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, down)
		require.Equal(t, time.Minute, time.Since(began))

		n = &numbers{fail: func(int) error { return down }}
		d, err = disposable.New(n, disposable.Config{Logger: quiet})
		require.NoError(t, err)
		_, err = d.Acquire(t.Context(), terms(9))
		require.ErrorIs(t, err, down)
		require.Len(t, n.hosts, 1)
	})
}
