// Package browser walks through the page of package debug in a real Chromium.
//
//	go test ./test/browser            # needs chromium on the PATH
//	go test ./test/browser -update    # takes the pictures in docs anew
package browser

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
)

var update = flag.Bool("update", false, "write the pictures in docs anew")

//go:embed check.js
var check string

// must returns a value that cannot fail to be there.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// serve mounts a page, as a user's program would, until the program is gone. At each question for the state it calls
// each.
func serve(t *testing.T, cfg debug.Config, each func()) (url string, gone *atomic.Bool, next func(debug.Config)) {
	var page atomic.Pointer[http.Handler]
	next = func(cfg debug.Config) { h := must(debug.New(cfg)); page.Store(&h) }
	next(cfg)
	gone = new(atomic.Bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			panic(http.ErrAbortHandler)
		}
		if strings.HasSuffix(r.URL.Path, "/state") {
			each()
		}
		(*page.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/debug/uid/", gone, next
}

func newGenerator(t *testing.T, w uid.Worker, cfg cached.Config) *cached.Generator {
	g := must(cached.New(w, cfg))
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// shop is the layout of a shop's UIDs.
var shop = bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13, Epoch: bits.Default().Epoch(),
	Fields: []uid.Field{{Name: "region", Bits: 7}, {Name: "machine", Bits: 15}}})

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
			Layout: shop.String(),
		})
	}
	return o
}

// readable looks at the page as it stands: anybody can read it, on any screen, in the light and in the dark, by screen
// reader. Where there is a file in docs, look is called for its picture.
func (b *tab) readable(look func(file string)) {
	b.t.Helper()
	for _, screen := range []struct {
		file, scheme, motion string
		width, height        int64
	}{
		{"debug-light.png", "light", "reduce", 1200, 900},
		{"debug-dark.png", "dark", "reduce", 1200, 900},
		{"debug-narrow.png", "light", "reduce", 390, 844},
		{"", "dark", "", 320, 600},
		{"", "light", "", 800, 600},
		{"", "light", "", 2560, 1440},
	} {
		b.run(chromedp.EmulateViewport(screen.width, screen.height))
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: screen.scheme},
			{Name: "prefers-reduced-motion", Value: screen.motion},
		}})
		require.Empty(b.t, eval[[]string](b, check), screen)
		motion := eval[string](b, "getComputedStyle(document.querySelector('.level')).transitionDuration")
		require.Equal(b.t, screen.motion == "reduce", motion == "0s", motion)
		if look != nil && screen.file != "" {
			look(screen.file)
		}
	}
}

