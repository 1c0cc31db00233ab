package browser

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/registry"
)

var pictures = flag.String("pictures", "", "a folder for pictures of a fleet's page in each state, to look at")

// snap takes a picture if somebody wants to look at it.
func snap(t *testing.T, b *tab, name string) {
	if *pictures == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*pictures, name+".png"), picture, 0o644))
}

// listed is a list of workers in those states, in the order of their IDs.
func listed(states ...registry.State) registry.Overview {
	now := time.Now()
	o := registry.Overview{Now: now, HasLeases: true}
	for id, state := range states {
		until := now.Add(4 * time.Minute)
		if state != registry.Live {
			until = now.Add(-time.Duration(id) * time.Minute)
		}
		o.Leases = append(o.Leases, registry.LeaseInfo{
			Namespace: "orders", WorkerID: int64(id), State: state,
			Holder:   fmt.Sprintf("orders-7d9c5b8f6d-x%02dqz.shop.svc.example/1", id),
			Acquired: now.Add(-time.Hour), Renewed: until.Add(-5 * time.Minute), Until: until,
			Layout: bits.Default().String(),
		})
	}
	return o
}

// The living come first, those in quarantine next, and the free ones are folded; on a phone nine workers
// are not a screen each.
func TestFleet(t *testing.T) {
	t.Parallel()
	states := []registry.State{registry.Free, registry.Quarantined, registry.Free}
	for range 9 {
		states = append(states, registry.Live, registry.Free)
	}
	p := serve(t, debug.Config{
		Generators: []debug.Generator{{Name: "orders", Generator: newGenerator(t, 3)}},
		Workers:    func(context.Context) (registry.Overview, error) { return listed(states...), nil },
	})
	for _, width := range []int64{1200, 390, 320} {
		b := open(t, p.url, width, 844)
		b.await(t, "document.querySelectorAll('#workers tbody tr').length === 10")
		shown := eval[[]string](t, b, "[...document.querySelectorAll('#workers .state')].map((e) => e.textContent)")
		require.Equal(t, append(slices.Repeat([]string{"live"}, 9), "quarantine"), shown)
		require.Equal(t, "11 free", eval[string](t, b, text("#free")), "they are folded")
		row := eval[string](t, b, text("#workers tbody tr"))
		for _, want := range []string{"orders-7d9c5b8f6d-x03qz.shop.svc.example/1", "orders", "3 min", "until"} {
			require.Contains(t, row, want)
		}
		nine := eval[float64](t, b, "[...document.querySelectorAll('#workers tbody tr')].slice(0, 9)"+
			".reduce((n, e) => n + e.getBoundingClientRect().height, 0)")
		page := eval[float64](t, b, "document.documentElement.scrollHeight")
		t.Logf("%d px: nine workers are %.0f px high, the page %.0f", width, nine, page)
		if width == 390 {
			require.Less(t, nine, 844.0, "one screen")
		}
		require.Empty(t, eval[[]string](t, b, check))
		snap(t, b, fmt.Sprintf("fleet-%d", width))
		b.run(t, chromedp.Click(chromedp.CSS("#free summary")))
		b.await(t, text("#free")+".includes('orders-7d9c5b8f6d-x02qz.shop.svc.example/1 had it last')")
		require.Empty(t, eval[[]string](t, b, check))
		snap(t, b, fmt.Sprintf("fleet-%d-open", width))
		b.clean(t, p.url)
	}
}

// term is the value beside a term of the n-th card, "" if it is not there.
func term(card int, name string) string {
	return fmt.Sprintf("([...document.querySelectorAll('.card')[%d].querySelectorAll('.wheel dt')]"+
		".find((e) => e.innerText === '%s')?.nextElementSibling.innerText ?? '')", card, name)
}

const goOn = "Can go on without the store for"

