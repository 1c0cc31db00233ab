package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
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

// failed is a refusal.
func failed(code int, reason string, d *details, format string, args ...any) *answer {
	return reply(code, status{Kind: "Status", APIVersion: "v1", Status: "Failure",
		Message: fmt.Sprintf(format, args...), Reason: reason, Details: d, Code: code})
}

func badRequest(format string, args ...any) *answer {
	return failed(400, "BadRequest", nil, format, args...)
}

// on is the details of a refusal for a Lease.
func on(name string) *details {
	return &details{Name: name, Group: "coordination.k8s.io", Kind: "leases"}
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
	return failed(422, "Invalid", &details{Name: name, Group: "coordination.k8s.io", Kind: kind, Causes: causes},
		"%s %q is invalid: %s", what, name, text)
}