// fewColors paints a picture in its 256 most frequent colors, which are all but shades of letters' edges.
func fewColors(text []byte) []byte {
	picture, often := must(png.Decode(bytes.NewReader(text))), map[color.Color]int{}
	bounds := picture.Bounds()
	for y := range bounds.Max.Y {
		for x := range bounds.Max.X {
			often[picture.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(often), func(a, b color.Color) int { return cmp.Compare(often[b], often[a]) })
	few := image.NewPaletted(bounds, colors[:min(256, len(colors))])
	draw.Draw(few, bounds, picture, bounds.Min, draw.Src)
	var small bytes.Buffer
	_ = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, few)
	return small.Bytes()
}

// term is the value beside a term of the n-th card, "" if it is not there.
func term(card int, name string) string {
	return fmt.Sprintf("([...document.querySelectorAll('.card')[%d].querySelectorAll('.wheel dt')]"+
		".find((e) => e.innerText === '%s')?.nextElementSibling.innerText ?? '')", card, name)
}

const (
	goOn    = "Can go on without the store for"
	waiting = "Callers waiting"
	chips   = "[...document.querySelectorAll('.card .chips')].map((e) => e.firstChild.textContent)"
)

// A shop as one would look at it: two generators with five minutes of history, and workers in all states.
func TestShop(t *testing.T) {
	orders := newGenerator(t, &fake.Worker{ID: 3, Window: 400}, cached.Config{Layout: shop, MaxLead: 2 * time.Minute})
	invoices := must(segment.New(segmenttest.NewMemory().Client(), "invoice", segment.Config{Create: true}))
	t.Cleanup(func() { _ = invoices.Close() })
	var ago atomic.Int64 // only the page's clock passes through the five minutes
	work := func() {
		second, share := 300-time.Duration(ago.Load()).Seconds(), 1.0
		if second == 300 {
			share = 0.5 // the page asks twice a second
		}
		wave := 1100 + 420*math.Sin(second/31) + 160*math.Sin(second/3.7)
		if second > 200 && second < 216 {
			wave *= 2.4
		}
		must(orders.Fill(make([]uid.UID, int(share*wave))))
		must(invoices.Fill(make([]uid.UID, int(share*(40+9*math.Sin(second/23)+3*math.Sin(second/5))))))
	}
	states := []registry.State{registry.Free, registry.Quarantined, registry.Free}
	for range 9 {
		states = append(states, registry.Live, registry.Free)
	}
	url, _, _ := serve(t, debug.Config{Title: "Shop", Layout: shop,
		Generators: []debug.Generator{
			{Name: "orders", Generator: orders, Namespace: "orders"}, {Name: "invoices", Generator: invoices},
		},
		Workers: func(context.Context) (registry.Overview, error) { return listed(states...), nil },
		Now:     func() time.Time { return time.Now().Add(-time.Duration(ago.Load())) },
	}, work)
	for s := range 300 {
		ago.Store(int64(299-s) * int64(time.Second))
		require.NoError(t, must(http.Get(url+"state")).Body.Close())
	}
	b := open(t, url)
	b.await("document.title === 'Shop'")
	b.sees("#generators", "in all", "Lease")
	b.await("/min|[2-9][0-9] s/.test(" + term(0, goOn) + ")") // the pace of the five minutes is forgotten

	// The living come first, those in quarantine next, and the free ones are folded.
	b.await("document.querySelectorAll('#workers tbody tr').length === 10")
	shown := eval[[]string](b, "[...document.querySelectorAll('#workers .state')].map((e) => e.textContent)")
	require.Equal(t, append(slices.Repeat([]string{"live"}, 9), "quarantine"), shown)
	b.await(text("#free") + " === '11 free'")
	b.sees("#workers tbody tr", "orders-7d9c5b8f6d-x03qz.shop.svc.example/1", "orders", "3 min", "until")

	// The Tab key comes to everything that can be used, in the order of the page, and one sees where.
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	sample := must(shop.Compose(shop.TickAt(at), 3, 77)).String()
	for _, name := range []string{"Counters of orders", "Counters of invoices", "uid", "Take apart", "11 free"} {
		b.run(chromedp.KeyEvent(kb.Tab))
		require.Equal(t, name, eval[string](b, "document.activeElement.id || document.activeElement.textContent"))
		require.Equal(t, "solid 3px", eval[string](b, "(({ outlineStyle: s, outlineWidth: w }) => `${s} ${w}`)"+
			"(getComputedStyle(document.activeElement))"))
		switch name {
		case "Counters of orders":
			b.run(chromedp.KeyEvent(kb.Enter))
			b.sees("details", "rejected takes")
			// What is open, and the focus, outlast the updates.
			b.do("performance.clearResourceTimings()")
			b.await("performance.getEntriesByType('resource').filter((e) => e.name.includes('state')).length > 3")
			b.await("document.querySelector('details').open && document.activeElement.tagName === 'SUMMARY'")
			b.run(chromedp.KeyEvent(kb.Enter))
		case "uid":
			b.run(chromedp.KeyEvent(sample + kb.Enter))
		}
	}
	b.sees("#decoded", "region", "machine", "sequence", "77", at.UTC().Format(time.RFC3339),
		at.In(must(time.LoadLocation("Europe/Berlin"))).Format("15:04:05"), // in the reader's zone
		"x03qz.shop.svc.example/1 holds it in the namespace orders")
	b.await("document.querySelectorAll('#decoded [data-bit]').length === 64")

	b.do("document.activeElement.blur()")
	b.readable(func(file string) {
		picture := fewColors(must(chromedp.Run(b.ctx, chromedp.FullScreenshot(100))))
		require.Less(t, len(picture), 150<<10, file)
		path := filepath.Join("..", "..", "docs", file)
		if *update {
			require.NoError(t, os.WriteFile(path, picture, 0o644))
		}
		require.FileExists(t, path, "-update writes it")
		if file == "debug-narrow.png" {
			require.Less(t, eval[float64](b, "[...document.querySelectorAll('#workers tbody tr')].slice(0, 9)"+
				".reduce((n, e) => n + e.getBoundingClientRect().height, 0)"), 844.0, "nine are one screen of a phone")
		}
	})
	b.do("document.querySelectorAll('details').forEach((e) => { e.open = true })")
	b.sees("#free", "orders-7d9c5b8f6d-x02qz.shop.svc.example/1 had it last")
	b.readable(nil)

	b.enter("<img src=x>!!")
	b.sees("#uid-problem", "not one of base32")
	b.await("document.querySelector('#uid').getAttribute('aria-invalid') === 'true'")
	b.await("document.querySelector('#decoded').childElementCount + document.images.length === 0")
	b.clean(url, "/decode?uid=") // the browser logs each answer that is no success
}

// hostile is a name that does harm wherever it becomes markup.
const hostile = `</title></script><img src=x onerror="window.harmed=1"><svg onload=window.harmed=1>'"` +
	`${window.harmed=1}&lt;`

// From a program's start over a load and an outage to its end, and the next one's start. Each shows without a reload.
func TestLife(t *testing.T) {
	// The clock gives nobody anything before this day ends.
	layout := bits.MustLayout(bits.Config{TimeBits: 20, WorkerBits: 10, SequenceBits: 12, Unit: 24 * time.Hour})
	store := fake.Giving(uid.Reservation{WorkerID: 8, Last: layout.TickAt(time.Now()) + 2, Renew: math.MaxInt64})
	orders := newGenerator(t, fake.Endless(7), cached.Config{Layout: layout, MaxLead: 24 * time.Hour, Slots: 4})
	bills := newGenerator(t, store, cached.Config{Layout: layout, MaxLead: 240 * time.Hour, Slots: 4})
	// drawAll draws until nothing is left.
	drawAll := func(g *cached.Generator) {
		var err error
		for err == nil {
			_, err = g.TryGetUID()
		}
		require.True(t, errors.Is(err, uid.ErrRejectedTake) || errors.Is(err, uid.ErrNoReservation), err)
	}
	var down atomic.Pointer[func(context.Context) error]
	workers := func(ctx context.Context) (registry.Overview, error) {
		if fails := down.Load(); fails != nil {
			return registry.Overview{}, (*fails)(ctx)
		}
		return listed(registry.Live), nil
	}
	url, gone, next := serve(t, debug.Config{Workers: workers,
		Generators: []debug.Generator{{Name: "orders", Generator: orders}, {Name: "bills", Generator: bills}},
	}, func() {})
	b := open(t, url)
	b.await(text("#connection") + " === 'Live'")
	loaded := eval[float64](b, "performance.timeOrigin")

	// Idle. The ring's positions are folded.
	b.sees("#workers tbody", "x00qz")
	b.sees(".card", "0 in all", "8,192")
	b.sees(".bars", "as long as the layout lasts")
	b.sees(".expires", fmt.Sprint(layout.Expires().Year()))
	b.await(term(0, goOn) + " === 'as long as the layout lasts'")
	b.await("/^[1-9]\\d* (days|h \\d+ min)$/.test(" + term(1, goOn) + ")")
	b.await(term(0, waiting) + " === '0' && " + text("#store") + " === ''")
	const folded = "document.querySelector('.card details').textContent"
	for _, position := range []string{"slots", "cursor", "tail"} {
		b.await(fmt.Sprintf("%s.includes('%s:') && !/%[2]s/i.test(%s)", folded, position, text(".card")))
	}
	b.readable(nil)

	// Drawing. A screen reader is told only of what changes seldom.
	b.do(`window.told = [];
		for (const e of document.querySelectorAll("[role=status], [role=alert], [aria-live]"))
			new MutationObserver((all) => told.push(...all.map(() => e.outerHTML)))
				.observe(e, { childList: true, characterData: true, subtree: true })`)
	for n, shown := range []string{"100", "300", "600", "1,000", "1,500", "2,100"} {
		must(orders.Fill(make([]uid.UID, 100*(n+1))))
		b.sees(".card", shown+" in all")
	}
	b.await(folded + ".includes('+ 2,100') && parseFloat(" + text(".rate") + ") > 0")
	b.await("document.querySelector('.chart').getAttribute('aria-label').includes('a second now')")
	b.await("told.length === 0")

	// Loaded.
	drawAll(orders)
	for range 3 {
		go func() { _, _ = orders.GetUID() }() // until it is closed
	}
	b.await(term(0, waiting) + " === '3' && " + term(1, waiting) + " === '0'")
	b.readable(nil)

	// The store fails, and answers again. Nothing says "go on" of a generator that is not ready.
	failing := func(context.Context) error { return errors.New("connection refused") }
	down.Store(&failing)
	store.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
	drawAll(bills)
	b.sees("#store", "does not answer", "connection refused")
	b.sees(".card .chips", "not ready")
	b.await("[...document.querySelectorAll('.card h3')].map((e) => e.textContent).join() === 'bills,orders'")
	b.await("!/go on/.test(" + text("#store") + " + " + text(".card") + ")")
	b.sees(".bars", "it is used up")
	b.await(term(1, goOn) + " === 'as long as the layout lasts'") // it needs no store
	b.await(text("#connection") + " === 'Live'")                  // the program itself answers
	b.readable(nil)
	down.Store(nil)
	b.sees("#store", "answers again")
	b.await("!document.querySelector('#workers-part').classList.contains('old')")
	over := make(chan struct{})
	silent := func(context.Context) error { <-over; return nil }
	down.Store(&silent)
	b.sees("#store", "does not answer", "no answer within")
	close(over)
	b.sees("#store", "answers again")

	// Cards of moments that are hard to meet: one box for one failure, no idle generator whose calls fail, and no lead
	// above its bound by a part of a tick.
	const refused = "ready: true, waiting: 0, failing: {text: 'refused', since: {ms: 0}}"
	for _, c := range []struct{ generator, state, seen, unseen string }{
		{refused, "", "Reserving has failed", "idle"},
		{refused, "workers: {status: 'down'}", "", "Reserving"},
		{refused + ", reasons: [{text: 'no: refused', level: 'error'}]", "", "no: refused", "Reserving"},
		{"ready: true, waiting: 0, bounds: {lag: 2000, maxLag: 1000}", "", "idle for 2 s", "of 1 s"},
		{"ready: false, waiting: 0, bounds: {lag: 2000, maxLag: 1000}", "", "2 s of 1 s", "idle"},
		{"ready: true, waiting: 0, bounds: {lead: 9.5e4, maxLead: 9.4e4}", "", "1 min 35 s of 1 min 35 s", "34"},
	} {
		b.do(`import("./card.js").then(({card}) => {
			const c = card("x", 99);
			c.show({kind: "cached", points: [], counters: [], reasons: [], ` + c.generator + `},
				{now: 1000, ` + c.state + `});
			window.tried = c.element.textContent;
		})`)
		b.await("window.tried !== undefined")
		tried := eval[string](b, "window.tried")
		require.Contains(t, tried, c.seen)
		require.NotContains(t, tried, c.unseen)
		b.do("delete window.tried")
	}

	// Gone: nothing is said to be ready.
	require.Equal(t, loaded, eval[float64](b, "performance.timeOrigin"), "it was loaded anew")
	b.clean(url, "")
	gone.Store(true)
	b.sees("#connection", "has not answered since")
	require.Equal(t, []string{"no answer", "no answer"}, eval[[]string](b, chips))
	b.await("!/\\bready\\b/.test(document.body.innerText) && " + term(1, goOn) + " === 'not known'")
	b.await("document.querySelector('#workers-part').classList.contains('old')")
	b.readable(nil)

	// The next process is shown from its own beginning, and names of every origin are shown as they are.
	const most = "Number([...document.querySelectorAll('.chart')].at(-1).getAttribute('aria-label')" +
		".match(/at most ([0-9.,]+)/)?.[1].replace(',', '') ?? 0)"
	b.await(most + " > 30")
	g := newGenerator(t, fake.Endless(0), cached.Config{Layout: shop})
	down.Store(nil)
	next(debug.Config{Title: hostile[:100],
		Generators: []debug.Generator{
			{Name: hostile[:90], Generator: g, Namespace: hostile}, {Name: "orders", Generator: g},
		},
		Workers: func(ctx context.Context) (registry.Overview, error) {
			_, err := workers(ctx)
			o := listed(registry.Live, registry.State(hostile))
			for i := range o.Leases {
				o.Leases[i].Namespace, o.Leases[i].Holder = hostile, "holder"+hostile
			}
			o.Namespaces = []registry.NamespaceInfo{{Namespace: hostile, Layout: hostile, Live: 1}}
			return o, err
		},
	})
	must(g.Fill(make([]uid.UID, 30)))
	gone.Store(false)
	b.await(text("#connection") + " === 'Live'")
	b.sees(".card .chips", "ready", "worker 0", "namespace </title>")
	b.sees(".card", "30 in all")
	b.await(most + " > 0 && " + most + " <= 30")
	b.await("[...document.querySelectorAll('.card h3')].map((e) => e.textContent).at(-1) === 'orders'")
	b.await("document.querySelectorAll('.card').length === 2")
	b.sees("#workers tbody", "holder</title>", hostile[:20])
	b.enter(must(g.GetUID()).String())
	b.sees("#decoded", "holder</title>")
	failing = func(context.Context) error { return errors.New("failed: " + hostile) }
	down.Store(&failing)
	b.sees("#store", "failed: </title>")
	require.GreaterOrEqual(t, strings.Count(eval[string](b, "document.body.textContent"), hostile), 4)
	require.Equal(t, hostile[:100], eval[string](b, "document.title"))
	b.await("window.harmed === undefined && document.scripts.length === 1")
	b.await("document.images.length + document.querySelectorAll('[onload], [onerror]').length === 0")
	b.clean(url, "net::ERR") // while the program was gone
}

// The tests would see a violation of the policy, an error in a script, a request elsewhere, and what keeps people from
// reading.
func TestComplaintsAreSeen(t *testing.T) {
	url, _, _ := serve(t, debug.Config{Layout: bits.Default()}, func() {})
	b := open(t, url)
	b.await(text("#connection") + " === 'Live'")
	for _, c := range []struct{ does, want string }{
		{"document.body.setAttribute('style', 'color: red')", "Content Security Policy"},
		{"document.body.append(Object.assign(document.createElement('script'), { text: 'ran = 1' }))", "script-src"},
		{"document.body.append(Object.assign(new Image(), { src: 'https://elsewhere.example/x.png' }))", "img-src"},
		{"fetch('https://elsewhere.example/').catch(() => 0)", "connect-src"},
		{"setTimeout(() => { throw new Error('oh no') })", "oh no"},
	} {
		b.do(c.does)
		require.Eventually(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return strings.Contains(strings.Join(b.complaints, "\n"), c.want)
		}, patience, time.Millisecond, c.does)
	}
	b.await("window.ran === undefined")
	b.do(`document.querySelector("button").textContent = "";
		document.querySelector("h1").style.minWidth = "3000px";
		document.querySelector("footer").style.color = "#999";
		document.querySelector("footer").append(Object.assign(document.createElement("h6"), { textContent: "x" }))`)
	found := strings.Join(eval[[]string](b, check), "\n")
	for _, want := range []string{"has a contrast of 2", "has no name", "level of headings", "scrolls sideways"} {
		require.Contains(t, found, want)
	}
}
