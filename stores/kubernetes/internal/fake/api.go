package fake

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	resource   = "leases.coordination.k8s.io"
	apiVersion = "coordination.k8s.io/v1"
	maxBody    = 3 << 20
)

// A status is what the server says instead of an object.
type status struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Meta       listMeta `json:"metadata"`
	Status     string   `json:"status"`
	Message    string   `json:"message,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Details    *details `json:"details,omitempty"`
	Code       int      `json:"code"`
}

type details struct {
	Name              string  `json:"name,omitempty"`
	Group             string  `json:"group,omitempty"`
	Kind              string  `json:"kind,omitempty"`
	Causes            []cause `json:"causes,omitempty"`
	RetryAfterSeconds int     `json:"retryAfterSeconds,omitempty"`
}

type cause struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
}

type listMeta struct {
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Continue        string `json:"continue,omitempty"`
	Remaining       int    `json:"remainingItemCount,omitempty"`
}

type list struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Meta       listMeta `json:"metadata"`
	Items      []Lease  `json:"items"`
}

func reply(code int, body any) *answer {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(text)))
	return &answer{code, header, text}
}

func failed(code int, reason, format string, args ...any) *answer {
	return failedWith(nil, code, reason, format, args...)
}

func failedWith(d *details, code int, reason, format string, args ...any) *answer {
	return reply(code, status{Kind: "Status", APIVersion: "v1", Status: "Failure", Message: fmt.Sprintf(format, args...),
		Reason: reason, Details: d, Code: code})
}

func badRequest(format string, args ...any) *answer {
	return failed(400, "BadRequest", format, args...)
}

// on is the details of a refusal for a Lease.
func on(name string) *details {
	return &details{Name: name, Group: "coordination.k8s.io", Kind: "leases"}
}

func notFound(name string) *answer {
	return failedWith(on(name), 404, "NotFound", "%s %q not found", resource, name)
}

func conflict(name, why string) *answer {
	return failedWith(on(name), 409, "Conflict", "Operation cannot be fulfilled on %s %q: %s", resource, name, why)
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
		return failedWith(new(details), 404, "NotFound", "the server could not find the requested resource")
	}
	manager, _, _ := strings.Cut(h.UserAgent(), "/")
	r := request{namespace: in[1], name: in[2], query: h.URL.Query(), manager: manager, body: body, now: s.now().UTC()}
	r.verb = map[string]string{"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}[h.Method]
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
	if token := strings.TrimSpace(strings.TrimPrefix(authorization, "Bearer")); token != "" {
		verbs, known := s.tokens[token]
		if !known {
			return failed(401, "Unauthorized", "Unauthorized")
		}
		may = slices.Contains(verbs[r.namespace], r.verb)
		for namespace := range verbs {
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
	return failedWith(on(r.name), 403, "Forbidden",
		"%s is forbidden: User %q cannot %s resource \"leases\" in API group \"coordination.k8s.io\" in the namespace %q",
		what, user, r.verb, r.namespace)
}

// known are the parameters that the fake can do with, or that change nothing.
var known = []string{"labelSelector", "limit", "continue", "resourceVersion", "fieldManager", "fieldValidation", "timeout"}

// do does what somebody may do.
func (s *Server) do(r request) *answer {
	for parameter := range r.query {
		if !slices.Contains(known, parameter) {
			return failed(501, "", "the fake knows no parameter %s", parameter)
		}
	}
	switch {
	case r.verb == "get":
		return s.get(r)
	case r.verb == "list":
		return s.list(r)
	case (r.verb == "create") == (r.name == "") && r.verb != "patch" && r.verb != "delete" && r.verb != "watch":
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.write(r)
	case r.verb == "create" || r.verb == "update":
		return failedWith(new(details), 405, "MethodNotAllowed",
			"the server does not allow this method on the requested resource")
	}
	return failed(501, "", "the fake knows no %s", r.verb)
}

func (s *Server) get(r request) *answer {
	asked := r.query.Get("resourceVersion")
	revision, err := strconv.ParseUint(asked, 10, 63)
	if asked != "" && err != nil {
		return failed(500, "", "resourceVersion: Invalid value: %q: %v", asked, parsing("ParseUint", asked))
	}
	at, late := s.view(asked, int64(revision))
	defer s.mu.Unlock()
	if late != nil {
		return late
	}
	lease := s.at(r.key(), at)
	if lease == nil {
		return notFound(r.name)
	}
	return reply(200, lease)
}

func parsing(function, text string) error {
	return &strconv.NumError{Func: function, Num: text, Err: strconv.ErrSyntax}
}

// view locks, and returns the revision that a read is of: the newest by a quorum if no revision is asked for, and else
// that of the watch cache, which is waited for if what is asked for is newer.
func (s *Server) view(asked string, revision int64) (at int64, late *answer) {
	const patience = 3 * time.Second
	over := time.NewTimer(patience)
	defer over.Stop()
	for s.mu.Lock(); ; s.mu.Lock() {
		at = s.revision
		if asked == "" {
			return at, nil
		}
		if s.held > 0 {
			at = min(at, s.held)
		}
		if revision <= at {
			return at, nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-over.C:
			s.mu.Lock()
			return at, tooLarge(revision, at, 1)
		}
	}
}

func tooLarge(revision, at int64, retryAfter int) *answer {
	d := &details{Causes: []cause{{"ResourceVersionTooLarge", "Too large resource version", ""}}, RetryAfterSeconds: retryAfter}
	return failedWith(d, 504, "Timeout", "Timeout: Too large resource version: %d, current: %d", revision, at)
}

// A position is what a continued list goes on with.
type position struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"` // -1: whatever is there
	Start    string `json:"start"`
}

