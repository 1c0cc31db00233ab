package debug

import (
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/uidtest"
	"github.com/uidgen/uid/worker"
)

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func newCached(t testing.TB, id int64) *cached.Generator {
	g := cached.MustNew(worker.Static(id, rand.Text()), cached.Config{})
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// shown is a generator under its name.
func shown(name string, g uid.Generator) Generator { return Generator{Name: name, Generator: g} }

func newPage(t testing.TB, cfg Config) *handler {
	return must(New(cfg)).(*handler)
}

// ask makes a request without a network.
func ask(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// get reads JSON.
func get[T any](t testing.TB, h http.Handler, target string) (v T) {
	t.Helper()
	w := ask(h, "GET", target)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v), w.Body.String())
	return v
}

// Each answer has all headers that protect the page, and no others than the type of what it holds.
func TestMethods(t *testing.T) {
	h := newPage(t, Config{Layout: bits.Default()})
	protecting := http.Header{
		"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
			"img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
		"X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"}, "Referrer-Policy": {"no-referrer"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
	}
	protected := func(header http.Header, path string) {
		header.Del("Content-Type")
		header.Del("Allow")
		require.Equal(t, protecting, header, path)
	}
	for _, path := range []string{"/", "/page.js", "/state", "/decode?uid=7", "/nothing"} {
		for _, m := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "QUERY"} {
			w := ask(h, m, path)
			require.Equal(t, http.StatusMethodNotAllowed, w.Code, "%s %s", m, path)
			require.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
			protected(w.Header(), path)
		}
	}
	for path, code := range map[string]int{
		"/": 200, "/page.js": 200, "/card.js": 200, "/page.css": 200, "/icon.svg": 200, "/page/page.js": 200,
		"/state": 200, "/state?since=0": 200, "/decode?uid=7": 200,
		"/state?since=-1": 400, "/state?since=99999999999": 400, "/decode": 400, "/decode?uid=x": 400,
		"/nothing": 404, "/page.html": 404, "/page": 404, "/workers": 404, "/handler.go": 404, "/..": 404,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			w := ask(h, method, path)
			require.Equal(t, code, w.Code, "%s %s", method, path)
			protected(w.Header(), path)
		}
	}
}

// The page works below any prefix, with and without http.StripPrefix.
func TestPrefix(t *testing.T) {
	h := newPage(t, Config{Title: "Shop", Layout: bits.Default()})
	mux := http.NewServeMux()
	mux.Handle("/debug/uid/", h)
	mux.Handle("/a/", http.StripPrefix("/a", h))
	mux.Handle("/b/", http.StripPrefix("/b/", h))
	mux.Handle("/c", http.StripPrefix("/c", h))
	for _, prefix := range []string{"/debug/uid/", "/a/", "/b/"} {
		require.Equal(t, "text/html; charset=utf-8", ask(mux, "GET", prefix).Header().Get("Content-Type"), prefix)
		require.Equal(t, "Shop", get[state](t, mux, prefix+"state").Title, prefix)
	}
	w := ask(mux, "GET", "/c?x=1")
	require.Equal(t, http.StatusTemporaryRedirect, w.Code)
	require.Equal(t, "./c/", w.Header().Get("Location"))

	// Nobody is sent to another host.
	for _, asked := range []string{"//evil.example", "/x//evil.example", "http://evil.example", "/\\evil.example"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/", nil)
		r.RequestURI, r.URL.Path = asked, ""
		h.ServeHTTP(w, r)
		require.True(t, strings.HasPrefix(w.Header().Get("Location"), "./"), w.Header().Get("Location"))
	}
}

