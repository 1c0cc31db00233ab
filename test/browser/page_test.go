package browser

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// text is the text of the first element that a selector finds.
func text(selector string) string {
	return "(document.querySelector(`" + selector + "`)?.innerText ?? '')"
}

// must returns a value that cannot fail to be there.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func newGenerator(t *testing.T, id int64) *cached.Generator {
	return newGeneratorOf(t, &fake.Worker{ID: id}, cached.Config{})
}

// newGeneratorOf returns one that is closed when the test ends.
func newGeneratorOf(t *testing.T, w uid.Worker, cfg cached.Config) *cached.Generator {
	g := must(cached.New(w, cfg))
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

func draw(t *testing.T, g uid.Generator, n int) {
	_, err := g.Fill(make([]uid.UID, n))
	require.NoError(t, err)
}

// What the page shows follows what is drawn, without a reload; rates and the chart come with it.
func TestUpdates(t *testing.T) {
	t.Parallel()
	// The clock moves the cursor, too, but not during a tick of a day.
	layout := bits.MustLayout(bits.Config{TimeBits: 20, WorkerBits: 10, SequenceBits: 24, Unit: 24 * time.Hour})
	g := newGeneratorOf(t, &fake.Worker{ID: 7}, cached.Config{Layout: layout})
	p := serve(t, debug.Config{Title: "Shop", Generators: []debug.Generator{{Name: "orders", Generator: g}}})
	b := open(t, p.url, 1280, 900)
	b.await(t, text("#connection")+" === 'Live'")
	require.Equal(t, "Shop", eval[string](t, b, "document.title"))
	loaded := eval[float64](t, b, "performance.timeOrigin")
	b.await(t, text(".card")+".includes('0 in all')")
	require.Contains(t, eval[string](t, b, text(".card")), "16,777,216", "what the ring holds")

	draw(t, g, 100)
	b.await(t, text(".card")+".includes('100 in all')")
	positions := "document.querySelector('.card details').textContent" // folded
	b.await(t, positions+".includes('+ 100')")
	b.await(t, "parseFloat("+text(".rate")+") > 0")
	b.await(t, "document.querySelector('.chart').getAttribute('aria-label').includes('a second now')")
	draw(t, g, 20_000)
	b.await(t, text(".card")+".includes('20,100 in all')")
	require.Contains(t, eval[string](t, b, positions), "+ 20,100")
	require.Contains(t, eval[string](t, b, text(".wheel")), "16,757,116")
	require.Equal(t, loaded, eval[float64](t, b, "performance.timeOrigin"), "it was loaded anew")
	require.Contains(t, eval[string](t, b, text(".bars")), "as long as the layout lasts")
	require.Contains(t, eval[string](t, b, text(".bars")), strconv.Itoa(layout.Expires().Year()))
	b.clean(t, p.url)
}

// A UID is typed and taken apart, by keyboard alone.
func TestDecodes(t *testing.T) {
	t.Parallel()
	layout := bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 10, SequenceBits: 12,
		Fields: []uid.Field{{Name: "region", Bits: 3}, {Name: "machine", Bits: 7}}})
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	u := must(layout.Compose(layout.TickAt(at), 5<<7|9, 77))
	p := serve(t, debug.Config{Layout: layout, Workers: func(context.Context) (registry.Overview, error) {
		o := listed(registry.Live)
		o.Leases[0].WorkerID, o.Leases[0].Layout = 5<<7|9, layout.String()
		o.Leases[0].Holder, o.Leases[0].Acquired = "web-1.example/4711", at.Add(-time.Hour)
		return o, nil
	}})
	b := open(t, p.url, 1280, 900)
	b.await(t, text("#workers tbody")+".includes('web-1.example/4711')")
	b.run(t, chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(u.String()+kb.Enter))
	b.await(t, "document.querySelector('#decoded .bits')")
	shown := eval[string](t, b, text("#decoded"))
	for _, want := range []string{"region", "machine", "sequence", "77", at.UTC().Format(time.RFC3339),
		"web-1.example/4711 holds it in the namespace orders"} {
		require.Contains(t, shown, want)
	}
	berlin := must(time.LoadLocation("Europe/Berlin"))
	require.Contains(t, shown, at.In(berlin).Format("15:04:05"), "in the reader's zone")
	require.Equal(t, 64, eval[int](t, b, "document.querySelectorAll('#decoded [data-bit]').length"))

	b.enter(t, "<img src=x>!!")
	b.await(t, text("#uid-problem")+".includes('not one of base32')")
	require.Equal(t, "true", eval[string](t, b, "document.querySelector('#uid').getAttribute('aria-invalid')"))
	require.Zero(t, eval[int](t, b, "document.querySelector('#decoded').childElementCount"))
	require.Zero(t, eval[int](t, b, "document.images.length"))
	// The browser logs each answer that is no success; there is no other complaint.
	for _, c := range b.complaints() {
		require.Contains(t, c, "status of 400")
		require.Contains(t, c, "/decode?uid=")
	}
}

