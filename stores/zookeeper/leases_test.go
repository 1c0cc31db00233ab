package zookeeper

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

var errLook = errors.New("only a look")

// leases returns a namespace that is made, and its connection.
func leases(t testing.TB, f *fake, lag bool) (*Leases, *fakeConn) {
	t.Helper()
	conn := f.connect(lag)
	l, err := stored(t, f, conn, Config{}).Leases("orders")
	require.NoError(t, err)
	require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error {
		if n.Fresh {
			n.Layout = "x"
		}
		return nil
	}))
	return l, conn
}

func wanted(first, last int64) lease.Wanted {
	return lease.Wanted{IDs: lease.Range{First: first, Last: last}, Highest: func(time.Time) int64 { return math.MaxInt64 }}
}

// take takes a row, whose lease then lasts for d.
func take(t testing.TB, l *Leases, w lease.Wanted, d time.Duration) (row lease.Row) {
	t.Helper()
	require.NoError(t, l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
		row = *r
		r.Until, r.Nonce = now.Now.Add(d), "abc"
		return nil
	}))
	return row
}

func change(l *Leases, ctx context.Context, id int64, nonce string) error {
	return l.Change(ctx, id, func(r *lease.Row, _ lease.Clock) error {
		if r == nil {
			return errLook
		}
		r.Nonce = nonce
		return nil
	})
}

func prune(t testing.TB, l *Leases, ids ...int64) {
	t.Helper()
	removed, err := l.Prune(t.Context(), l.namespace, -1, 100, 0, func(registry.Page) ([]int64, error) { return ids, nil })
	require.NoError(t, err)
	require.Equal(t, ids, removed)
}

func TestRoundTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Now)
		l, conn := leases(t, f, false)
		for range 3 {
			take(t, l, wanted(0, 1000), time.Hour)
		}
		conn.delay = 10 * time.Millisecond
		trips := func(what string, n int, call func()) {
			began := time.Now()
			call()
			require.Equal(t, n, int(time.Since(began)/conn.delay), what)
		}
		trips("a renewal", 2, func() { require.NoError(t, change(l, t.Context(), 1, "n")) })
		trips("an acquisition", 2, func() { take(t, l, wanted(0, 1000), -time.Hour) })
		trips("an acquisition of an ID that was used", 2, func() { take(t, l, wanted(0, 1000), time.Hour) })
		trips("a refused renewal", 2, func() {
			require.ErrorIs(t, l.Change(t.Context(), 1, func(*lease.Row, lease.Clock) error { return errLook }), errLook)
		})
		trips("a renewal of no row", 4, func() { require.ErrorIs(t, change(l, t.Context(), 99, "n"), errLook) })
		trips("no free ID", 4, func() {
			require.ErrorIs(t, l.Take(t.Context(), wanted(0, 3), func(*lease.Namespace, *lease.Row, lease.Clock) error { return nil }), uid.ErrNoWorkerID)
		})
	})
}

// A row that is removed and made anew has the versions of the former one again.
func TestLateChangeOfARowThatWasMadeAnew(t *testing.T) {
	// Requests that are sent together arrive in any order, so that one try shows little.
	for try := range 16 {
		high := int64(try%2)*8 - 1
		f := newFake(newHandClock().Now)
		l, _ := leases(t, f, false)
		other, late := leases(t, f, false)
		make := func() {
			require.NoError(t, l.Take(t.Context(), wanted(5, 5), func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
				r.Until, r.High = now.Now.Add(-time.Hour), high
				return nil
			}))
		}
		make()
		late.set(4) // storetest.Delay
		require.Error(t, change(other, t.Context(), 5, "late"))
		prune(t, l, 5)
		make()
		f.deliver()
		require.NoError(t, l.Change(t.Context(), 5, func(r *lease.Row, _ lease.Clock) error {
			require.Empty(t, r.Nonce)
			return nil
		}))
	}
}