const positions = "meta.k8s.io/v1"

func (p position) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

const expired = "The provided continue parameter is too old to display a consistent list result. You can start a new " +
	"list without the continue parameter, or use the continue token in this response to retrieve the remainder of the " +
	"results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, " +
	"or deleted between the time the first chunk was returned and now may show up in the list."

// A list with a limit is not read from the watch cache, unless its resource version is 0.
func (s *Server) list(r request) *answer {
	wanted, err := parseSelector(r.query.Get("labelSelector"))
	if err != nil {
		return badRequest("unable to parse requirement: %v", err)
	}
	limit, err := strconv.Atoi(r.query.Get("limit"))
	if r.query.Get("limit") != "" && err != nil {
		return badRequest("%v", parsing("ParseInt", r.query.Get("limit")))
	}
	asked := r.query.Get("resourceVersion")
	revision, err := strconv.ParseUint(asked, 10, 63)
	if asked != "" && err != nil {
		return badRequest("invalid resource version: resourceVersion: Invalid value: %q: %v", asked,
			parsing("ParseUint", asked))
	}
	var from position
	if token := r.query.Get("continue"); token != "" {
		text, err := base64.RawURLEncoding.DecodeString(token)
		if err == nil {
			err = json.Unmarshal(text, &from)
		}
		switch {
		case asked != "" && asked != "0":
			return badRequest("specifying resource version is not allowed when using continue")
		case err != nil || from.Version != positions:
			return badRequest("invalid continue token: continue key is not valid: %v", err)
		}
		asked = ""
	}
	var at int64
	if limit > 0 && revision > 0 {
		at, _ = s.view("", 0)
		if int64(revision) > at {
			s.mu.Unlock()
			return tooLarge(int64(revision), at, 0)
		}
	} else {
		var late *answer
		if at, late = s.view(asked, int64(revision)); late != nil {
			s.mu.Unlock()
			return late
		}
	}
	defer s.mu.Unlock()
	if from.Revision > 0 {
		at = from.Revision
		if at < s.compacted {
			from.Revision = -1
			return reply(410, status{Kind: "Status", APIVersion: "v1", Meta: listMeta{Continue: from.String()},
				Status: "Failure", Message: expired, Reason: "Expired", Code: 410})
		}
	}
	out := list{Kind: "LeaseList", APIVersion: apiVersion, Meta: listMeta{ResourceVersion: fmt.Sprint(at)}, Items: []Lease{}}
	for _, key := range s.keys(r.namespace) {
		name := strings.TrimPrefix(key, r.namespace+"/")
		lease := s.at(key, at)
		if lease == nil || name < strings.TrimPrefix(from.Start, "/") || !wanted.matches(lease.Meta.Labels) {
			continue
		}
		if limit > 0 && len(out.Items) == limit {
			next := position{positions, at, out.Items[limit-1].Meta.Name + "\x00"}
			out.Meta.Continue = next.String()
			break
		}
		item := *lease
		item.Kind, item.APIVersion = "", ""
		out.Items = append(out.Items, item)
	}
	return reply(200, out)
}

