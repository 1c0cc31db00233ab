package zookeeper

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
	"github.com/uidgen/uid/worker/storetest"
)

// A handClock goes when it is turned.
type handClock struct{ now atomic.Int64 }

func newHandClock() *handClock {
	var c handClock
	c.now.Store(time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC).UnixMicro())
	return &c
}

func (c *handClock) Now() time.Time          { return time.UnixMicro(c.now.Load()) }
func (c *handClock) Advance(d time.Duration) { c.now.Add(d.Microseconds()) }

// stored returns a store on a fake.
func stored(t testing.TB, f *fake, conn Conn, cfg Config) *Store {
	t.Helper()
	s, err := New(conn, cfg)
	require.NoError(t, err)
	s.now = f.now
	return s
}

type client struct {
	*Leases
	conn *fakeConn
}

func subject(t *testing.T, lag func(n int64) bool) storetest.Subject {
	clock := newHandClock()
	f := newFake(clock.Now)
	by := f.connect(false)
	var n atomic.Int64
	return storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			conn := f.connect(lag(n.Add(1)))
			l, err := stored(t, f, conn, Config{}).Leases(namespace)
			return client{l, conn}, err
		},
		Registry: func() (registry.Store, error) { return stored(t, f, f.connect(lag(n.Add(1))), Config{}), nil },
		Fault:    func(s lease.Store, fault storetest.Fault) bool { return s.(client).conn.set(fault) },
		Deliver:  f.deliver,
		Advance:  clock.Advance,
		RemoveNamespace: func(namespace string) error {
			_, err := by.Set("/uid/"+namespace, nil, -1)
			return err
		},
		RemoveRow: func(namespace string, id int64) error {
			if err := by.Delete(fmt.Sprintf("/uid/%s/%d", namespace, id), -1); err != zk.ErrNoNode {
				return err
			}
			return nil
		},
		SetGiven: func(namespace string, given int64) error {
			setGiven(t, by, "/uid/"+namespace, given)
			return nil
		},
	}
}

func TestStore(t *testing.T) {
	cfg := storetest.Config{Histories: 60, Patience: 2 * time.Millisecond}
	for name, lag := range map[string]func(int64) bool{
		"servers behind by chance":          func(int64) bool { return false },
		"servers as far behind as they may": func(int64) bool { return true },
		"both":                              func(n int64) bool { return n%2 == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(t *testing.T) storetest.Subject { return subject(t, lag) }
			storetest.Run(t, cfg, open)
			storetest.RunRegistry(t, cfg, open)
		})
	}
}