// An Init that has seen no row must not be stored when there is one.
func TestInitBesideTheFirstTake(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	other, _ := leases(t, f, true)
	for range 2 {
		runs := 0
		require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error {
			if runs++; runs == 1 {
				require.False(t, n.Used)
				take(t, other, wanted(0, 5), -time.Hour)
			} else {
				require.True(t, n.Used)
			}
			return nil
		}))
		require.Equal(t, 2, runs)
		prune(t, l, 0) // there is the mark now, and no row
	}
}

// staleList is a connection whose lists of children are old ones.
type staleList struct {
	*fakeConn
	list []string
}

func (c *staleList) Children(path string) ([]string, *zk.Stat, error) {
	if list := c.list; list != nil {
		c.list = nil
		return list, &zk.Stat{}, nil
	}
	return c.fakeConn.Children(path)
}

// A Take may read the namespace as it is after an Init, and the list as it was before.
func TestTakeWithAnOldList(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	take(t, l, wanted(0, 5), -time.Hour)
	prune(t, l, 0)
	conn := &staleList{fakeConn: f.connect(false), list: []string{clockName, usedName}}
	late, err := stored(t, f, conn, Config{}).Leases("orders")
	require.NoError(t, err)
	runs := 0
	require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error {
		if runs++; runs == 1 {
			require.False(t, n.Used)
			conn.fakeConn.lag, conn.seen = true, len(f.states)-1
			take(t, late, wanted(0, 5), time.Hour)
		} else {
			require.True(t, n.Used)
		}
		return nil
	}))
	require.Equal(t, 2, runs)
}

// staleRow is a connection that reads the row of an ID as it was, once.
type staleRow struct {
	*fakeConn
	path string
	data []byte
	stat *zk.Stat
}

func (c *staleRow) Get(path string) ([]byte, *zk.Stat, error) {
	if stat := c.stat; stat != nil && path == c.path {
		c.stat = nil
		return c.data, stat, nil
	}
	return c.fakeConn.Get(path)
}

// A row that was removed must not be taken for the one that was made anew, which has the same
// version, when it was read before it was removed and the namespace after that.
func TestRowOfBeforeItsNamespace(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	_, conn := leases(t, f, true)
	made := func(high int64) {
		require.NoError(t, l.Take(t.Context(), wanted(5, 5), func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
			r.Until, r.High = now.Now.Add(-time.Hour), high
			return nil
		}))
	}
	for name, call := range map[string]func(l *Leases, saw *int64) error{
		"Take": func(l *Leases, saw *int64) error {
			return l.Take(t.Context(), wanted(5, 5), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { *saw = r.High; return nil })
		},
		"Change": func(l *Leases, saw *int64) error {
			return l.Change(t.Context(), 5, func(r *lease.Row, _ lease.Clock) error { *saw = r.High; return nil })
		},
		"a refused Change": func(l *Leases, saw *int64) error {
			err := l.Change(t.Context(), 5, func(r *lease.Row, _ lease.Clock) error { *saw = r.High; return errLook })
			require.ErrorIs(t, err, errLook)
			return nil
		},
	} {
		made(50)
		_, err := conn.Set(l.path+"/"+clockName, nil, -1) // it sees the newest state
		require.NoError(t, err)
		data, stat, err := conn.Get(l.row(5))
		require.NoError(t, err)
		prune(t, l, 5)
		made(500)
		_, err = conn.Set(l.path+"/"+clockName, nil, -1)
		require.NoError(t, err)
		late, err := stored(t, f, &staleRow{conn, l.row(5), data, stat}, Config{}).Leases("orders")
		require.NoError(t, err)
		var saw int64
		require.NoError(t, call(late, &saw))
		require.Equal(t, int64(500), saw, name)
		prune(t, l, 5)
	}
}

