package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
)

// PagePath is the path below which Config.Page answers.
const PagePath = "/page/"

// A route is a path of the API.
type route struct {
	// path is as in the OpenAPI file: {name} stands for a part that is not empty and has no slash
	// other than %2F.
	path    string
	methods []string
	open    bool // it asks for no token
	draws   bool // it uses UIDs or numbers up, but for a HEAD
	query   []string
	anyway  bool                                           // other parameters are ignored
	handle  func(http.ResponseWriter, *http.Request) error // it answers, or returns why not
}

var (
	getHead     = []string{http.MethodGet, http.MethodHead}
	getHeadPost = []string{http.MethodGet, http.MethodHead, http.MethodPost}
)

// routes are all paths but the page's.
func (s *Server) routes() []route {
	return []route{
		{path: "/v1/uid", methods: getHead, draws: true, handle: s.oneUID},
		{path: "/v1/uids", methods: getHead, draws: true, query: []string{"n"}, handle: s.someUIDs},
		{path: "/v1/parse/{uid}", methods: getHead, query: []string{"form"}, handle: s.parse},
		{path: "/api/snowflake/get/{key}", methods: getHeadPost, draws: true, anyway: true, handle: s.leafSnowflake},
		{path: "/api/segment/get/{key}", methods: getHeadPost, draws: true, anyway: true, handle: s.leafSegment},
		{path: "/healthz", methods: getHead, open: true, anyway: true, handle: s.healthz},
		{path: "/readyz", methods: getHead, open: true, anyway: true, handle: s.readyz},
		{path: "/metrics", methods: getHead, anyway: true, handle: s.metricsPage},
		{path: "/openapi.yaml", methods: getHead, handle: s.openAPI},
		{path: "/", methods: getHead, handle: s.index},
	}
}

// pageRoute is the route of all paths below PagePath.
func (s *Server) pageRoute() *route {
	return &route{path: PagePath, methods: getHead, anyway: true,
		handle: func(w http.ResponseWriter, r *http.Request) error {
			s.cfg.Page.ServeHTTP(w, r)
			return nil
		}}
}

// find returns the route of a request, and fills in the parts of its path. It is nil where there is none.
func (s *Server) find(r *http.Request) *route {
	path := r.URL.EscapedPath()
	for i := range s.all {
		route := &s.all[i]
		if route.match(path, r) {
			return route
		}
	}
	if s.cfg.Page != nil && strings.HasPrefix(path, PagePath) {
		return s.pageRoute()
	}
	return nil
}

// match reports whether an escaped path is the route's.
func (t *route) match(path string, r *http.Request) bool {
	fixed, name, ok := strings.Cut(t.path, "{")
	if !ok {
		return path == t.path
	}
	part, ok := strings.CutPrefix(path, fixed)
	if !ok || part == "" || strings.Contains(part, "/") {
		return false
	}
	value, err := url.PathUnescape(part)
	if err != nil {
		return false
	}
	r.SetPathValue(strings.TrimSuffix(name, "}"), value)
	return true
}

// ServeHTTP answers a request: it finds the route, and refuses what no route takes.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	rec := &recorder{ResponseWriter: w}
	path := "" // of no route
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.cfg.Logger.Error("uid: a request panicked", "path", path, "panic", p, "stack", string(debug.Stack()))
			if rec.status == 0 {
				s.fail(rec, failed(http.StatusInternalServerError, "the server has a bug; its log has more"))
			}
		}
		s.metrics.requests.WithLabelValues(path, strconv.Itoa(rec.status)).Inc()
		s.logRequest(r, path, rec, time.Since(began))
	}()
	// A cached answer would be a second one with the same UID.
	rec.Header().Set("Cache-Control", "no-store")
	rec.Header().Set("X-Content-Type-Options", "nosniff")
	route := s.find(r)
	if route != nil {
		path = route.path
	}
	err := s.refuse(rec, r, route)
	if err == nil {
		err = route.handle(rec, r)
	}
	if err != nil {
		s.fail(rec, err)
	}
}

