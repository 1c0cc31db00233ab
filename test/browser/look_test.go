package browser

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"flag"
	"image"
	"image/color"
	paint "image/draw"
	"image/png"
	"maps"
	"math"
	"net/http"
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

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

var update = flag.Bool("update", false, "write the pictures in docs anew")

//go:embed check.js
var check string

// shop is a program as one would look at it: two generators with five minutes of history, and
// workers in all states. A UID of it is returned, too.
func shop(t *testing.T) (p *program, sample string) {
	store := storetest.NewMemory(storetest.MemoryConfig{Durable: true})
	leases := store.Store("orders")
	require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Layout: bits.Default()}))
	start := func(holder string) *cached.Generator {
		w := must(lease.New(leases, lease.Config{}))
		harness.SetHolder(w, holder)
		g := must(cached.New(w, cached.Config{MaxLead: 2 * time.Minute}))
		t.Cleanup(func() { _ = g.Close() })
		return g
	}
	gone := start("web-1.example/3127")
	orders := start("web-1.example/4711")
	start("web-2.example/812")
	start("batch.example/95")
	require.NoError(t, gone.Close())
	invoices := must(segment.New(segmenttest.NewMemory().Client(), "invoice", segment.Config{Create: true}))
	t.Cleanup(func() { _ = invoices.Close() })

	// Only the page's clock passes through the five minutes.
	var ago atomic.Int64
	ago.Store(int64(5 * time.Minute))
	cfg := debug.Config{
		Title: "Shop",
		Generators: []debug.Generator{
			{Name: "orders", Generator: orders, Namespace: "orders"}, {Name: "invoices", Generator: invoices},
		},
		Workers: func(ctx context.Context) (registry.Overview, error) {
			return registry.Read(ctx, store.Registry(), 0)
		},
		Now: func() time.Time { return time.Now().Add(-time.Duration(ago.Load())) },
	}
	p = serve(t, cfg)
	second := 0
	drawFor := func(share float64) {
		s := float64(second)
		wave := 1100 + 420*math.Sin(s/31) + 160*math.Sin(s/3.7)
		if s > 200 && s < 216 {
			wave *= 2.4
		}
		draw(t, orders, int(share*wave))
		draw(t, invoices, int(share*(40+9*math.Sin(s/23)+3*math.Sin(s/5))))
	}
	for range 300 {
		second++
		drawFor(1)
		ago.Add(-int64(time.Second))
		require.NoError(t, must(http.Get(p.url+"state")).Body.Close())
	}
	last := time.Now()
	p.each = func() { // by one page, one question at a time
		drawFor(min(1, time.Since(last).Seconds()))
		last = time.Now()
	}
	return p, must(orders.GetUID()).String()
}

// show opens the shop's page with a UID taken apart, and waits until all of it is there.
func show(t *testing.T, p *program, sample string, width, height int64, features ...*emulation.MediaFeature) *tab {
	b := open(t, "about:blank", width, height)
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	b.run(t, chromedp.Navigate(p.url))
	b.await(t, text(".card")+".includes('in all')")
	b.enter(t, sample)
	b.await(t, text("#decoded")+".includes('web-1.example/4711')")
	b.await(t, text("#workers tbody")+".includes('batch.example/95')")
	b.await(t, text("#workers tbody")+".includes('quarantine')")
	b.await(t, text(".bars")+".includes('Lease')")
	b.await(t, "/min|[2-9][0-9] s/.test("+term(0, goOn)+")") // the pace of the five minutes is forgotten
	return b
}

// Everybody can read the page: on any screen, in the light and in the dark, by screen reader.
func TestLooks(t *testing.T) {
	t.Parallel()
	p, sample := shop(t)
	dark := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"}
	light := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"}
	still := &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"}
	for _, look := range []struct {
		file          string // in docs
		width, height int64
		features      []*emulation.MediaFeature
	}{
		{"debug-light.png", 1200, 900, []*emulation.MediaFeature{light, still}},
		{"debug-dark.png", 1200, 900, []*emulation.MediaFeature{dark, still}},
		{"debug-narrow.png", 390, 844, []*emulation.MediaFeature{light, still}},
		{"", 320, 600, []*emulation.MediaFeature{dark}},
		{"", 800, 600, []*emulation.MediaFeature{light}},
		{"", 2560, 1440, []*emulation.MediaFeature{light}},
	} {
		b := show(t, p, sample, look.width, look.height, look.features...)
		require.Empty(t, eval[[]string](t, b, check), look)
		motion := eval[string](t, b, "getComputedStyle(document.querySelector('.level')).transitionDuration")
		require.Equal(t, len(look.features) == 2, motion == "0s", motion)
		b.do(t, "document.activeElement.blur()")
		if look.file != "" {
			keep(t, b, look.file)
		}
		b.do(t, "document.querySelector('details').open = true")
		require.Empty(t, eval[[]string](t, b, check), "%v, with open details", look)
		b.clean(t, p.url)
	}
}

// keep takes a picture of the whole page, and with -update writes it into docs.
func keep(t *testing.T, b *tab, file string) {
	text, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	picture := must(png.Decode(bytes.NewReader(text)))
	var small bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColors(picture)))
	require.Less(t, small.Len(), 150<<10, file)
	path := filepath.Join("..", "..", "docs", file)
	if *update {
		require.NoError(t, os.WriteFile(path, small.Bytes(), 0o644))
	}
	require.FileExists(t, path, "-update writes it")
}

