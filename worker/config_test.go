package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

func TestDisposableConfigIsChecked(t *testing.T) {
	long := strings.Repeat("é", 65)
	for _, c := range []struct {
		cfg    worker.DisposableConfig
		driver string
		is     error
		says   string
	}{
		{worker.DisposableConfig{}, "pgx", uid.ErrConfig, `"pgx"`},
		{worker.DisposableConfig{}, "", uid.ErrConfig, "Dialect"},
		{worker.DisposableConfig{Dialect: "oracle"}, "mysql", uid.ErrConfig, `"oracle"`},
		{worker.DisposableConfig{Table: "x`; DROP TABLE y; --"}, "mysql", uid.ErrConfig, "table name"},
		{worker.DisposableConfig{Table: "a b"}, "mysql", uid.ErrConfig, `"a b"`},
		{worker.DisposableConfig{Table: "1a"}, "mysql", uid.ErrConfig, `"1a"`},
		{worker.DisposableConfig{Table: "a.b"}, "mysql", uid.ErrConfig, `"a.b"`},
		{worker.DisposableConfig{Table: "a\n"}, "mysql", uid.ErrConfig, "table name"},
		{worker.DisposableConfig{Table: strings.Repeat("a", 65)}, "mysql", uid.ErrConfig, "64"},
		{worker.DisposableConfig{Timeout: -time.Second}, "mysql", uid.ErrConfig, "-1s"},
		{worker.DisposableConfig{Port: "80"}, "mysql", uid.ErrConfig, "without Host"},
		{worker.DisposableConfig{Host: long}, "mysql", uid.ErrRange, "65 characters, the table holds 64"},
		{worker.DisposableConfig{Host: "h", Port: long}, "mysql", uid.ErrRange, "65 characters, the table holds 64"},
		{worker.DisposableConfig{Host: "\xff"}, "mysql", uid.ErrConfig, "UTF-8"},
	} {
		t.Run(fmt.Sprintf("%+v %s", c.cfg, c.driver), func(t *testing.T) {
			fake := &fakeDB{}
			d, err := worker.NewDisposable(fake.open(t, c.driver), c.cfg)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
			require.Nil(t, d)
			require.Zero(t, fake.calls("connect"))
		})
	}
	for _, db := range []*sqlx.DB{nil, {}} {
		_, err := worker.NewDisposable(db, worker.DisposableConfig{})
		require.ErrorIs(t, err, uid.ErrConfig)
	}
}