// A row that an old state lacks is not offered as missing.
func TestRowThatAnOldStateLacks(t *testing.T) {
	f := newFake(newHandClock().Now)
	late, _ := leases(t, f, true)
	l, _ := leases(t, f, false)
	take(t, l, wanted(5, 5), time.Hour)
	require.NoError(t, late.Change(t.Context(), 5, func(r *lease.Row, _ lease.Clock) error {
		require.NotNil(t, r)
		return nil
	}))
}

// After a barrier a session may end, and the next one see an older state.
func TestBarrierOfAnotherSession(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	take(t, l, wanted(5, 5), time.Hour)
	conn := f.connect(true)
	late, err := stored(t, f, conn, Config{}).Leases("orders")
	require.NoError(t, err)
	looks := 0
	conn.looked = func() {
		if looks++; looks <= 2 {
			conn.expire()
		}
	}
	require.NoError(t, change(late, t.Context(), 5, "new"))
	require.Equal(t, 3, looks)
}

// What a refused decision saw was there at one time.
func TestRefusedDecisionsSeeOneTime(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	take(t, l, wanted(5, 5), time.Hour)
	late, conn := leases(t, f, true)
	_ = conn.view()
	require.NoError(t, change(l, t.Context(), 5, "newest"))
	var saw string
	require.ErrorIs(t, late.Change(t.Context(), 5, func(r *lease.Row, _ lease.Clock) error { saw = r.Nonce; return errLook }), errLook)
	require.Equal(t, "newest", saw)
}

func TestClock(t *testing.T) {
	clock := newHandClock()
	f := newFake(clock.Now)
	l, conn := leases(t, f, false)
	take(t, l, wanted(0, 0), time.Hour)
	nothing := func(*lease.Namespace, lease.Clock) error { return nil }
	takes := func() error {
		return l.Take(t.Context(), wanted(0, 9), func(_ *lease.Namespace, _ *lease.Row, now lease.Clock) error {
			require.Equal(t, DefaultClockError, now.Error)
			return nil
		})
	}
	var off time.Duration
	l.now = func() time.Time { return clock.Now().Add(off) }
	for _, off = range []time.Duration{0, 2 * DefaultClockError, -2 * DefaultClockError} {
		require.NoError(t, takes())
		require.NoError(t, l.Init(t.Context(), nothing))
	}
	for _, off = range []time.Duration{2*DefaultClockError + 2*time.Millisecond, -2*DefaultClockError - 2*time.Millisecond, time.Hour} {
		conn.counts()
		err := takes()
		require.ErrorIs(t, err, worker.ErrClock)
		require.False(t, retry.IsTransient(err))
		require.ErrorIs(t, l.Init(t.Context(), nothing), worker.ErrClock)
		_, err = l.Prune(t.Context(), "orders", -1, 9, 0, func(registry.Page) ([]int64, error) { return []int64{1}, nil })
		require.ErrorIs(t, err, worker.ErrClock)
		require.NoError(t, change(l, t.Context(), 0, "an owner keeps its ID"))
	}
	off = 0
	require.NoError(t, conn.Delete("/uid/orders/clock", -1))
	require.NoError(t, takes())
	require.Contains(t, f.states[len(f.states)-1], "/uid/orders/clock")
	require.ErrorContains(t, l.judge(reading{leader: clock.Now(), asked: clock.Now().Add(time.Hour), answered: clock.Now().Add(time.Hour)}), "at least 59m59.999s apart")
	// A slow answer says nothing.
	require.NoError(t, l.judge(reading{asked: clock.Now().Add(-time.Hour), leader: clock.Now(), answered: clock.Now().Add(time.Hour)}))
}

// Calls end with their contexts, and what they have asked for ends when it is answered.
func TestContexts(t *testing.T) {
	synctest.Test(t, contexts) // which fails when a goroutine is left
}

