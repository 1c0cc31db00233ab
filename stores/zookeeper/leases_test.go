package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

var errLook = errors.New("only a look")

// A handle is a namespace with all that its tests look at.
type handle struct {
	lease.Store
	driver *driver
	conn   *fakeConn
	all    *stores.Store
}

// leases returns a namespace that is made, on a connection of its own.
func leases(t testing.TB, f *fake) *handle {
	t.Helper()
	conn := f.connect(false)
	all := stored(t, f, conn, Config{})
	return &handle{orders.Made(t, all), all.Driver().(*driver), conn, all}
}

// held returns one in which somebody has worker ID 0.
func held(t testing.TB, now func() time.Time) (*fake, *handle) {
	t.Helper()
	f := newFake(now)
	l := leases(t, f)
	orders.Taken(t, l, orders.Wanted(0, 0), time.Hour)
	return f, l
}

const ordersPath = "/uid/orders"

func rowPath(id int64) string { return fmt.Sprint(ordersPath, "/", id) }

func change(l lease.Store, ctx context.Context, id int64, nonce string) error {
	return l.Change(ctx, id, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
		if r == nil {
			return errLook
		}
		r.Nonce = nonce
		return nil
	})
}

func TestRoundTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Now)
		l := leases(t, f)
		for range 3 {
			orders.Taken(t, l, orders.Wanted(0, 1000), time.Hour)
		}
		l.conn.delay = 10 * time.Millisecond
		trips := func(what string, n int, call func()) {
			began := time.Now()
			call()
			require.Equal(t, n, int(time.Since(began)/l.conn.delay), what)
		}
		trips("a renewal", 2, func() { require.NoError(t, change(l, t.Context(), 1, "n")) })
		trips("an acquisition", 2, func() { orders.Taken(t, l, orders.Wanted(0, 1000), -time.Hour) })
		trips("an acquisition of an ID that was used", 2, func() { orders.Taken(t, l, orders.Wanted(3, 3), time.Hour) })
		trips("a refused renewal", 4, func() {
			refuses := func(*storage.Namespace, *storage.Lease, storage.Clock) error { return errLook }
			require.ErrorIs(t, l.Change(t.Context(), 1, refuses), errLook)
		})
		trips("a renewal of no row", 4, func() { require.ErrorIs(t, change(l, t.Context(), 99, "n"), errLook) })
		trips("no free ID", 4, func() {
			require.ErrorIs(t, l.Take(t.Context(), orders.Wanted(0, 3), orders.Keep), uid.ErrNoWorkerID)
		})
	})
}

// Where all rows are removed, and the namespace is made anew, rows have the versions of former ones again.
func TestLateChangeOfARowThatWasMadeAnew(t *testing.T) {
	// Requests that are sent together arrive in any order, so that one try shows little.
	for range 16 {
		f := newFake(newHandClock().Now)
		l, other := leases(t, f), leases(t, f)
		orders.Taken(t, l, orders.Wanted(5, 5), -time.Hour)
		other.conn.late = true
		require.Error(t, change(other, t.Context(), 5, "late"))
		require.NoError(t, l.conn.Delete(rowPath(5), -1))
		_, err := l.conn.Set(ordersPath, nil, -1)
		require.NoError(t, err)
		l = leases(t, f)
		orders.Taken(t, l, orders.Wanted(5, 5), -time.Hour)
		f.deliver()
		looks := func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
			require.Equal(t, "taken", r.Nonce)
			return nil
		}
		require.NoError(t, l.Change(t.Context(), 5, looks))
	}
}

// After a barrier a session may end, and the next one see an older state.
func TestBarrierOfAnotherSession(t *testing.T) {
	f := newFake(newHandClock().Now)
	orders.Taken(t, leases(t, f), orders.Wanted(5, 5), time.Hour)
	conn := f.connect(true)
	late := orders.Leases(t, stored(t, f, conn, Config{}))
	looks := 0
	conn.looked = func() {
		if looks++; looks <= 2 {
			conn.expire()
		}
	}
	require.NoError(t, change(late, t.Context(), 5, "new"))
	require.Equal(t, 4, looks)
}

