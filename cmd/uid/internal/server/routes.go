package server

import (
	"net/http"
	"net/url"
	"strings"
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
		return &s.page
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