func contexts(t *testing.T) {
	f := newFake(time.Now)
	l, conn := leases(t, f, false)
	take(t, l, wanted(0, 0), time.Hour)
	conn.hold = make(chan struct{})
	ways := map[string]func(ctx context.Context) error{
		"Change": func(ctx context.Context) error { return change(l, ctx, 0, "late") },
		"Take": func(ctx context.Context) error {
			return l.Take(ctx, wanted(0, 9), func(*lease.Namespace, *lease.Row, lease.Clock) error { return nil })
		},
		"Init": func(ctx context.Context) error {
			return l.Init(ctx, func(*lease.Namespace, lease.Clock) error { return nil })
		},
		"Inspect": func(ctx context.Context) error { _, err := l.Inspect(ctx); return err },
		"Namespaces": func(ctx context.Context) error {
			_, _, err := l.Namespaces(ctx)
			return err
		},
		"Rows": func(ctx context.Context) error { _, err := l.Rows(ctx, "orders", -1, 9); return err },
	}
	for name, call := range ways {
		ctx, cancel := context.WithCancel(t.Context())
		returned := make(chan error)
		go func() { returned <- call(ctx) }()
		synctest.Wait() // until it waits for a reply
		cancel()
		err := <-returned
		require.ErrorIs(t, err, context.Canceled, name)
		require.True(t, retry.IsTransient(err), name)
	}
	close(conn.hold)
}

func TestNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Now)
		l, conn := leases(t, f, false)
		take(t, l, wanted(0, 0), time.Hour)
		set := func(s zk.State) {
			conn.mu.Lock()
			defer conn.mu.Unlock()
			conn.state = s
		}
		set(zk.StateConnecting)
		conn.counts()
		began := time.Now()
		err := change(l, t.Context(), 0, "n")
		require.ErrorContains(t, err, "no session")
		require.True(t, retry.IsTransient(err))
		require.Equal(t, sessionWait, time.Since(began))
		reads, writes := conn.counts()
		require.Zero(t, reads+writes, "nothing waits in the client library")
		// It begins with the session.
		time.AfterFunc(time.Second, func() { set(zk.StateHasSession) })
		require.NoError(t, change(l, t.Context(), 0, "n"))
	})
}

func TestUnreadable(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, conn := leases(t, f, false)
	take(t, l, wanted(0, 0), time.Hour)
	good, _, err := conn.Get("/uid/orders/0")
	require.NoError(t, err)
	looks := func() error { return l.Change(t.Context(), 0, func(*lease.Row, lease.Clock) error { return errLook }) }
	for _, data := range []string{"", "hunter2", `{"v":1}`, `{"v":2,"nonce":"hunter2"}`, string(good) + " "} {
		_, err := conn.Set("/uid/orders/0", []byte(data), -1)
		require.NoError(t, err)
		for _, err := range []error{looks(), l.Take(t.Context(), wanted(0, 9), func(*lease.Namespace, *lease.Row, lease.Clock) error { return nil })} {
			require.ErrorIs(t, err, worker.ErrUnconfirmed, data)
			require.ErrorContains(t, err, "/uid/orders/0")
			require.False(t, retry.IsTransient(err))
			require.NotContains(t, err.Error(), "hunter2")
		}
	}
	_, err = conn.Set("/uid/orders/0", good, -1)
	require.NoError(t, err)
	require.ErrorIs(t, looks(), errLook)
	_, err = conn.Set("/uid/orders", []byte("hunter2"), -1)
	require.NoError(t, err)
	_, err = l.Inspect(t.Context())
	require.ErrorIs(t, err, worker.ErrUnconfirmed)
	require.ErrorContains(t, err, "/uid/orders ")
	_, err = l.Rows(t.Context(), "orders", -1, 9)
	require.ErrorIs(t, err, worker.ErrUnconfirmed)
}

// As a condition -1 stands for any version.
func TestVersionThatStandsForAll(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	take(t, l, wanted(0, 0), time.Hour)
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
	require.ErrorIs(t, l.Init(t.Context(), func(*lease.Namespace, lease.Clock) error { return errLook }), errLook)
	require.Len(t, f.states, 3, "a refused Init has made something")
	require.NoError(t, l.Init(t.Context(), func(*lease.Namespace, lease.Clock) error { return nil }))
	state := f.states[len(f.states)-1]
	for _, path := range []string{"/apps/shop/uid", "/apps/shop/uid/a%2Fb", "/apps/shop/uid/a%2Fb/clock"} {
		require.Contains(t, state, path)
	}
	require.Zero(t, state["/apps"].version)
}

