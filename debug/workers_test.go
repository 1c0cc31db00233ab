package debug

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	uidlease "github.com/uidgen/uid/worker/lease"
)

// A lease of a test.
type lease struct {
	namespace string
	id        int64
	holder    string
}

func overview(now time.Time, leases ...lease) registry.Overview {
	orders := registry.NamespaceInfo{Namespace: "orders", Live: int64(len(leases))}
	o := registry.Overview{Now: now, HasLeases: true, Namespaces: []registry.NamespaceInfo{orders}}
	for _, l := range leases {
		o.Leases = append(o.Leases, registry.LeaseInfo{
			Namespace: l.namespace, WorkerID: l.id, State: registry.Live, Holder: l.holder,
			Layout: bits.Default().String(), Acquired: now.Add(-time.Hour), Renewed: now.Add(-time.Minute),
			Until: now.Add(4 * time.Minute),
		})
	}
	return o
}

func always(o registry.Overview) func(context.Context) (registry.Overview, error) {
	return func(context.Context) (registry.Overview, error) { return o, nil }
}

// await asks until the store has a status.
func await(t testing.TB, h *handler, status string) state {
	t.Helper()
	for {
		if s := get[state](t, h, "/state"); s.Workers.Status == status {
			return s
		}
		runtime.Gosched()
	}
}

// A store that fails, or does not answer at all, is shown as down within two seconds, and within
// two seconds as up again, whenever between two of the page's requests it goes away. Time is the
// bubble's.
func TestOutageWithinTwoSeconds(t *testing.T) {
	for _, silent := range []bool{false, true} {
		for offset := time.Duration(0); offset < every; offset += 50 * time.Millisecond {
			synctest.Test(t, func(t *testing.T) {
				var down atomic.Bool
				over := make(chan struct{})
				h := newPage(t, Config{Workers: func(ctx context.Context) (registry.Overview, error) {
					if down.Load() && silent {
						select {
						case <-ctx.Done():
							return registry.Overview{}, ctx.Err()
						case <-over:
						}
					}
					if down.Load() {
						return registry.Overview{}, errors.New("connection refused")
					}
					time.Sleep(10 * time.Millisecond)
					return overview(time.Now()), nil
				}})
				require.Equal(t, "reading", get[state](t, h, "/state").Workers.Status)
				turn := func() *answer {
					time.Sleep(every)
					return get[state](t, h, "/state").Workers
				}
				for range 5 {
					require.Equal(t, "up", turn().Status)
				}
				changed := time.Now().Add(offset)
				time.AfterFunc(offset, func() { down.Store(true) })
				a := turn()
				for ; a.Status != "down"; a = turn() {
				}
				require.LessOrEqual(t, time.Since(changed), 2*time.Second)
				if silent {
					require.Equal(t, "no answer within 750ms", a.Failure)
				} else {
					require.Equal(t, "connection refused", a.Failure)
				}
				require.WithinDuration(t, changed, time.UnixMilli(a.Since), every+time.Millisecond)
				require.Equal(t, "down", turn().Status)
				since := a.Since
				require.Equal(t, since, turn().Since, "when it began does not change")

				changed = time.Now().Add(offset)
				time.AfterFunc(offset, func() { down.Store(false); close(over) })
				for a = turn(); a.Status != "up"; a = turn() {
				}
				require.LessOrEqual(t, time.Since(changed), 2*time.Second)
				require.Empty(t, a.Failure)
				time.Sleep(every) // the last read ends
			})
		}
	}
}

// All viewers share one reader, which reads at most twice a second and for at most a tenth of the
// time, and not at all while nobody looks.
func TestReadsAreBounded(t *testing.T) {
	for _, took := range []time.Duration{time.Millisecond, 200 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			var reads, atOnce atomic.Int64
			h := newPage(t, Config{Workers: func(context.Context) (registry.Overview, error) {
				require.EqualValues(t, 1, atOnce.Add(1))
				defer atOnce.Add(-1)
				reads.Add(1)
				time.Sleep(took)
				return overview(time.Now()), nil
			}})
			for range 1000 { // 100 s, of many viewers
				for range 5 {
					get[state](t, h, "/state")
					get[roster](t, h, "/workers")
				}
				time.Sleep(100 * time.Millisecond)
			}
			seen := reads.Load()
			require.LessOrEqual(t, seen, min(int64(100*time.Second/every)+1, int64(100*time.Second/(share*took))+1))
			require.Greater(t, seen, min(int64(100*time.Second/every), int64(100*time.Second/(share*took)))/2)
			time.Sleep(time.Hour)
			require.Equal(t, seen, reads.Load(), "nobody looks")
			require.Equal(t, "reading", get[state](t, h, "/state").Workers.Status, "what is an hour old is not shown")
			require.Zero(t, get[roster](t, h, "/workers").Read)
			time.Sleep(every)
			require.Equal(t, "up", get[state](t, h, "/state").Workers.Status)
			time.Sleep(every) // the last read ends
		})
	}
}