// fewColors paints a picture in its 256 most frequent colors, which are all but shades of letters'
// edges.
func fewColors(picture image.Image) *image.Paletted {
	bounds, often := picture.Bounds(), map[color.Color]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			often[picture.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(often), func(a, b color.Color) int { return cmp.Compare(often[b], often[a]) })
	few := image.NewPaletted(bounds, colors[:min(256, len(colors))])
	paint.Draw(few, bounds, picture, bounds.Min, paint.Src)
	return few
}

// The Tab key comes to everything that can be used, in the order of the page, and one sees where.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	p, sample := shop(t)
	b := show(t, p, sample, 1200, 900)
	want := eval[[]string](t, b, `[...document.querySelectorAll("input, button, summary, a[href], [tabindex]")]
		.filter((e) => e.checkVisibility()).map((e) => e.id || e.textContent)`)
	require.Equal(t, []string{"Counters of orders", "Counters of invoices", "uid", "Take apart"}, want)
	b.do(t, "document.activeElement.blur(); window.getSelection().removeAllRanges(); document.body.tabIndex = -1; "+
		"document.body.focus(); document.body.removeAttribute('tabindex')")
	for _, name := range want {
		b.run(t, chromedp.KeyEvent(kb.Tab))
		require.Equal(t, name, eval[string](t, b, "document.activeElement.id || document.activeElement.textContent"))
		outline := eval[string](t, b, "(({ outlineStyle: s, outlineWidth: w }) => `${s} ${w}`)"+
			"(getComputedStyle(document.activeElement))")
		require.Equal(t, "solid 3px", outline)
		if name == want[0] {
			b.run(t, chromedp.KeyEvent(kb.Enter))
			b.await(t, "document.querySelector('details').open && "+text("details")+".includes('rejected takes')")
			// What is open, and the focus, outlast the updates.
			n := p.answers()
			b.await(t, "performance.getEntriesByType('resource').filter((e) => e.name.includes('state')).length > 3")
			require.Greater(t, p.answers(), n-1)
			require.True(t, eval[bool](t, b,
				"document.querySelector('details').open && document.activeElement.tagName === 'SUMMARY'"))
		}
	}
	b.clean(t, p.url)
}

// A screen reader is told only of what changes seldom: while UIDs are drawn and bars run down, no
// live region changes.
func TestQuiet(t *testing.T) {
	t.Parallel()
	g := newGenerator(t, 7)
	p := serve(t, debug.Config{Generators: []debug.Generator{{Name: "orders", Generator: g}}})
	b := open(t, p.url, 1200, 900)
	b.await(t, text("#connection")+" === 'Live'")
	b.do(t, `window.told = [];
		for (const e of document.querySelectorAll("[role=status], [role=alert], [aria-live]"))
			new MutationObserver((all) => told.push(...all.map(() => e.outerHTML)))
				.observe(e, { childList: true, characterData: true, subtree: true })`)
	for n := range 6 {
		draw(t, g, 100*(n+1))
		now := p.answers()
		b.await(t, text(".card")+".includes('"+[]string{"100", "300", "600", "1,000", "1,500", "2,100"}[n]+" in all')")
		require.Greater(t, p.answers(), now)
	}
	require.Empty(t, eval[[]string](t, b, "told"))
	b.clean(t, p.url)
}

// The tests would see a violation of the policy, an error in a script, a request elsewhere, and
// what keeps people from reading.
func TestComplaintsAreSeen(t *testing.T) {
	t.Parallel()
	p := serve(t, debug.Config{Layout: bits.Default()})
	const policy = "Content Security Policy"
	for _, c := range []struct{ does, want string }{
		{"document.body.setAttribute('style', 'color: red')", policy},
		{"const s = document.createElement('script'); s.textContent = 'ran = 1'; document.body.append(s)", policy},
		{"document.body.append(Object.assign(new Image(), { src: 'https://elsewhere.example/x.png' }))", policy},
		{"fetch('https://elsewhere.example/').catch(() => 0)", policy},
		{"setTimeout(() => { throw new Error('oh no') })", "oh no"},
	} {
		b := open(t, p.url, 1200, 900)
		b.do(t, c.does)
		b.await(t, "document.readyState === 'complete'")
		require.Eventually(t, func() bool { return len(b.complaints()) > 0 }, patience, time.Millisecond, c.does)
		require.Contains(t, b.complaints()[0], c.want)
		require.True(t, eval[bool](t, b, "window.ran === undefined"))
	}
	b := open(t, p.url, 1200, 900)
	b.await(t, text("#connection")+" === 'Live'")
	b.do(t, `document.querySelector("button").textContent = "";
		document.querySelector("h1").style.minWidth = "3000px";
		document.querySelector("footer").style.color = "#999";
		document.querySelector("footer").append(Object.assign(document.createElement("h6"), { textContent: "x" }))`)
	found := strings.Join(eval[[]string](t, b, check), "\n")
	for _, want := range []string{"has a contrast of 2", "has no name", "level of headings", "scrolls sideways"} {
		require.Contains(t, found, want)
	}
}