// Rows that a Take did not guess are read before an unused ID is taken.
func TestRowsThatWereNotGuessed(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	for id := int64(500); id < 520; id++ {
		d := time.Hour
		if id == 507 || id == 511 {
			d = -time.Duration(id) * time.Minute
		}
		take(t, l, wanted(id, id), d)
	}
	for _, want := range []int64{511, 507, 520} {
		a, _ := leases(t, f, false)
		require.Equal(t, want, take(t, a, wanted(0, 1000), time.Hour).WorkerID)
	}
}

func TestManyRows(t *testing.T) {
	clock := newHandClock()
	f := newFake(clock.Now)
	l, _ := leases(t, f, false)
	const n = 2000
	state := f.states[len(f.states)-1]
	held := func(id int64, until time.Time) {
		data, err := writeRow("", lease.Row{Nonce: "x", High: id, Until: until})
		require.NoError(t, err)
		state[l.row(id)] = fakeNode{data: string(data)}
	}
	for id := range int64(n) {
		held(id, clock.Now().Add(time.Hour))
	}
	fresh := func() (*Leases, *fakeConn) { return leases(t, f, false) }

	// All that are looked at are held: an unused ID, after some reads.
	a, conn := fresh()
	conn.counts()
	require.Equal(t, int64(n), take(t, a, wanted(0, n+9), time.Hour).WorkerID)
	reads, _ := conn.counts()
	require.Less(t, reads, 3*sample)
	// The next one guesses well.
	require.Equal(t, int64(n+1), take(t, a, wanted(0, n+9), time.Hour).WorkerID)
	reads, _ = conn.counts()
	require.Less(t, reads, 2*sample)

	// There is only one, somewhere.
	state = f.states[len(f.states)-1]
	held(1234, clock.Now().Add(-time.Hour))
	b, _ := fresh()
	require.Equal(t, int64(1234), take(t, b, wanted(0, n-1), time.Hour).WorkerID)

	// There is none: the error is exact.
	state = f.states[len(f.states)-1]
	held(777, clock.Now().Add(time.Minute))
	err := b.Take(t.Context(), wanted(0, n-1), func(*lease.Namespace, *lease.Row, lease.Clock) error { return nil })
	require.ErrorContains(t, err, lease.NoneFree(lease.Range{Last: n - 1}, clock.Now().Add(time.Minute+DefaultClockError)).Error())
}

// Many Takes at once go apart: none waits for all others.
func TestTakesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Now)
		leases(t, f, false)
		const n, trip = 100, 10 * time.Millisecond
		var all []*Leases
		for range n {
			l, conn := leases(t, f, false)
			conn.delay = trip
			all = append(all, l)
		}
		ids := make([]int64, n)
		began := time.Now()
		var takes sync.WaitGroup
		for i, l := range all {
			takes.Go(func() { ids[i] = take(t, l, wanted(0, 1<<20), time.Hour).WorkerID })
		}
		takes.Wait()
		require.Less(t, time.Since(began), 60*trip)
		slices.Sort(ids)
		require.Len(t, slices.Compact(ids), n)
		t.Logf("%v of round trips, IDs up to %d", time.Since(began)/trip*trip, ids[n-1])
	})
}

// between is a connection that does something after a read.
type between struct {
	*fakeConn
	path string
	do   func()
}

func (c *between) Get(path string) ([]byte, *zk.Stat, error) {
	data, stat, err := c.fakeConn.Get(path)
	if do := c.do; do != nil && path == c.path {
		c.do = nil
		do()
	}
	return data, stat, err
}