// All files are there, small, and refer to nothing elsewhere; scripts never make markup of a text.
func TestFiles(t *testing.T) {
	h := newPage(t, Config{Layout: bits.Default()})
	elsewhere := regexp.MustCompile(`(https?:)?//[a-z0-9.]+\.[a-z]`)
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|` +
		`DOMParser|createContextualFragment|srcdoc`)
	inline := regexp.MustCompile(`(?i)<style|<script[^>]*>[^<]|\sstyle=|\son[a-z]+=`)
	for _, e := range must(fs.ReadDir(files, "page")) {
		name := e.Name()
		kind := types[path.Ext(name)]
		require.NotEmpty(t, kind, "%s has no content type", name)
		text := must(files.ReadFile("page/" + name))
		require.Less(t, len(text), 16<<10, name)
		plain := strings.ReplaceAll(string(text), "http://www.w3.org/2000/svg", "") // a name, not an address
		require.Empty(t, elsewhere.FindString(plain), name)
		require.Empty(t, markup.FindString(plain), name)
		require.Empty(t, inline.FindString(plain), name)
		if name != "page.html" {
			w := ask(h, "GET", "/"+name)
			require.Equal(t, kind, w.Header().Get("Content-Type"))
			require.Equal(t, string(text), w.Body.String())
		}
	}
}

// Names with markup in them are data, and JSON escapes them besides.
func TestHostileNames(t *testing.T) {
	const name = `</script><img src=x onerror=alert(1)>`
	h := newPage(t, Config{Title: name, Generators: []Generator{{Name: name, Generator: newCached(t, 7)}}})
	w := ask(h, "GET", "/state")
	require.NotContains(t, w.Body.String(), "<")
	s := get[state](t, h, "/state")
	require.Equal(t, name, s.Title)
	require.Equal(t, name, s.All[0].Name)
	require.NotContains(t, ask(h, "GET", "/").Body.String(), "onerror")
}

func TestNoMuxOfItsOwn(t *testing.T) {
	_, pattern := http.DefaultServeMux.Handler(httptest.NewRequest("GET", "/debug/uid/", nil))
	require.Empty(t, pattern)
}

// Nothing of the environment comes to the page.
func TestNoSecrets(t *testing.T) {
	t.Setenv("UID_MYSQL_DSN", "root:hunter2@tcp(db.example)/shop")
	h := newPage(t, Config{Generators: []Generator{{Name: "orders", Generator: newCached(t, 7)}}})
	for _, path := range []string{"/", "/state", "/decode?uid=7"} {
		text := ask(h, "GET", path).Body.String()
		require.NotContains(t, text, "hunter2")
		require.NotContains(t, text, must(os.Hostname()))
	}
}

func TestConfigIsChecked(t *testing.T) {
	g := newCached(t, 7)
	long := strings.Repeat("é", 129)
	for want, cfg := range map[string]Config{
		"there is nothing to show":                   {},
		"Title has 129 characters: want 1 to 128":    {Title: long, Layout: bits.Default()},
		"not valid UTF-8":                            {Title: "\xff", Layout: bits.Default()},
		"the Name of generator 0 has 0 characters":   {Generators: []Generator{{Generator: g}}},
		"the Name of generator 1 has 129 characters": {Generators: []Generator{shown("a", g), shown(long, g)}},
		`two generators have the Name "a"`:           {Generators: []Generator{shown("a", g), shown("a", g)}},
		`generator "a" is a <nil>`:                   {Generators: []Generator{{Name: "a"}}},
		`generator "b" is a *cached.Generator`:       {Generators: []Generator{shown("b", (*cached.Generator)(nil))}},
		`generator "c" is a *uncached.Generator`:     {Generators: []Generator{shown("c", (*uncached.Generator)(nil))}},
		`generator "d" is a *segment.Generator`:      {Generators: []Generator{shown("d", (*segment.Generator)(nil))}},
		`"e" is a *uidtest.Generator: want a *`:      {Generators: []Generator{shown("e", new(uidtest.Generator))}},
	} {
		_, err := New(cfg)
		logtest.Error(t, err, uid.ErrConfig, want)
	}
	newPage(t, Config{Title: long[:256], Generators: []Generator{{Name: long[:256], Generator: g}}})
}