// write creates or replaces a Lease.
func (s *Server) write(r request) *answer {
	sent, refused := r.parse()
	if refused != nil {
		return refused
	}
	if !s.namespaces[r.namespace] {
		return failedWith(&details{Name: r.namespace, Kind: "namespaces"}, 404, "NotFound", "namespaces %q not found", r.namespace)
	}
	if r.verb == "create" {
		return s.create(r, sent)
	}
	return s.update(r, sent)
}

func (s *Server) create(r request, sent *Lease) *answer {
	r.name = sent.Meta.Name
	if causes := sent.check(); causes != nil {
		return invalid("Lease.coordination.k8s.io", "Lease", r.name, causes)
	}
	if revision, err := strconv.ParseUint(sent.Meta.ResourceVersion, 10, 64); err == nil && revision > 0 {
		return failed(500, "", "resourceVersion should not be set on objects to be created")
	}
	if s.at(r.key(), s.revision) != nil {
		return failedWith(on(r.name), 409, "AlreadyExists", "%s %q already exists", resource, r.name)
	}
	s.uids++
	sent.Meta.UID = fmt.Sprintf("5f0c2a84-3d1e-4b7a-9c56-%012x", s.uids)
	sent.Meta.CreationTimestamp = r.now.Format(time.RFC3339)
	sent.manage(r)
	s.etcd.write(r.key(), sent)
	return reply(201, sent)
}

// update replaces a Lease, or makes it anew if there is none and no UID is sent: whatever resource version is.
func (s *Server) update(r request, sent *Lease) *answer {
	was := s.at(r.key(), s.revision)
	var uid string
	if was != nil {
		uid = was.Meta.UID
	}
	if sent.Meta.UID != "" && sent.Meta.UID != uid {
		return conflict(r.name, fmt.Sprintf("StorageError: invalid object, Code: 4, Key: /registry/leases/%s, "+
			"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s",
			r.key(), sent.Meta.UID, uid))
	}
	if was == nil {
		sent.Meta.ResourceVersion = ""
		return s.create(r, sent)
	}
	revision := sent.Meta.ResourceVersion
	if revision != "" {
		if _, err := strconv.ParseUint(revision, 10, 64); err != nil {
			return failed(500, "", "%v", parsing("ParseUint", revision))
		}
	}
	switch revision {
	case "", "0":
		return invalid(resource, "leases", r.name, []cause{{
			"FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion",
		}})
	case was.Meta.ResourceVersion:
	default:
		return conflict(r.name,
			"the object has been modified; please apply your changes to the latest version and try again")
	}
	if causes := sent.check(); causes != nil {
		return invalid("Lease.coordination.k8s.io", "Lease", r.name, causes)
	}
	sent.Meta.UID, sent.Meta.CreationTimestamp = was.Meta.UID, was.Meta.CreationTimestamp
	sent.Meta.ManagedFields = was.Meta.ManagedFields
	if reflect.DeepEqual(sent.clone(), was.clone()) {
		return reply(200, was) // nothing is written
	}
	sent.manage(r)
	s.etcd.write(r.key(), sent)
	return reply(200, sent)
}

func invalid(what, kind, name string, causes []cause) *answer {
	var all []string
	for _, c := range causes {
		all = append(all, c.Field+": "+c.Message)
	}
	text := strings.Join(all, ", ")
	if len(all) > 1 {
		text = "[" + text + "]"
	}
	return failedWith(&details{Name: name, Group: "coordination.k8s.io", Kind: kind, Causes: causes}, 422, "Invalid",
		"%s %q is invalid: %s", what, name, text)
}