// A session that begins within a call may see an older state than the one before it.
func TestSessionThatEnds(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	take(t, l, wanted(0, 0), time.Hour)
	conn := &between{fakeConn: f.connect(false), path: "/uid/orders"}
	late, err := stored(t, f, conn, Config{}).Leases("orders")
	require.NoError(t, err)
	for name, call := range map[string]func(decided func()) error{
		"Take": func(decided func()) error {
			return late.Take(t.Context(), wanted(0, 9), func(*lease.Namespace, *lease.Row, lease.Clock) error { decided(); return nil })
		},
		"Change": func(decided func()) error {
			return late.Change(t.Context(), 0, func(*lease.Row, lease.Clock) error { decided(); return nil })
		},
		"Init": func(decided func()) error {
			return late.Init(t.Context(), func(*lease.Namespace, lease.Clock) error { decided(); return nil })
		},
	} {
		// It has the newest state before and after: what counts is that it may not have had it.
		newest := func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			conn.mu.Lock()
			defer conn.mu.Unlock()
			conn.fakeConn.lag, conn.seen = true, len(f.states)-1
		}
		newest()
		reads := 0
		conn.do = func() {
			conn.expire()
			newest()
		}
		conn.counts()
		require.NoError(t, call(func() {
			if reads == 0 {
				reads, _ = conn.counts()
			}
		}), name)
		require.Greater(t, reads, map[string]int{"Take": 12, "Change": 2, "Init": 2}[name], "%s has not read again", name)
		late.known = nil
	}
}

// What Rows returns was there at one time: no row is missing whose last tick the Floor lacks.
func TestPageOfOneTime(t *testing.T) {
	f := newFake(newHandClock().Now)
	l, _ := leases(t, f, false)
	require.NoError(t, l.Take(t.Context(), wanted(5, 5), func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
		r.Until, r.High = now.Now.Add(-time.Hour), 500
		return nil
	}))
	conn := &between{fakeConn: f.connect(false), path: "/uid/orders"}
	conn.do = func() {
		prune(t, l, 5)
		_, err := conn.Set("/uid/orders/clock", nil, -1) // it sees the newest state
		require.NoError(t, err)
	}
	page, err := stored(t, f, conn, Config{}).Rows(t.Context(), "orders", -1, 9)
	require.NoError(t, err)
	require.Empty(t, page.Rows)
	require.Equal(t, int64(500), page.Namespace.Floor)
}

// Nodes show who is alive, in any session, and are removed by who has made them.
func TestPresence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Now)
		l, conn := leases(t, f, false)
		alive := func() (ids []string) {
			time.Sleep(2 * presenceEvery)
			synctest.Wait()
			state := f.states[len(f.states)-1]
			for path, n := range state {
				if strings.HasPrefix(path, "/uid/orders/alive/") {
					require.Equal(t, "host/7", n.data)
					ids = append(ids, path[len("/uid/orders/alive/"):])
				}
			}
			slices.Sort(ids)
			return ids
		}
		p := l.NewPresence("host/7")
		require.Empty(t, alive())
		p.OnEvent(lease.Event{Kind: lease.Acquired, WorkerID: 3})
		p.OnEvent(lease.Event{Kind: lease.TakenOver, WorkerID: 17})
		p.OnEvent(lease.Event{Kind: lease.Low, WorkerID: 4})
		require.Equal(t, []string{"17", "3"}, alive())
		// The session's end takes the nodes away.
		conn.expire()
		for _, id := range alive() {
			require.NoError(t, conn.Delete("/uid/orders/alive/"+id, -1))
		}
		require.Equal(t, []string{"17", "3"}, alive())
		p.OnEvent(lease.Event{Kind: lease.Lost, WorkerID: 3})
		require.Equal(t, []string{"17"}, alive())
		p.Close()
		require.Empty(t, alive())
		p.Close()
		page, err := l.Rows(t.Context(), "orders", -1, 9)
		require.NoError(t, err)
		require.Empty(t, page.Rows, "they are no rows")
	})
}
