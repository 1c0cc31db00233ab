package registry_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// now is the time of the stores, and of the registries, unless a test says otherwise.
var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

var layout = bits.Default()

func newRegistry(t testing.TB, store registry.Store) *registry.Registry {
	t.Helper()
	r, err := registry.New(store, registry.Config{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return r
}

// memory is a registry.NodeStore.
type memory struct {
	*storetest.Registry
	all    *storetest.Memory
	nodes  *registry.NodeInfo
	faults []storetest.Fault // of the next calls of a namespace
}

// newMemory returns an empty store; off is the largest error of its clock.
func newMemory(off time.Duration) *memory {
	all := storetest.NewMemory(storetest.MemoryConfig{Now: func() time.Time { return now }, Error: off})
	return &memory{Registry: all.Registry(), all: all}
}

func (m *memory) Nodes(context.Context) (n registry.NodeInfo, found bool, err error) {
	if m.nodes != nil {
		n = *m.nodes
	}
	return n, m.nodes != nil, nil
}

func (m *memory) Namespace(name string) (lease.Store, error) {
	s, err := m.Registry.Namespace(name)
	if err == nil {
		s.(*storetest.Client).Fault(m.faults...)
	}
	return s, err
}

// put adds a namespace with rows.
func (m *memory) put(name string, rows ...storage.Lease) {
	m.own(name, -1, lease.Range{})
	for _, row := range rows {
		m.all.SetRow(name, row)
	}
}

// own sets a namespace's own row.
func (m *memory) own(name string, given int64, ids lease.Range) {
	m.all.SetNamespace(name, storage.Namespace{Layout: layout.String(), Given: given, Floor: -1, IDs: ids})
}

// overview returns the store's Overview.
func (m *memory) overview(t testing.TB, quarantine time.Duration) registry.Overview {
	t.Helper()
	o, err := newRegistry(t, m).Overview(t.Context(), quarantine)
	require.NoError(t, err)
	return o
}

// row returns a row whose lease ends, and whose ticks reach up to, some time from now.
func row(id int64, until, high time.Duration) storage.Lease {
	return storage.Lease{
		WorkerID: id, Nonce: fmt.Sprint("nonce", id), High: layout.TickAt(now.Add(high)), Until: now.Add(until),
		Layout: layout.String(),
		Holder: fmt.Sprint("host/", id), Acquired: now.Add(until - time.Hour), Renewed: now.Add(until - time.Minute),
	}
}

func released(r storage.Lease) storage.Lease {
	r.Nonce = ""
	return r
}

func TestNewRefuses(t *testing.T) {
	_, err := registry.New(nil, registry.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = registry.New(newMemory(0), registry.Config{Timeout: -1})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = newRegistry(t, newMemory(0)).Overview(t.Context(), -time.Second)
	require.ErrorIs(t, err, uid.ErrConfig)
}

func TestOverviewOfNothing(t *testing.T) {
	m := newMemory(0)
	require.Equal(t, registry.Overview{Now: now}, m.overview(t, 0))
	m.nodes = &registry.NodeInfo{Rows: 1, Last: 1, Next: 4}
	o := m.overview(t, 0)
	require.Equal(t, registry.Overview{Now: now, Nodes: m.nodes}, o)
	require.EqualValues(t, 3, o.Nodes.Used(), "IDs of deleted rows are used, too")

	// A store need not hold disposable IDs.
	m.put("default")
	o, err := newRegistry(t, struct{ registry.Store }{m}).Overview(t.Context(), 0)
	require.NoError(t, err)
	require.Nil(t, o.Nodes)
	require.True(t, o.HasLeases)
}

func TestOverviewTellsStates(t *testing.T) {
	m := newMemory(0)
	m.put("default",
		row(0, time.Hour, 0), row(1, -time.Minute, 0), released(row(2, -time.Minute, 0)), row(3, -time.Hour, 0),
		released(row(4, -time.Hour, 0)), released(row(5, time.Hour, 0)), row(6, 0, 0), row(7, -5*time.Minute, 0),
		row(8, -5*time.Minute-1, 0))
	m.put("other", row(7, time.Hour, 0))
	m.put("unlisted", row(1, time.Hour, 0))
	m.all.RemoveNamespace("unlisted")
	o := m.overview(t, 0)
	var states []string
	for _, l := range o.Leases {
		states = append(states, fmt.Sprintf("%s/%d %s %t", l.Namespace, l.WorkerID, l.State, l.Released))
	}
	require.Equal(t, []string{
		"default/0 live false", "default/1 quarantine false", "default/2 quarantine true", "default/3 free false",
		"default/4 free true",
		"default/5 quarantine true", // given back by somebody with another clock
		"default/6 live false", "default/7 quarantine false", "default/8 free false",
		"other/7 live false", "unlisted/1 live false",
	}, states)
	require.Equal(t, []registry.NamespaceInfo{
		{Namespace: "default", Layout: layout.String(), Live: 2, Quarantined: 4, Free: 3},
		{Namespace: "other", Layout: layout.String(), Live: 1},
		{Namespace: "unlisted", Live: 1},
	}, o.Namespaces)
	first := row(0, time.Hour, 0)
	require.Equal(t, registry.LeaseInfo{
		Namespace: "default", WorkerID: 0, State: registry.Live, Holder: "host/0",
		Acquired: first.Acquired, Renewed: first.Renewed, Until: first.Until,
		High: first.High, Layout: first.Layout,
	}, o.Leases[0])

	require.Equal(t, registry.Quarantined, m.overview(t, 2*time.Hour).Leases[3].State)
}

// Unused rows are no leases. IDs whose row was deleted are listed.
func TestOverviewTellsWhatIsMissing(t *testing.T) {
	one := func(id int64) lease.Range { return lease.Range{First: id, Last: id} }
	m := newMemory(0)
	m.put("all", row(1, time.Hour, 0), storage.NewLease(2), row(4, time.Hour, 0), storage.NewLease(5))
	m.own("all", 9, lease.Range{})
	m.put("range", row(50, time.Hour, 0), row(101, time.Hour, 0), row(105, time.Hour, 0))
	m.own("range", 103, lease.Range{First: 100, Last: 200})
	m.put("short", row(1, time.Hour, 0))
	m.own("short", 9, lease.Range{First: 0, Last: 3})
	m.put("old", row(0, time.Hour, 0), row(1, time.Hour, 0)) // of a program that kept no Given
	m.put("unlisted", row(7, time.Hour, 0))
	m.all.RemoveNamespace("unlisted")
	o := m.overview(t, 0)
	var leased []string
	for _, l := range o.Leases {
		leased = append(leased, fmt.Sprint(l.Namespace, "/", l.WorkerID))
	}
	require.Equal(t, []string{"all/1", "all/4", "old/0", "old/1", "range/50", "range/101", "range/105",
		"short/1", "unlisted/7"}, leased)
	var missing [][]lease.Range
	for _, ns := range o.Namespaces {
		require.Zero(t, ns.Free)
		missing = append(missing, ns.Missing)
	}
	require.Equal(t, [][]lease.Range{{one(0), one(3), {First: 6, Last: 9}},
		nil, {one(100), {First: 102, Last: 103}}, {one(0), {First: 2, Last: 3}}, nil}, missing)
}

func TestOverviewInPages(t *testing.T) {
	for _, n := range []int64{0, 499, 500, 501, 1234} {
		m := newMemory(0)
		var rows []storage.Lease
		for id := range n {
			rows = append(rows, row(3*id, time.Hour, 0))
		}
		m.put("a", rows...)
		m.put("b", row(1, time.Hour, 0))
		o := m.overview(t, 0)
		require.Len(t, o.Leases, int(n)+1)
		require.Equal(t, n, o.Namespaces[0].Live)
		for id := range n {
			require.Equal(t, 3*id, o.Leases[id].WorkerID)
		}
	}
}

func TestReleaseRefusesALiveLease(t *testing.T) {
	m := newMemory(0)
	m.put("default", row(3, time.Hour, time.Hour))
	r := newRegistry(t, m)
	_, err := r.Release(t.Context(), "", 3, false)
	logtest.Error(t, err, registry.ErrLive, `worker ID 3 is held by "host/3" for another 1h0m0s, renewed -59m0s ago`)
	for _, none := range []struct {
		namespace string
		id        int64
	}{{"", 4}, {"", -1}, {"other", 3}} {
		_, err = r.Release(t.Context(), none.namespace, none.id, true)
		require.ErrorIs(t, err, registry.ErrNoLease)
	}
	is, _ := m.all.Row("default", 3)
	require.Equal(t, row(3, time.Hour, time.Hour), is)

	secret := strings.Repeat("secret", 20) // which no name can be
	_, err = r.Release(t.Context(), secret, 3, true)
	require.ErrorIs(t, err, registry.ErrNoLease)
	require.NotContains(t, err.Error(), "secret")
	require.ErrorIs(t, r.Init(t.Context(), secret, lease.Founding{Layout: layout}), uid.ErrRange)
}

func TestRelease(t *testing.T) {
	for name, tt := range map[string]struct {
		was   storage.Lease
		force bool
		until time.Duration
		state registry.State
	}{
		"live":                   {row(3, time.Hour, time.Hour), true, 0, registry.Live},
		"over":                   {row(3, -time.Minute, time.Hour), false, -time.Minute, registry.Free},
		"released":               {released(row(3, -time.Minute, time.Hour)), false, -time.Minute, registry.Free},
		"by a clock of tomorrow": {released(row(3, 24*time.Hour, time.Hour)), false, 0, registry.Quarantined},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(0)
			m.put("default", tt.was, row(4, time.Hour, time.Hour))
			was, err := newRegistry(t, m).Release(t.Context(), "default", 3, tt.force)
			require.NoError(t, err)
			require.Equal(t, tt.state, was.State)
			require.Equal(t, tt.was.Nonce == "", was.Released)
			require.Equal(t, tt.was.Until, was.Until)
			want := tt.was
			want.Nonce, want.Until = "", now.Add(tt.until)
			page, err := m.Rows(t.Context(), "default", -1, 9)
			require.NoError(t, err)
			require.Equal(t, []storage.Lease{want, row(4, time.Hour, time.Hour)}, page.Rows,
				"the ticks stay used, and other rows as they were")
		})
	}
}

// Release returns the former lease, also when the first reply was lost.
func TestReleaseWithoutAReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(0)
		m.put("default", row(3, time.Hour, time.Hour))
		m.faults = []storetest.Fault{storetest.LoseReply}
		was, err := newRegistry(t, m).Release(t.Context(), "default", 3, true)
		require.NoError(t, err)
		require.Equal(t, registry.Live, was.State)
		require.False(t, was.Released)
	})
}

