package debug

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// files are what the browser loads.
//
//go:embed page
var files embed.FS

// types has the content types of the files, by their extensions. Go's own table would ask the operating
// system's.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".js":   "text/javascript; charset=utf-8",
}

// A handler serves the page.
type handler struct {
	cfg     Config
	id      string // of this handler: a viewer that sees another one starts anew
	workers *workers
	layouts []decoder

	mu      sync.Mutex
	sampled time.Time // of the newest sample, on the monotonic clock
	tracks  []*track
}

// New returns a handler that shows what cfg says. It returns [uid.ErrConfig] when a name, or the kind of a generator,
// cannot be used, or when there is nothing to show. Any number of goroutines may use the handler at once.
func New(cfg Config) (http.Handler, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	h := &handler{cfg: cfg, id: rand.Text()}
	for _, g := range cfg.Generators {
		s, err := sourceOf(g)
		if err != nil {
			return nil, err
		}
		h.tracks = append(h.tracks, &track{Generator: g, source: s})
	}
	if h.cfg.Workers == nil {
		h.cfg.Workers = workersOf(cfg.Generators)
	}
	h.workers = &workers{list: h.cfg.Workers, hide: cfg.HideHosts, now: cfg.Now}
	h.layouts = h.decoders()
	h.sample()
	return h, nil
}

// policy lets the page load its own files, ask its own server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// ServeHTTP answers by the last element of the path: "" is the page, "state", "workers" and
// "decode" are JSON, and there are the page's files.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "this page is only for reading: GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch name {
	case "":
		if r.URL.Path == "" {
			h.toFolder(w, r)
			return
		}
		h.file(w, "page.html")
	case "state":
		h.serveState(w, r)
	case "workers":
		h.serveWorkers(w)
	case "decode":
		h.serveDecode(w, r)
	case "page.html": // it comes for the folder itself
		http.Error(w, "there is no such file", http.StatusNotFound)
	default:
		h.file(w, name)
	}
}

// toFolder sends the browser from /debug/uid to /debug/uid/, so that relative links work, when
// http.StripPrefix has left nothing of the path. The target is the last element of what was asked
// for, and so never another host.
func (h *handler) toFolder(w http.ResponseWriter, r *http.Request) {
	asked, _, _ := strings.Cut(r.RequestURI, "?")
	last := asked[strings.LastIndexByte(asked, '/')+1:]
	if last == "" {
		h.file(w, "page.html")
		return
	}
	w.Header().Set("Location", "./"+last+"/")
	w.WriteHeader(http.StatusTemporaryRedirect)
}

func (h *handler) file(w http.ResponseWriter, name string) {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", types[path.Ext(name)])
	_, _ = w.Write(text) // the reader may have gone
}

// reply sends a value as JSON, in which <, > and & are escaped.
func reply(w http.ResponseWriter, code int, v any) {
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(v); err != nil {
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(text.Bytes())
}

// A problem is the JSON of a request that cannot be answered.
type problem struct {
	Error string `json:"error"`
}
