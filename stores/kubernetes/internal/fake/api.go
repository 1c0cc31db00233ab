package fake

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	resource   = "leases.coordination.k8s.io"
	apiVersion = "coordination.k8s.io/v1"
	maxBody    = 3 << 20
	conflict   = "Operation cannot be fulfilled on %s %q: "
)

var verbs = map[string]string{
	"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete",
}

var path = regexp.MustCompile(`^/apis/coordination\.k8s\.io/v1/namespaces/([^/]+)/leases(?:/([^/]+))?$`)

// A request is what is asked of Leases.
type request struct {
	verb, namespace, name string
	query                 url.Values
	manager               string // of fields
	body                  []byte
	now                   time.Time
}

func (r request) key() string { return r.namespace + "/" + r.name }

// answer does a request, which has come.
func (s *Server) answer(h *http.Request, body []byte) *answer {
	in := path.FindStringSubmatch(h.URL.Path)
	if in == nil {
		return failed(404, "NotFound", new(details), "the server could not find the requested resource")
	}
	manager, _, _ := strings.Cut(h.UserAgent(), "/")
	r := request{namespace: in[1], name: in[2], query: h.URL.Query(), manager: manager, body: body, now: s.now().UTC()}
	r.verb = verbs[h.Method]
	if r.verb == "get" && r.name == "" {
		r.verb = "list"
		if r.query.Get("watch") != "" {
			r.verb = "watch"
		}
	}
	a := s.refused(r, h.Header.Get("Authorization"))
	if a == nil {
		a = s.do(r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := h.Method
	if r.verb == "list" {
		kind = "LIST"
	}
	s.counts[fmt.Sprint(kind, " ", a.status)]++
	return a
}

// refused returns why somebody may not do what is asked, or nil.
func (s *Server) refused(r request, authorization string) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	user, may := "system:anonymous", false
	if token := strings.TrimPrefix(authorization, "Bearer "); token != "" {
		allowed, known := s.tokens[token]
		if !known {
			return failed(401, "Unauthorized", nil, "Unauthorized")
		}
		may = slices.Contains(allowed[r.namespace], r.verb)
		for namespace := range allowed {
			user = "system:serviceaccount:" + namespace + ":uid"
		}
	}
	if may {
		return nil
	}
	what := resource
	if r.name != "" {
		what += fmt.Sprintf(" %q", r.name)
	}
	return failed(403, "Forbidden", on(r.name),
		"%s is forbidden: User %q cannot %s resource \"leases\" in API group \"coordination.k8s.io\" in the "+
			"namespace %q", what, user, r.verb, r.namespace)
}

// known are the parameters that the fake can do with, or that change nothing.
var known = []string{
	"labelSelector", "limit", "continue", "resourceVersion", "fieldManager", "fieldValidation", "timeout",
}

// do does what somebody may do.
func (s *Server) do(r request) *answer {
	for parameter := range r.query {
		if !slices.Contains(known, parameter) {
			return failed(501, "", nil, "the fake knows no parameter %s", parameter)
		}
	}
	switch r.verb {
	case "get":
		return s.get(r)
	case "list":
		return s.list(r)
	case "create", "update":
		if (r.verb == "create") != (r.name == "") {
			return failed(405, "MethodNotAllowed", new(details),
				"the server does not allow this method on the requested resource")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.write(r)
	}
	return failed(501, "", nil, "the fake knows no %s", r.verb)
}