// The outage of a real MariaDB, by a crash and by silence, shows after at most four of the page's
// questions, which is two seconds of them; its end shows, too.
func TestOutage(t *testing.T) {
	t.Parallel()
	server := cluster.NewMariaDB(t)
	wire := harness.NewProxy(t, server.Addr(0))
	cfg := server.Config(server.NewDatabase(t))
	cfg.Addr = wire.Addr()
	db := must(cluster.Connect(cfg.FormatDSN(), cluster.Quiet))
	t.Cleanup(func() { db.Close() })
	tables := must(sqlstore.New(db, sqlstore.Config{}))
	leases := must(tables.Leases("orders"))
	require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Layout: bits.Default()}))
	w := must(lease.New(leases, lease.Config{Losses: lease.NeverUnchecked}))
	harness.SetHolder(w, "web-1.example/4711")
	g := must(cached.New(w, cached.Config{}))
	t.Cleanup(func() { _ = g.Close() })
	p := serve(t, debug.Config{
		Generators: []debug.Generator{{Name: "orders", Generator: g, Namespace: "orders"}},
		Workers:    debug.Workers(tables.Registry()),
	})
	b := open(t, p.url, 1280, 900)
	b.await(t, text("#workers tbody")+".includes('web-1.example/4711')")
	b.await(t, text(".bars")+".includes('Lease')")
	require.Empty(t, eval[string](t, b, text("#store")))

	for _, fault := range []struct{ begin, end func() }{
		{func() { server.Kill() }, func() { require.NoError(t, server.Restart()) }},
		{func() { wire.Mute(true) }, func() { wire.Mute(false) }},
	} {
		fault.begin()
		begun := p.answers()
		b.await(t, text("#store")+".includes('does not answer')")
		require.LessOrEqual(t, p.until(t, begun), 10, "states, one a second")
		require.NotContains(t, eval[string](t, b, text("#store")), "go on")
		require.Regexp(t, `^\d+ min`, eval[string](t, b, term(0, goOn)))
		require.Equal(t, "Live", eval[string](t, b, text("#connection")), "the program itself answers")
		_, err := g.GetUID()
		require.NoError(t, err, "reserved")

		fault.end()
		b.await(t, text("#store")+".includes('answers again')")
		b.await(t, "!document.querySelector('#workers-part').classList.contains('old')")
	}
	b.clean(t, p.url)
}

// hostile is a name that does harm wherever it becomes markup.
const hostile = `</title></script><img src=x onerror="window.harmed=1"><svg onload=window.harmed=1>'"` +
	`${window.harmed=1}&lt;`