func TestClock(t *testing.T) {
	clock := newHandClock()
	f, l := held(t, clock.Now)
	nothing := func(*storage.Namespace, storage.Clock) error { return nil }
	keeps := func(_ *storage.Namespace, _ *storage.Lease, now storage.Clock) error {
		require.Equal(t, defaultClockError, now.Error)
		return nil
	}
	takes := func() error { return l.Take(t.Context(), orders.Wanted(0, 9), keeps) }
	var off time.Duration
	l.driver.now = func() time.Time { return clock.Now().Add(off) }
	for _, off = range []time.Duration{0, 2 * defaultClockError, -2 * defaultClockError} {
		require.NoError(t, takes())
		require.NoError(t, l.Init(t.Context(), nothing))
	}
	for _, off = range []time.Duration{2*defaultClockError + 2*time.Millisecond,
		-2*defaultClockError - 2*time.Millisecond, time.Hour} {
		err := takes()
		require.ErrorIs(t, err, worker.ErrClock)
		orders.Fails(t, err, false)
		require.ErrorIs(t, l.Init(t.Context(), nothing), worker.ErrClock)
		require.NoError(t, change(l, t.Context(), 0, "an owner keeps its ID"))
	}
	off = 0
	require.NoError(t, l.conn.Delete("/uid/orders/clock", -1))
	require.NoError(t, takes())
	require.Contains(t, f.states[len(f.states)-1], "/uid/orders/clock")
	require.ErrorContains(t, l.driver.judge(reading{leader: clock.Now(), asked: clock.Now().Add(time.Hour),
		answered: clock.Now().Add(time.Hour)}), "at least 59m59.999s apart")
	// A slow answer says nothing.
	require.NoError(t, l.driver.judge(reading{asked: clock.Now().Add(-time.Hour), leader: clock.Now(),
		answered: clock.Now().Add(time.Hour)}))
}

func TestNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := held(t, time.Now)
		set := func(s zk.State) {
			l.conn.f.mu.Lock()
			defer l.conn.f.mu.Unlock()
			l.conn.state = s
		}
		set(zk.StateConnecting)
		l.conn.counts()
		began := time.Now()
		orders.Fails(t, change(l, t.Context(), 0, "n"), true, "no session")
		require.Equal(t, sessionWait, time.Since(began))
		reads, writes := l.conn.counts()
		require.Zero(t, reads+writes, "nothing waits in the client library")
		// It begins with the session.
		time.AfterFunc(time.Second, func() { set(zk.StateHasSession) })
		require.NoError(t, change(l, t.Context(), 0, "n"))
	})
}

// As a condition -1 stands for any version.
func TestVersionThatStandsForAll(t *testing.T) {
	f, l := held(t, newHandClock().Now)
	state := f.states[len(f.states)-1]
	n := state["/uid/orders/0"]
	n.version = -1
	state["/uid/orders/0"] = n
	require.ErrorContains(t, change(l, t.Context(), 0, "n"), "version is -1")
}

// Nodes that others have made above are left alone, whoever may write to them.
func TestInitBelowOthers(t *testing.T) {
	f := newFake(newHandClock().Now)
	conn := f.connect(false)
	for _, path := range []string{"/apps", "/apps/shop"} {
		_, err := conn.Create(path, nil, 0, nil)
		require.NoError(t, err)
	}
	s := stored(t, f, conn, Config{Root: "/apps/shop/uid"})
	l, err := s.Leases("a/b")
	require.NoError(t, err)
	conn.counts()
	require.ErrorIs(t, l.Init(t.Context(), func(*storage.Namespace, storage.Clock) error { return errLook }),
		errLook)
	require.Len(t, f.states, 3, "a refused Init has made something")
	require.NoError(t, l.Init(t.Context(), func(*storage.Namespace, storage.Clock) error { return nil }))
	state := f.states[len(f.states)-1]
	for _, path := range []string{"/apps/shop/uid", "/apps/shop/uid/a%2Fb", "/apps/shop/uid/a%2Fb/clock"} {
		require.Contains(t, state, path)
	}
	require.Zero(t, state["/apps"].version)
}

