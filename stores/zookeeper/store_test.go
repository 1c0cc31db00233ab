package zookeeper

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	fakes "github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/internal/orders"
)

// newHandClock goes when it is turned.
func newHandClock() *fakes.Clock { return fakes.NewFrozenClock(time.Now().Truncate(time.Microsecond)) }

// stored returns a store on a fake.
func stored(t testing.TB, f *fake, conn connection, cfg Config) *stores.Store {
	t.Helper()
	s, err := New(conn, cfg)
	require.NoError(t, err)
	s.Driver().(*driver).now = f.now
	return s
}

// find returns what a check says of something.
func find(t *testing.T, s *stores.Store, what string) doctor.Finding {
	t.Helper()
	findings := orders.Findings(t, s)
	i := slices.IndexFunc(findings, func(f doctor.Finding) bool { return f.What == what })
	require.GreaterOrEqual(t, i, 0, what)
	return findings[i]
}

func subject(t *testing.T, lag func(n int64) bool) drivertest.Subject {
	clock := newHandClock()
	f := newFake(clock.Now)
	by := f.connect(false)
	var n atomic.Int64
	return drivertest.Subject{
		Open: func() (stores.Driver, error) {
			return stored(t, f, f.connect(lag(n.Add(1))), Config{}).Driver(), nil
		},
		Advance: clock.Step,
		Remove: func(key string) (err error) {
			path := stored(t, f, by, Config{}).Driver().(*driver).path(key)
			if k, _ := stores.ParseKey(key); k.Namespace != "" && k.ID < 0 {
				_, err = by.Set(path, nil, -1)
			} else if err = by.Delete(path, -1); err == zk.ErrNoNode {
				err = nil
			}
			return err
		},
	}
}

func TestStore(t *testing.T) {
	cfg := drivertest.Config{Histories: 60, Patience: 2 * time.Millisecond}
	for name, lag := range map[string]func(int64) bool{
		"servers behind by chance":          func(int64) bool { return false },
		"servers as far behind as they may": func(int64) bool { return true },
		"both":                              func(n int64) bool { return n%2 == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drivertest.Run(t, cfg, func(t *testing.T) drivertest.Subject { return subject(t, lag) })
		})
	}
}

func TestPage(t *testing.T) {
	f := newFake(time.Now)
	conn := f.connect(false)
	orders.OnPage(t, stored(t, f, conn, Config{}), Lease(conn, "orders"))
}