// Names of every origin are shown as they are.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	g := newGenerator(t, 7)
	now := time.Now()
	var down atomic.Bool
	p := serve(t, debug.Config{
		Title:      hostile[:100],
		Generators: []debug.Generator{{Name: hostile[:90], Generator: g, Namespace: hostile}},
		Workers: func(context.Context) (registry.Overview, error) {
			if down.Load() {
				return registry.Overview{}, errors.New("failed: " + hostile)
			}
			l := registry.LeaseInfo{
				Namespace: hostile, WorkerID: 7, State: registry.Live, Holder: "holder" + hostile,
				Layout: bits.Default().String(), Acquired: now.Add(-time.Hour), Renewed: now, Until: now.Add(time.Hour),
			}
			odd := l
			odd.WorkerID, odd.State = 8, registry.State(hostile)
			return registry.Overview{Now: time.Now(), HasLeases: true, Leases: []registry.LeaseInfo{l, odd},
				Namespaces: []registry.NamespaceInfo{{Namespace: hostile, Layout: hostile, Live: 1}}}, nil
		},
	})
	b := open(t, p.url, 1280, 900)
	content := "document.body.textContent"
	b.await(t, "document.querySelector('#workers tbody').textContent.includes('holder</title>')")
	b.await(t, "document.querySelector('.card .chips').textContent.includes('namespace </title>')")
	u := must(g.GetUID())
	b.run(t, chromedp.SetValue(chromedp.CSS("#uid"), u.String()), chromedp.Click(chromedp.CSS("#decode button")))
	b.await(t, "document.querySelector('#decoded').textContent.includes('holder</title>')")
	down.Store(true)
	b.await(t, "document.querySelector('#store').textContent.includes('failed: </title>')")
	require.GreaterOrEqual(t, strings.Count(eval[string](t, b, content), hostile), 4)
	require.Equal(t, hostile[:100], eval[string](t, b, "document.title"))
	require.True(t, eval[bool](t, b, "window.harmed === undefined"))
	require.Zero(t, eval[int](t, b, "document.images.length + document.querySelectorAll('[onload], [onerror]').length"))
	require.Equal(t, 1, eval[int](t, b, "document.scripts.length"))
	b.clean(t, p.url)
}

// A program that is gone is said to be gone, and its generators are not ready; the next process is shown
// from its own beginning.
func TestRestart(t *testing.T) {
	t.Parallel()
	var handler atomic.Value
	page := func(id int64, drawn int, more ...debug.Generator) http.Handler {
		g := newGenerator(t, id)
		h, err := debug.New(debug.Config{
			Generators: append(more, debug.Generator{Name: "orders", Generator: g}),
			Workers:    func(context.Context) (registry.Overview, error) { return listed(registry.Live), nil },
		})
		require.NoError(t, err)
		draw(t, g, drawn)
		return h
	}
	handler.Store(page(7, 5000, debug.Generator{Name: "gone", Generator: newGenerator(t, 9)}))
	var gone atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			panic(http.ErrAbortHandler)
		}
		handler.Load().(http.Handler).ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	b := open(t, s.URL, 1280, 900)
	b.await(t, text("#generators")+".includes('5,000 in all')")
	b.await(t, text("#generators")+".includes('worker 7')")
	b.await(t, text("#workers tbody")+".includes('x00qz')")
	most := "Number([...document.querySelectorAll('.chart')].at(-1).getAttribute('aria-label')" +
		".match(/at most ([0-9.,]+)/)?.[1].replace(',', '') ?? 0)"
	b.await(t, most+" > 30")
	gone.Store(true)
	b.await(t, text("#connection")+".includes('has not answered since')")
	chips := "[...document.querySelectorAll('.card .chips')].map((e) => e.firstChild.textContent)"
	require.Equal(t, []string{"no answer", "no answer"}, eval[[]string](t, b, chips))
	require.NotRegexp(t, `\bready\b`, eval[string](t, b, "document.body.innerText"))
	require.Equal(t, "not known", eval[string](t, b, term(0, goOn)))
	require.True(t, eval[bool](t, b, "document.querySelector('#workers-part').classList.contains('old')"))
	require.Empty(t, eval[[]string](t, b, check))
	snap(t, b, "gone")
	handler.Store(page(8, 30))
	gone.Store(false)
	b.await(t, text("#connection")+" === 'Live'")
	b.await(t, text(".card .chips")+".includes('ready')")
	b.await(t, text(".card .chips")+".includes('worker 8')")
	b.await(t, text(".card")+".includes('30 in all')")
	b.await(t, most+" > 0 && "+most+" <= 30") // the rates of the one before are gone
	require.Equal(t, 1, eval[int](t, b, "document.querySelectorAll('.card').length"), "those before are gone")
}
