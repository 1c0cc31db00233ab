package fake

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

func (s *Server) get(r request) *answer {
	asked := r.query.Get("resourceVersion")
	revision, err := strconv.ParseUint(asked, 10, 63)
	if asked != "" && err != nil {
		return failed(500, "", nil, "resourceVersion: Invalid value: %q: %v", asked, parsing("ParseUint", asked))
	}
	from, late := s.view(asked != "", int64(revision))
	defer s.mu.Unlock()
	if late != nil {
		return late
	}
	lease := from.at(r.key(), from.revision)
	if lease == nil {
		return failed(404, "NotFound", on(r.name), "%s %q not found", resource, r.name)
	}
	return reply(200, lease)
}

func parsing(function, text string) error {
	return &strconv.NumError{Func: function, Num: text, Err: strconv.ErrSyntax}
}

// view locks, and returns what is to be read: of the watch cache, which is waited for if it is not yet at the revision,
// or else by a quorum.
func (s *Server) view(cached bool, revision int64) (v view, late *answer) {
	const patience = 3 * time.Second
	over := time.NewTimer(patience)
	defer over.Stop()
	why := details{Causes: []cause{{"ResourceVersionTooLarge", "Too large resource version", ""}}}
	for s.mu.Lock(); ; s.mu.Lock() {
		v = view{s.history, s.revision}
		if cached && s.cache != nil {
			v = *s.cache
		}
		if revision <= v.revision {
			return v, nil
		}
		late = failed(504, "Timeout", &why, "Timeout: Too large resource version: %d, current: %d", revision,
			v.revision)
		if !cached || why.RetryAfterSeconds > 0 {
			return v, late
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-over.C:
			why.RetryAfterSeconds = 1
		}
	}
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
	"list without the continue parameter, or use the continue token in this response to retrieve the remainder of " +
	"the results. Continuing with the provided token results in an inconsistent list - objects that were created, " +
	"modified, or deleted between the time the first chunk was returned and now may show up in the list."

type list struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Meta       listMeta `json:"metadata"`
	Items      []Lease  `json:"items"`
}

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
	}
	read, late := s.view(asked != "" && (limit == 0 || revision == 0), max(int64(revision), from.Revision))
	defer s.mu.Unlock()
	if late != nil {
		return late
	}
	if from.Revision > 0 {
		if from.Revision < s.compacted {
			from.Revision = -1
			return reply(410, status{Kind: "Status", APIVersion: "v1", Meta: listMeta{Continue: from.String()},
				Status: "Failure", Message: expired, Reason: "Expired", Code: 410})
		}
		read.revision = from.Revision
	}
	out := list{Kind: "LeaseList", APIVersion: apiVersion, Items: []Lease{}}
	out.Meta.ResourceVersion = fmt.Sprint(read.revision)
	for _, key := range read.keys(r.namespace) {
		name := strings.TrimPrefix(key, r.namespace+"/")
		lease := read.at(key, read.revision)
		if lease == nil || name < from.Start || !wanted.matches(lease.Meta.Labels) {
			continue
		}
		if limit > 0 && len(out.Items) == limit {
			next := position{positions, read.revision, out.Items[limit-1].Meta.Name + "\x00"}
			out.Meta.Continue = next.String()
			break
		}
		item := *lease
		item.Kind, item.APIVersion = "", ""
		out.Items = append(out.Items, item)
	}
	return reply(200, out)
}