// A card says for how long its generator can go on, and how many callers wait, idle, loaded and without its
// store. Nothing says "go on" of one that is not ready. The ring's positions are folded.
func TestStanding(t *testing.T) {
	t.Parallel()
	// The clock gives nobody anything before this day ends.
	layout := bits.MustLayout(bits.Config{TimeBits: 20, WorkerBits: 10, SequenceBits: 12, Unit: 24 * time.Hour})
	start := func(w *fake.Worker, lead time.Duration) *cached.Generator {
		g := must(cached.New(w, cached.Config{Layout: layout, MaxLead: lead, Slots: 4}))
		t.Cleanup(func() { _ = g.Close() })
		return g
	}
	store := fake.Giving(uid.Reservation{WorkerID: 8, Last: layout.TickAt(time.Now()) + 2, Renew: math.MaxInt64})
	orders, bills := start(fake.Endless(7), 24*time.Hour), start(store, 240*time.Hour)
	var down atomic.Bool
	p := serve(t, debug.Config{
		Generators: []debug.Generator{{Name: "orders", Generator: orders}, {Name: "bills", Generator: bills}},
		Workers: func(context.Context) (registry.Overview, error) {
			if down.Load() {
				return registry.Overview{}, errors.New("dial tcp 10.0.0.7:3306: connect: connection refused")
			}
			return listed(registry.Live), nil
		},
	})
	wide, phone := open(t, p.url, 1200, 900), open(t, p.url, 390, 844)
	both := func(what string, look func(b *tab)) {
		for name, b := range map[string]*tab{"wide": wide, "phone": phone} {
			look(b)
			require.Empty(t, eval[[]string](t, b, check))
			snap(t, b, what+"-"+name)
		}
	}
	both("idle", func(b *tab) {
		b.await(t, text("#workers tbody")+".includes('x00qz')")
		require.Equal(t, "as long as the layout lasts", eval[string](t, b, term(0, goOn)))
		require.Regexp(t, `^[1-9]\d* (days|h \d+ min)$`, eval[string](t, b, term(1, goOn)))
		require.Equal(t, "0", eval[string](t, b, term(0, "Callers waiting")))
		card := eval[string](t, b, text(".card"))
		hidden := eval[string](t, b, "document.querySelector('.card details').textContent")
		for _, folded := range []string{"slots", "cursor", "tail"} {
			require.NotContains(t, strings.ToLower(card), folded)
			require.Contains(t, hidden, folded+":")
		}
	})

	drawAll(t, orders)
	for range 3 {
		go func() { _, _ = orders.GetUID() }() // until it is closed
	}
	both("loaded", func(b *tab) {
		b.await(t, term(0, "Callers waiting")+" === '3'")
		require.Equal(t, "0", eval[string](t, b, term(1, "Callers waiting")))
	})

	down.Store(true)
	store.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
	drawAll(t, bills)
	both("down", func(b *tab) {
		b.await(t, text("#store")+".includes('connection refused')")
		b.await(t, text(".card .chips")+".includes('not ready')")
		titles := eval[[]string](t, b, "[...document.querySelectorAll('.card h3')].map((e) => e.textContent)")
		require.Equal(t, []string{"bills", "orders"}, titles)
		all := eval[string](t, b, text("body"))
		require.NotContains(t, all[:strings.LastIndex(all, "not ready")], "go on", "above it")
		require.NotContains(t, eval[string](t, b, text(".card")), "go on")
		require.Contains(t, eval[string](t, b, text(".bars")), "it is used up")
		require.Equal(t, "as long as the layout lasts", eval[string](t, b, term(1, goOn)), "it needs no store")
	})
}

// drawAll draws until nothing is left.
func drawAll(t *testing.T, g *cached.Generator) {
	for {
		if _, err := g.TryGetUID(); err != nil {
			require.True(t, errors.Is(err, uid.ErrRejectedTake) || errors.Is(err, uid.ErrNoReservation), err)
			return
		}
	}
}