// A lease is over only by the clock less its error.
func TestClockError(t *testing.T) {
	m := newMemory(time.Second)
	m.put("default", row(1, -time.Second, 0), row(2, -time.Second-1, 0))
	o := m.overview(t, 0)
	require.Equal(t, registry.Live, o.Leases[0].State)
	require.Equal(t, registry.Quarantined, o.Leases[1].State)
	_, err := newRegistry(t, m).Release(t.Context(), "", 1, false)
	require.ErrorIs(t, err, registry.ErrLive)
}

func TestInit(t *testing.T) {
	m := newMemory(0)
	r := newRegistry(t, m)
	require.NoError(t, r.Init(t.Context(), "", lease.Founding{Layout: layout}))
	own, _ := m.all.Namespace("default")
	require.Equal(t, layout.String(), own.Layout)
	require.EqualValues(t, -1, own.Floor)
	require.NoError(t, r.Init(t.Context(), "", lease.Founding{Layout: layout}))

	require.NoError(t, r.Init(t.Context(), "lost", lease.Founding{Layout: layout, Lost: true}))
	own, _ = m.all.Namespace("lost")
	require.Equal(t, layout.TickAt(now.Add(lease.Burn)), own.Floor)

	err := r.Init(t.Context(), "lost", lease.Founding{Layout: bits.MustParseLayout("twitter")})
	logtest.Error(t, err, worker.ErrLayout, `make namespace "lost" in memory: `)
}

// Errors that may pass are tried again, until the time is up.
func TestTransientFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := map[string]func(*registry.Registry) error{
			"read the worker IDs": func(r *registry.Registry) error {
				_, err := r.Overview(t.Context(), 0)
				return err
			},
			"release worker ID 1": func(r *registry.Registry) error {
				_, err := r.Release(t.Context(), "", 1, true)
				return err
			},
			`make namespace "default" in memory`: func(r *registry.Registry) error {
				return r.Init(t.Context(), "", lease.Founding{Layout: layout})
			},
		}
		for doing, call := range calls {
			m := newMemory(0)
			m.put("default", row(1, time.Hour, 0))
			m.faults = []storetest.Fault{storetest.Refuse, storetest.Refuse}
			m.Fault(m.faults...)
			require.NoError(t, call(newRegistry(t, m)))

			m.all.Outage(true)
			start := time.Now()
			err := call(newRegistry(t, m))
			logtest.Error(t, err, context.DeadlineExceeded, "cannot be reached")
			require.True(t, strings.HasPrefix(err.Error(), doing+": gave up after 30s: "), err.Error())
			require.Equal(t, 30*time.Second, time.Since(start))
		}
	})
}