// between is a connection that does something after the first read of a node or of one below it.
type between struct {
	*fakeConn
	path string
	do   func()
	one  sync.Mutex // reads are one after another
}

func (c *between) Get(path string) ([]byte, *zk.Stat, error) {
	c.one.Lock()
	defer c.one.Unlock()
	data, stat, err := c.fakeConn.Get(path)
	if strings.HasPrefix(path, c.path) && c.do != nil {
		do := c.do
		c.do = nil
		do()
	}
	return data, stat, err
}

// A session that begins within a call may see an older state than the one before it.
func TestSessionThatEnds(t *testing.T) {
	f, _ := held(t, newHandClock().Now)
	conn := &between{fakeConn: f.connect(false), path: "/uid/orders"}
	late := orders.Leases(t, stored(t, f, conn, Config{}))
	reads := 0
	decide := func(*storage.Namespace, *storage.Lease, storage.Clock) error {
		if reads == 0 {
			reads, _ = conn.counts()
		}
		return nil
	}
	for name, call := range map[string]func() error{
		"Take":   func() error { return late.Take(t.Context(), orders.Wanted(0, 9), decide) },
		"Change": func() error { return late.Change(t.Context(), 0, decide) },
		"Init": func() error {
			return late.Init(t.Context(), func(n *storage.Namespace, now storage.Clock) error {
				return decide(n, nil, now)
			})
		},
	} {
		// It has the newest state before and after: what counts is that it may not have had it.
		newest := func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			conn.fakeConn.lag, conn.seen = true, len(f.states)-1
		}
		newest()
		reads = 0
		conn.do = func() {
			conn.expire()
			newest()
		}
		conn.counts()
		require.NoError(t, call(), name)
		require.Greater(t, reads, map[string]int{"Take": 12, "Change": 2, "Init": 2}[name], "%s has not read again",
			name)
	}
}

// What is read is of one time, even if another writes between two reads.
func TestReadOfOneTime(t *testing.T) {
	f, l := held(t, newHandClock().Now)
	conn := &between{fakeConn: f.connect(false), path: ordersPath}
	d := stored(t, f, conn, Config{}).Driver()
	q := stores.Query{Keys: []string{stores.Key{Namespace: "orders", ID: -1}.String(),
		stores.Key{Namespace: "orders"}.String()}, Newest: true}
	_, err := d.Read(t.Context(), q)
	require.NoError(t, err)
	conn.do = func() {
		put := []byte("{}")
		_, err := l.conn.Multi(&zk.SetDataRequest{Path: ordersPath, Data: put, Version: -1},
			&zk.SetDataRequest{Path: rowPath(0), Data: put, Version: -1})
		require.NoError(t, err)
	}
	a, err := d.Read(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, []string{"{}", "{}"}, []string{a.Records[0].Text, a.Records[1].Text})
}

// What Rows returns has all rows up to Given, even if some are made while it reads.
func TestPageOfOneTime(t *testing.T) {
	f := newFake(newHandClock().Now)
	l := leases(t, f)
	conn := &between{fakeConn: f.connect(false), path: "/uid/orders"}
	conn.do = func() { orders.Taken(t, l, orders.Wanted(0, 1000), time.Hour) }
	page, err := stored(t, f, conn, Config{}).Registry().Rows(t.Context(), "orders", -1, 100)
	require.NoError(t, err)
	require.LessOrEqual(t, page.Namespace.Given+1, int64(len(page.Rows)))
}

// A node without data, which only people make, is not one that is missing.
func TestEmptyNodes(t *testing.T) {
	_, l := held(t, newHandClock().Now)
	s := l.all.Segments()
	require.NoError(t, s.Change(t.Context(), "a", orders.Draw(1)))
	for _, path := range []string{"/uid/orders/0", "/uid/.segments/a"} {
		_, err := l.conn.Set(path, nil, -1)
		require.NoError(t, err)
	}
	require.ErrorIs(t, change(l, t.Context(), 0, "n"), worker.ErrUnconfirmed)
	require.ErrorIs(t, s.Change(t.Context(), "a", orders.Draw(1)), uid.ErrRange)
}