// refuse returns why a request gets no answer.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, route *route) error {
	switch {
	case s.cfg.Token.shows(r):
		admit(connOf(r))
	case route == nil || !route.open:
		w.Header().Set("WWW-Authenticate", `Bearer realm="uid"`)
		w.Header().Add("WWW-Authenticate", `Basic realm="uid: any user, the token as password"`)
		return failed(http.StatusUnauthorized, "show the token: Authorization: Bearer TOKEN")
	}
	switch {
	case len(r.RequestURI) > maxURL:
		return failed(http.StatusRequestURITooLong, "the path and query have %d bytes, want %d at most",
			len(r.RequestURI), maxURL)
	case s.cfg.LocalOnly && !isLocal(r.Host):
		return failed(http.StatusMisdirectedRequest,
			"without a token this server answers for localhost, 127.0.0.1 and [::1] only, "+
				"and the request names another host")
	case route == nil:
		return failed(http.StatusNotFound, "there is no such path; /openapi.yaml lists them")
	case !slices.Contains(route.methods, r.Method):
		w.Header().Set("Allow", strings.Join(route.methods, ", "))
		return failed(http.StatusMethodNotAllowed, "%s takes %s", route.path, strings.Join(route.methods, ", "))
	case route.draws && crossSite(r):
		// Any page that somebody visits could use up numbers.
		return failed(http.StatusForbidden, "a browser asks on behalf of another site")
	}
	if err := refuseBody(w, r); err != nil || route.anyway {
		return err
	}
	return refuseQuery(r, route)
}

// crossSite reports whether a browser asks on behalf of another site. To the library a GET does no harm, and
// passes; here it is one that draws.
func crossSite(r *http.Request) bool {
	drawing := &http.Request{Method: http.MethodPost, Host: r.Host, Header: r.Header}
	return new(http.CrossOriginProtection).Check(drawing) != nil
}

// refuseBody refuses a body: none of the routes reads one, and clients of Leaf may POST a small one.
func refuseBody(w http.ResponseWriter, r *http.Request) error {
	switch {
	case r.ContentLength == 0:
		return nil
	case r.Method != http.MethodPost:
		w.Header().Set("Connection", "close")
		return failed(http.StatusBadRequest, "a %s has no body here", r.Method)
	case r.ContentLength < 0 || r.ContentLength > maxBody:
		w.Header().Set("Connection", "close")
		return failed(http.StatusRequestEntityTooLarge, "the body has to have a Content-Length of %d at most", maxBody)
	}
	return nil
}

// refuseQuery refuses parameters that the route does not have, and those that come twice.
func refuseQuery(r *http.Request, route *route) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return failed(http.StatusBadRequest, "the query is malformed")
	}
	for name, values := range query {
		switch {
		case !slices.Contains(route.query, name):
			return failed(http.StatusBadRequest, "unknown parameter %.40q: %s has %s", name, route.path,
				cmp.Or(strings.Join(route.query, ", "), "none"))
		case len(values) > 1:
			return failed(http.StatusBadRequest, "%s is there %d times", name, len(values))
		}
	}
	return nil
}

// A failure is an answer that is an error.
type failure struct {
	status int
	why    string
}

func (f failure) Error() string { return f.why }

func failed(status int, format string, args ...any) error {
	return failure{status, fmt.Sprintf(format, args...)}
}

// status returns the status of the answer to a request that met an error. A fault of the request is a failure; all
// others are the server's.
func status(err error) int {
	if f, is := errors.AsType[failure](err); is {
		return f.status
	}
	if errors.Is(err, uid.ErrExhausted) || errors.Is(err, uid.ErrLossy) {
		return http.StatusInternalServerError
	}
	return http.StatusServiceUnavailable
}

// reason is what a client is told of an error.
func reason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "none was to be had in time"
	case errors.Is(err, context.Canceled):
		return "the request was given up"
	}
	return err.Error()
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, err error) {
	if status(err) == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	s.answerJSON(w, status(err), map[string]string{"error": reason(err)})
}

// answerJSON writes an answer that has a form in JSON.
func (s *Server) answerJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	s.answer(w, status, jsonKind, append(body, '\n'))
}

// answer writes an answer with its length, so that a client sees when it is cut off.
func (s *Server) answer(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone away
}

// A recorder notes what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