func TestDisposableConfigIsTaken(t *testing.T) {
	for _, c := range []struct {
		cfg    worker.DisposableConfig
		driver string
	}{
		{worker.DisposableConfig{}, "mysql"},
		{worker.DisposableConfig{}, "sqlite"},
		{worker.DisposableConfig{}, "sqlite3"},
		{worker.DisposableConfig{Dialect: worker.MySQL}, "traced-mysql"},
		{worker.DisposableConfig{Dialect: worker.SQLite}, "mysql"},
		{worker.DisposableConfig{Table: strings.Repeat("a", 64)}, "mysql"},
		{worker.DisposableConfig{Table: "_a$1"}, "mysql"},
		{worker.DisposableConfig{Host: strings.Repeat("é", 64), Port: strings.Repeat("9", 64)}, "mysql"},
		{worker.DisposableConfig{Timeout: math.MaxInt64}, "mysql"},
	} {
		t.Run(fmt.Sprintf("%+v %s", c.cfg, c.driver), func(t *testing.T) {
			fake := &fakeDB{}
			c.cfg.Logger = slog.New(slog.DiscardHandler)
			d, err := worker.NewDisposable(fake.open(t, c.driver), c.cfg)
			require.NoError(t, err)
			require.Zero(t, fake.calls("connect"), "the constructor does not touch the database")
			_, err = d.Acquire(t.Context(), terms(9))
			if strings.HasPrefix(c.driver, "sqlite") || c.cfg.Dialect == worker.SQLite {
				require.ErrorContains(t, err, "ask for the file", "the fake has none, and is asked for it as SQLite would be")
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestDefaultLogger(t *testing.T) {
	var logged records
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(logged.logger())
	d, err := worker.NewDisposable((&fakeDB{}).open(t, "mysql"), worker.DisposableConfig{})
	require.NoError(t, err)
	_, err = d.Acquire(t.Context(), terms(1023))
	require.NoError(t, err)
	require.Equal(t, 1, logged.count("worker_id=1 max_worker_id=1023 table=WORKER_NODE host="))
}

// acquireAs returns the host and port that Acquire logs.
func acquireAs(t *testing.T, cfg worker.DisposableConfig) (host, port string, err error) {
	t.Helper()
	var logged records
	cfg.Logger = logged.logger()
	d, err := worker.NewDisposable((&fakeDB{}).open(t, "mysql"), cfg)
	require.NoError(t, err)
	if _, err := d.Acquire(t.Context(), terms(9)); err != nil {
		return "", "", err
	}
	_, text, _ := strings.Cut(logged.String(), " host=")
	host, text, _ = strings.Cut(text, " port=")
	port, _, _ = strings.Cut(text, "\n")
	return host, strings.Trim(port, `"`), nil
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
		cfg        worker.DisposableConfig
		host, port string
	}{
		{"operating system", nil, worker.DisposableConfig{}, own, ""},
		{"own variables", map[string]string{"UID_HOST": "a", "UID_PORT": "1"}, worker.DisposableConfig{}, "a", "1"},
		{"original's variables", map[string]string{"JPAAS_HOST": "b", "JPAAS_HTTP_PORT": "2"}, worker.DisposableConfig{}, "b", "2"},
		{"original's other port", map[string]string{"JPAAS_HOST": "b", "JPAAS_HOST_PORT_8080": "3"}, worker.DisposableConfig{}, "b", "3"},
		{"first one counts", map[string]string{"UID_HOST": "a", "JPAAS_HOST": "b", "JPAAS_HOST_PORT_8080": "3", "JPAAS_HTTP_PORT": "2"}, worker.DisposableConfig{}, "a", "2"},
		{"blank ones are none", map[string]string{"JPAAS_HOST": " ", "JPAAS_HTTP_PORT": " \t"}, worker.DisposableConfig{}, own, ""},
		{"blank ones are passed over", map[string]string{"UID_HOST": " ", "JPAAS_HOST": "b", "JPAAS_HTTP_PORT": " ", "JPAAS_HOST_PORT_8080": "3"}, worker.DisposableConfig{}, "b", "3"},
		{"named variables", map[string]string{"UID_HOST": "a", "UID_PORT": "1", "H": "c", "P": "4"},
			worker.DisposableConfig{HostEnv: []string{"G", "H"}, PortEnv: []string{"P"}}, "c", "4"},
		{"no variables", map[string]string{"UID_HOST": "a", "UID_PORT": "1"},
			worker.DisposableConfig{HostEnv: []string{}, PortEnv: []string{}}, own, ""},
		{"settings come first", map[string]string{"UID_HOST": "a", "UID_PORT": "1"}, worker.DisposableConfig{Host: "d"}, "d", ""},
		{"settings with a port", nil, worker.DisposableConfig{Host: "d", Port: "5"}, "d", "5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			host, port, err := acquireAs(t, c.cfg)
			require.NoError(t, err)
			require.Equal(t, c.host, host)
			require.Equal(t, c.port, port)
		})
	}
	t.Run("host alone", func(t *testing.T) {
		t.Setenv("UID_HOST", "a")
		_, _, err := acquireAs(t, worker.DisposableConfig{})
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, "JPAAS_HTTP_PORT")
	})
	t.Run("port alone", func(t *testing.T) {
		t.Setenv("UID_PORT", "1")
		_, _, err := acquireAs(t, worker.DisposableConfig{})
		require.ErrorIs(t, err, uid.ErrConfig)
	})
	t.Run("too long", func(t *testing.T) {
		t.Setenv("UID_HOST", strings.Repeat("a", 65))
		t.Setenv("UID_PORT", "1")
		_, _, err := acquireAs(t, worker.DisposableConfig{})
		require.ErrorIs(t, err, uid.ErrRange)
		require.ErrorContains(t, err, "65")
	})
}

func TestDisposableBinding(t *testing.T) {
	fake := &fakeDB{}
	d, err := worker.NewDisposable(fake.open(t, "mysql"), worker.DisposableConfig{Logger: slog.New(slog.DiscardHandler)})
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
	require.Equal(t, 1, fake.calls("insert"), "only Acquire uses the database")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, d.Release(ended, 7), "closing needs no database")
	r, err = d.Acquire(t.Context(), terms(9))
	require.NoError(t, err)
	require.EqualValues(t, 2, r.WorkerID, "a new generator, a new ID")
}

func TestIDsRunOut(t *testing.T) {
	for _, c := range []struct {
		id, maxID int64
		warns     bool
		refused   bool
	}{
		{80, 100, false, false}, {81, 100, true, false}, {100, 100, true, false}, {101, 100, false, true},
		{3355442, 4194303, false, false}, {3355443, 4194303, true, false}, {4194303, 4194303, true, false}, {4194304, 4194303, false, true},
		{1, 1, true, false}, {2, 1, false, true},
		{math.MaxInt64, 4194303, false, true}, {math.MaxInt64, math.MaxInt64, true, false}, {1 << 62, math.MaxInt64, false, false},
	} {
		t.Run(fmt.Sprint(c.id, " of ", c.maxID), func(t *testing.T) {
			var logged records
			fake := &fakeDB{tell: func(int64) int64 { return c.id }, anyID: true}
			d, err := worker.NewDisposable(fake.open(t, "mysql"), worker.DisposableConfig{Logger: logged.logger()})
			require.NoError(t, err)
			r, err := d.Acquire(t.Context(), terms(c.maxID))
			if c.refused {
				require.ErrorIs(t, err, uid.ErrNoWorkerID)
				require.ErrorContains(t, err, fmt.Sprint(c.id))
				require.ErrorContains(t, err, fmt.Sprint(c.maxID))
				require.Zero(t, fake.calls("commit"), "no row is left")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.id, r.WorkerID)
			require.Equal(t, c.warns, logged.count("level=WARN") == 1)
			require.Equal(t, c.warns, logged.count(fmt.Sprintf("left=%d ", c.maxID-c.id)) == 1)
		})
	}
}

func TestUnconfirmed(t *testing.T) {
	for _, c := range []struct {
		name string
		port string
		fake *fakeDB
		says string
	}{
		{"no ID", "", &fakeDB{tell: func(int64) int64 { return 0 }}, "reported ID 0 for"},
		{"negative ID", "", &fakeDB{tell: func(int64) int64 { return -5 }}, "reported ID -5 for"},
		{"ID of no row", "", &fakeDB{tell: func(int64) int64 { return 77 }}, "ID 77, is not there"},
		{"ID of another's row", "", &fakeDB{ports: []string{"other"}, tell: func(int64) int64 { return 1 }}, "ID 1 does not bear"},
		{"row changed before the port was written", "80", &fakeDB{missesUpdate: true}, "changed 0 rows with ID 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := worker.DisposableConfig{Host: "h", Port: c.port, Logger: slog.New(slog.DiscardHandler)}
			d, err := worker.NewDisposable(c.fake.open(t, "mysql"), cfg)
			require.NoError(t, err)
			_, err = d.Acquire(t.Context(), terms(1023))
			require.ErrorIs(t, err, worker.ErrUnconfirmed)
			require.ErrorContains(t, err, c.says)
			require.Equal(t, 1, c.fake.calls("insert"), "it is not tried again")
		})
	}
}