// Without a list of its own the page has that of the first generator that tells of a store; without one it has none.
func TestWorkersOfGenerators(t *testing.T) {
	var leasing []Generator
	for _, name := range []string{"orders", "parcels"} {
		leases := must(stores.New(drivertest.NewMemory()).Leases(name))
		require.NoError(t, uidlease.Found(t.Context(), leases, uidlease.Founding{}))
		g := cached.MustNew(must(uidlease.New(leases, uidlease.Config{})), cached.Config{})
		defer g.Close()
		leasing = append(leasing, shown(name, g))
	}
	numbers := segment.MustNew(segmenttest.NewMemory().Client(), "x", segment.Config{})
	defer numbers.Close()
	others := []Generator{shown("static", newCached(t, 7)), shown("numbers", numbers)}
	require.Equal(t, http.StatusNotFound, ask(newPage(t, Config{Generators: others}), "GET", "/workers").Code)

	h := newPage(t, Config{Generators: append(others, leasing...)})
	await(t, h, "up")
	list := get[roster](t, h, "/workers")
	require.Len(t, list.Namespaces, 1)
	require.Equal(t, "orders", list.Namespaces[0].Name)
	require.Len(t, list.Leases, 1)

	h = newPage(t, Config{Generators: leasing, Workers: always(overview(time.Now()))})
	await(t, h, "up")
	require.Empty(t, get[roster](t, h, "/workers").Leases, "the list that is given")
}

func TestWorkersPanic(t *testing.T) {
	h := newPage(t, Config{Workers: func(context.Context) (registry.Overview, error) { panic("boom") }})
	require.Equal(t, "the list of workers panicked: boom", await(t, h, "down").Workers.Failure)
}

// A disposed is a worker with a disposable ID.
type disposed struct{ *fake.Worker }

func (disposed) WorkerHealth() health.Worker { return health.Worker{Kind: "disposable"} }

func TestRoster(t *testing.T) {
	now := time.Now()
	var many []lease
	for i := range int64(most + 10) {
		many = append(many, lease{"orders", i, "web"})
	}
	o := overview(now.Add(3*time.Second), many...)
	o.Leases[0].State = registry.Free
	o.Nodes = &registry.NodeInfo{Last: 41, Next: 43}
	own := cached.MustNew(disposed{fake.Endless(42)}, cached.Config{})
	defer own.Close()
	h := newPage(t, Config{
		Workers: always(o), Now: func() time.Time { return now },
		Generators: []Generator{shown("events", own), shown("orders", newCached(t, 7))},
	})
	await(t, h, "up")
	r := get[roster](t, h, "/workers")
	require.Equal(t, []string{"42"}, r.Own)
	require.Len(t, r.Leases, most)
	require.Equal(t, 10, r.More)
	require.Equal(t, "1", r.Leases[0].WorkerID, "live ones come first")
	require.EqualValues(t, 3000, r.Clock)
	require.Equal(t, "42", r.Disposable)
	require.Equal(t, "orders", r.Namespaces[0].Name)
	require.Equal(t, registry.Free, o.Leases[0].State, "the caller's list stays in order")
}

// HideHosts leaves out holders, and all texts that others wrote: failures, and the names of stores.
func TestHideHosts(t *testing.T) {
	w := &fake.Worker{ID: 7, Window: 2}
	g := cached.MustNew(w, cached.Config{})
	defer g.Close()
	w.Set(func(w *fake.Worker) { w.Fail = fmt.Errorf("dial worker.secret.example: %w", context.DeadlineExceeded) })
	n := segment.MustNew(named{segmenttest.NewMemory().Client()}, "x", segment.Config{})
	defer n.Close()
	_, _ = n.TryGetUID()
	for g.Health().Failing == nil {
		_, _ = g.TryGetUID()
	}
	for _, hide := range []bool{false, true} {
		var fails atomic.Bool
		h := newPage(t, Config{HideHosts: hide, Generators: []Generator{shown("a", g), shown("b", n)},
			Workers: func(context.Context) (registry.Overview, error) {
				if fails.Load() {
					return registry.Overview{}, errors.New("dial list.secret.example: refused")
				}
				return overview(time.Now(), lease{"orders", 7, "host.secret.example/1"}), nil
			}})
		await(t, h, "up")
		u := must(bits.Default().Compose(1, 7, 1))
		holders := ask(h, "GET", "/workers").Body.String()
		parts := ask(h, "GET", "/decode?uid="+u.String()).Body.String()
		fails.Store(true)
		await(t, h, "down")
		for text, hosts := range map[string][]string{
			holders: {"host."}, parts: {"host."}, ask(h, "GET", "/state").Body.String(): {"worker.", "store.", "list."},
		} {
			for _, host := range hosts {
				require.Equal(t, !hide, strings.Contains(text, host+"secret.example"), host)
			}
		}
	}
}

// named is a store whose name has a host in it.
type named struct{ segment.Store }

func (named) Name() string { return "table x at store.secret.example" }
