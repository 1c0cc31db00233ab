package fake

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// envServer is the environment variable with a server, as JSON: the tests of exchanges are then with a real one.
const envServer = "UID_TEST_KUBERNETES"

// A server is one that exchanges are with.
type server struct {
	URL, CA, Namespace string
	Tokens             map[string]string // by what they may do: "all" that the library needs, or "get" alone; of the real one "delete"
	remove             func(name string)
	client             http.Client
	known              map[string]string // what answers have said: {rv.NAME} and {uid.NAME}, the last revision, {ns}
}

// run runs a test on the real server of the environment or else, in a bubble, on the fake.
func run(t *testing.T, test func(t *testing.T, s *server)) {
	s := &server{Tokens: map[string]string{}}
	if text := os.Getenv(envServer); text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), s))
		roots := x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM([]byte(s.CA)))
		s.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
		s.remove = func(name string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.leases("/"+name), nil)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+s.Tokens["delete"])
			answer, err := s.client.Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, http.StatusOK, answer.StatusCode)
		}
		test(t, s.ready())
		return
	}
	synctest.Test(t, func(t *testing.T) {
		f := New(time.Now)
		f.Compact()
		s.URL, s.Namespace, s.client.Transport = "https://fake", "test", f.RoundTripper()
		for name, verbs := range map[string][]string{"all": {"get", "list", "create", "update"}, "get": {"get"}} {
			s.Tokens[name] = name
			f.Allow(name, "test", verbs...)
		}
		s.remove = func(name string) { require.True(t, f.Delete("test", name)) }
		test(t, s.ready())
	})
}

func (s *server) ready() *server {
	s.Tokens["wrong"], s.Tokens["empty"] = "wrong", ""
	s.known = map[string]string{"ns": s.Namespace}
	return s
}

func (s *server) leases(path string) string {
	return s.URL + "/apis/coordination.k8s.io/v1/namespaces/" + s.Namespace + "/leases" + path
}

// fill puts what is known in its places.
func (s *server) fill(text string) string {
	for name, value := range s.known {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// A said is what a server has answered.
type said struct {
	code   int
	header http.Header
	status
	object Lease
	list   list
	rv     int64 // of the object or the list
}

// ask makes a request with a token; the path begins after leases.
func (s *server) ask(t *testing.T, token, method, path, body string) said {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.leases(s.fill(path)), strings.NewReader(s.fill(body)))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"uid/1"}}
	if token != "nobody" {
		r.Header.Set("Authorization", "Bearer "+s.Tokens[token])
	}
	answer, err := s.client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	a := said{code: answer.StatusCode, header: answer.Header}
	into := any(&a.object)
	switch {
	case a.code >= 300:
		into = &a.status
	case method == http.MethodGet && !strings.HasPrefix(path, "/"):
		into = &a.list
	}
	require.NoError(t, json.Unmarshal(text, into), "%s", text)
	if a.code < 300 {
		_, err := strconv.ParseInt(a.object.Meta.ResourceVersion+a.list.Meta.ResourceVersion, 10, 64)
		require.NoError(t, err)
		a.rv, _ = strconv.ParseInt(a.object.Meta.ResourceVersion+a.list.Meta.ResourceVersion, 10, 64)
	}
	date, err := http.ParseTime(answer.Header.Get("Date"))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), date, time.Minute)
	return a
}

// learn keeps what an object's answer has said.
func (s *server) learn(a said) {
	s.known["rv."+a.object.Meta.Name] = a.object.Meta.ResourceVersion
	s.known["uid."+a.object.Meta.Name] = a.object.Meta.UID
	s.known["rv"] = fmt.Sprint(a.rv)
}

// onA is the details of a refusal for the Lease a.
const onA = `{"name":"a","group":"coordination.k8s.io","kind":"leases"}`

const (
	moved = `Operation cannot be fulfilled on leases.coordination.k8s.io "a": the object has been modified; please apply ` +
		`your changes to the latest version and try again`
	mustBe = "must be specified for an update"
)

// exchanges are in this order. What a write has to do with a revision is the word before its code: new, same as the
// object has, or none, and then the Lease a is as it was.
var exchanges = []struct {
	token, method, path, body string
	does                      string
	code                      int
	reason, message, details  string
}{
	// Reading what is not there, making it, making it again.
	{"all", "GET", "/a", "", "none", 404, "NotFound", `leases.coordination.k8s.io "a" not found`, onA},
	{"all", "POST", "", `{"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"holderIdentity":"h"}}`, "new", 201, "", "", ""},
	{"all", "GET", "/a", "", "same", 200, "", "", ""},
	{"all", "POST", "", `{"metadata":{"name":"a"}}`, "none", 409, "AlreadyExists",
		`leases.coordination.k8s.io "a" already exists`, onA},
	{"all", "POST", "", `{"metadata":{"name":"b","resourceVersion":"5"}}`, "none", 500, "",
		"resourceVersion should not be set on objects to be created", ""},
	{"all", "GET", "/b", "", "", 404, "NotFound", `leases.coordination.k8s.io "b" not found`, ""},
	{"all", "POST", "", `{"metadata":{"name":"b","resourceVersion":"0","uid":"given"}}`, "new", 201, "", "", ""},

	// Replacing it.
	{"all", "PUT", "/a", `{"metadata":{"name":"a","uid":"{uid.a}","resourceVersion":"{rv.a}"},"spec":{"holderIdentity":"i"}}`,
		"new", 200, "", "", ""},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","uid":"{uid.a}","resourceVersion":"{rv.a}"},"spec":{"holderIdentity":"i"}}`,
		"same", 200, "", "", ""},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","resourceVersion":"{rv.a}"},"spec":{"holderIdentity":"j"}}`,
		"new", 200, "", "", ""},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","uid":"{uid.a}","resourceVersion":"1"}}`, "none", 409, "Conflict", moved, onA},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","resourceVersion":"{rv.b}"}}`, "none", 409, "Conflict", moved, onA},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","resourceVersion":"1","labels":{"-":""}}}`, "none", 409, "Conflict", moved, onA},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","uid":"{uid.b}","resourceVersion":"{rv.a}"}}`, "none", 409, "Conflict",
		`Operation cannot be fulfilled on leases.coordination.k8s.io "a": StorageError: invalid object, Code: 4, ` +
			`Key: /registry/leases/{ns}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in ` +
			`precondition: {uid.b}, UID in object meta: {uid.a}`, onA},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","uid":"{uid.a}"}}`, "none", 422, "Invalid",
		`leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: ` + mustBe,
		`{"name":"a","group":"coordination.k8s.io","kind":"leases","causes":[{"reason":"FieldValueInvalid",` +
			`"message":"Invalid value: 0: must be specified for an update","field":"metadata.resourceVersion"}]}`},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","resourceVersion":"0"}}`, "none", 422, "Invalid",
		`leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: ` + mustBe, ""},
	{"all", "PUT", "/a", `{"metadata":{"name":"a","resourceVersion":"x"}}`, "none", 500, "",
		`strconv.ParseUint: parsing "x": invalid syntax`, ""},

	// Replacing what is not there.
	{"all", "PUT", "/c", `{"metadata":{"name":"c","uid":"{uid.a}","resourceVersion":"{rv.a}"}}`, "none", 409, "Conflict",
		`Operation cannot be fulfilled on leases.coordination.k8s.io "c": StorageError: invalid object, Code: 4, ` +
			`Key: /registry/leases/{ns}/c, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in ` +
			`precondition: {uid.a}, UID in object meta: `, `{"name":"c","group":"coordination.k8s.io","kind":"leases"}`},
	{"all", "PUT", "/c", `{"metadata":{"name":"c","resourceVersion":"{rv.a}"}}`, "new", 201, "", "", ""},
	{"all", "PUT", "/d", `{"metadata":{"name":"d"}}`, "new", 201, "", "", ""},
	{"", "", "d", "", "removed", 0, "", "", ""}, // by hand
	{"all", "PUT", "/d", `{"metadata":{"name":"d","uid":"{uid.d}","resourceVersion":"{rv.d}"}}`, "none", 409, "Conflict", "…", ""},
	{"all", "PUT", "/d", `{"metadata":{"name":"d","resourceVersion":"{rv.d}"}}`, "new", 201, "", "", ""},

	// A finalizer is kept, or it is a change.
	{"all", "POST", "", `{"metadata":{"name":"g","finalizers":["uid/keep"]}}`, "new", 201, "", "", ""},
	{"all", "PUT", "/g", `{"metadata":{"name":"g","resourceVersion":"{rv.g}","finalizers":["uid/keep"]}}`, "same", 200, "", "", ""},
	{"all", "PUT", "/g", `{"metadata":{"name":"g","resourceVersion":"{rv.g}"}}`, "new", 200, "", "", ""},

	// What a Lease cannot be.
	{"all", "POST", "", `{"metadata":{}}`, "none", 422, "Invalid",
		`Lease.coordination.k8s.io "" is invalid: metadata.name: Required value: name or generateName is required`,
		`{"group":"coordination.k8s.io","kind":"Lease","causes":[{"reason":"FieldValueRequired",` +
			`"message":"Required value: name or generateName is required","field":"metadata.name"}]}`},
	{"all", "POST", "", `{"metadata":{"name":"A_b","labels":{"x":"a b","k/":"","_":""},"annotations":{"b ad":"1","B":"2"}},` +
		`"spec":{"leaseDurationSeconds":0,"leaseTransitions":-1}}`, "none", 422, "Invalid",
		`Lease.coordination.k8s.io "A_b" is invalid: [metadata.name: Invalid value: "A_b": ` + subdomain.says + `, …`, ""},
	{"all", "POST", "", `{"metadata":{"name":"e"},"spec":{"leaseDurationSeconds":-5}}`, "none", 422, "Invalid",
		`Lease.coordination.k8s.io "e" is invalid: spec.leaseDurationSeconds: Invalid value: -5: must be greater than 0`,
		`{"name":"e","group":"coordination.k8s.io","kind":"Lease","causes":[{"reason":"FieldValueInvalid",` +
			`"message":"Invalid value: -5: must be greater than 0","field":"spec.leaseDurationSeconds"}]}`},
	{"all", "POST", "", `{"metadata":{"name":"h"},"spec":{"holderIdentity":""}}`, "new", 201, "", "", ""},
	{"all", "POST", "", `{"metadata":{"name":"` + strings.Repeat("a", 253) + `"}}`, "new", 201, "", "", ""},
	{"all", "POST", "", `{"metadata":{"name":"` + strings.Repeat("a", 254) + `"}}`, "none", 422, "Invalid",
		`Lease.coordination.k8s.io "` + strings.Repeat("a", 254) + `" is invalid: metadata.name: Invalid value: "` +
			strings.Repeat("a", 254) + `": must be no more than 253 characters`, ""},
	{"all", "POST", "", `{"metadata":{"name":"e","labels":{"x":"` + strings.Repeat("y", 64) + `"}}}`, "none", 422, "Invalid",
		`Lease.coordination.k8s.io "e" is invalid: metadata.labels: Invalid value: "` + strings.Repeat("y", 64) +
			`": must be no more than 63 characters`, ""},
	{"all", "POST", "", `{"metadata":{"name":"f","labels":{"x":"` + strings.Repeat("y", 63) + `"},"annotations":{"a/B":""}}}`,
		"new", 201, "", "", ""},
	{"all", "PUT", "/f", `{"metadata":{"name":"f","uid":"{uid.f}","resourceVersion":"{rv.f}","annotations":{"a":"` +
		strings.Repeat("x", 262144) + `"}}}`, "none", 422, "Invalid",
		`Lease.coordination.k8s.io "f" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes`,
		""}, // the real one says three times why
	{"all", "PUT", "/f", `{"metadata":{"name":"f","uid":"{uid.f}","resourceVersion":"{rv.f}","annotations":{"a":"` +
		strings.Repeat("x", 262143) + `"}}}`, "new", 200, "", "", ""},
	{"all", "POST", "", strings.Repeat(" ", 3<<20+1), "none", 413, "RequestEntityTooLarge",
		"Request entity too large: limit is 3145728", ""},
	{"all", "POST", "", `{"metadata":{"name":"e"},"spec":{"renewTime":"2026-01-01T00:00:00Z"}}`, "none", 400, "BadRequest",
		`Lease in version "v1" cannot be handled as a Lease: parsing time "2026-01-01T00:00:00Z" as ` +
			`"2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`, ""},
	{"all", "POST", "", `{"metadata":{"name":"e"},"spec":{"renewTime":"2026-01-01T00:00:00.123456789Z"}}`, "none", 400,
		"BadRequest", `Lease in version "v1" cannot be handled as a Lease: …`, ""},
	{"all", "POST", "", `{"metadata":{"name":"e"},"spec":{"leaseDurationSeconds":1.5}}`, "none", 400,
		"BadRequest", `Lease in version "v1" cannot be handled as a Lease: …`, ""},
	{"all", "POST", "", `{"metadata":{"name":"e"}`, "none", 400, "BadRequest",
		`the object provided is unrecognized (must be of type Lease): couldn't get version/kind; json parse error: …`, ""},
	{"all", "POST", "", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"e"}}`, "none", 400, "BadRequest",
		`Pod in version "v1" cannot be handled as a Lease…`, ""},
	{"all", "POST", "", `{"metadata":{"name":"e","namespace":"default"}}`, "none", 400, "BadRequest",
		"the namespace of the provided object does not match the namespace sent on the request", ""},
	{"all", "PUT", "/a", `{"metadata":{"name":"e"}}`, "none", 400, "BadRequest",
		"the name of the object (e) does not match the name on the URL (a)", ""},
	{"all", "PUT", "/a", `{}`, "none", 400, "BadRequest",
		"the name of the object (a based on URL) was undeterminable: name must be provided", ""},
	{"all", "PUT", "", `{"metadata":{"name":"a"}}`, "none", 405, "MethodNotAllowed",
		"the server does not allow this method on the requested resource", `{}`},

	// Rights: of a token that may only get, of one that nobody knows, and of nobody.
	{"get", "GET", "/a", "", "same", 200, "", "", ""},
	{"get", "GET", "", "", "", 403, "Forbidden", `leases.coordination.k8s.io is forbidden: User "…`,
		`{"group":"coordination.k8s.io","kind":"leases"}`},
	{"get", "POST", "", `{"metadata":{"name":"a"}}`, "none", 403, "Forbidden",
		`leases.coordination.k8s.io is forbidden: User "…`, `{"group":"coordination.k8s.io","kind":"leases"}`},
	{"get", "PUT", "/a", `rubbish`, "none", 403, "Forbidden", `leases.coordination.k8s.io "a" is forbidden: User "…`, onA},
	{"all", "DELETE", "/a", "", "none", 403, "Forbidden",
		`leases.coordination.k8s.io "a" is forbidden: User "system:serviceaccount:{ns}:…`, onA},
	{"all", "PATCH", "/a", "{}", "none", 403, "Forbidden", `leases.coordination.k8s.io "a" is forbidden: User "…`, onA},
	{"all", "GET", "?watch=1", "", "", 403, "Forbidden", `leases.coordination.k8s.io is forbidden: User "…`, ""},
	{"wrong", "GET", "/a", "", "", 401, "Unauthorized", "Unauthorized", ""},
	{"nobody", "GET", "/a", "", "", 403, "Forbidden",
		`leases.coordination.k8s.io "a" is forbidden: User "system:anonymous" cannot get resource ` +
			`"leases" in API group "coordination.k8s.io" in the namespace "{ns}"`, onA},
	{"empty", "GET", "/a", "", "", 403, "Forbidden", `leases.coordination.k8s.io "a" is forbidden: User "system:anonymous" …`, onA},

	// Reads at a revision.
	{"all", "GET", "/a?resourceVersion={rv.a}", "", "same", 200, "", "", ""},
	{"all", "GET", "/a?resourceVersion=1", "", "same", 200, "", "", ""},
	{"all", "GET", "/a?resourceVersion=0", "", "same", 200, "", "", ""},
	{"all", "GET", "/a?resourceVersion=x", "", "", 500, "",
		`resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`, ""},
	{"all", "GET", "/a?resourceVersion=999999999", "", "", 504, "Timeout",
		"Timeout: Too large resource version: 999999999, current: …", `{"causes":[{"reason":"ResourceVersionTooLarge",` +
			`"message":"Too large resource version"}],"retryAfterSeconds":1}`},
	{"all", "GET", "/nope?resourceVersion={rv}", "", "", 404, "NotFound", `leases.coordination.k8s.io "nope" not found`, ""},
	{"all", "GET", "?resourceVersion=999999999", "", "", 504, "Timeout",
		"Timeout: Too large resource version: 999999999, current: …", `{"causes":[{"reason":"ResourceVersionTooLarge",` +
			`"message":"Too large resource version"}],"retryAfterSeconds":1}`},
	{"all", "GET", "?resourceVersion=999999999&limit=2", "", "", 504, "Timeout",
		"Timeout: Too large resource version: 999999999, current: …", `{"causes":[{"reason":"ResourceVersionTooLarge",` +
			`"message":"Too large resource version"}]}`},
	{"all", "GET", "?resourceVersion=x", "", "", 400, "BadRequest",
		`invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`, ""},
	{"all", "GET", "?limit=x", "", "", 400, "BadRequest", `strconv.ParseInt: parsing "x": invalid syntax`, ""},
	{"all", "GET", "?limit=2&continue=xx", "", "", 400, "BadRequest", "invalid continue token: …", ""},
	{"all", "GET", "?labelSelector=x%3D" + strings.Repeat("y", 64), "", "", 400, "BadRequest",
		`unable to parse requirement: values[0][x]: Invalid value: "` + strings.Repeat("y", 64) +
			`": must be no more than 63 characters`, ""},
}

func TestExchanges(t *testing.T) {
	run(t, func(t *testing.T, s *server) {
		for i, e := range exchanges {
			if e.does == "removed" {
				s.remove(e.path)
				continue
			}
			a := s.ask(t, e.token, e.method, e.path, e.body)
			which := fmt.Sprintf("%d: %s %s %.200s", i, e.method, e.path, e.body)
			require.Equal(t, e.code, a.code, "%s: %v", which, a.status)
			if a.code >= 300 {
				s.refuses(t, e.code, e.reason, e.message, e.details, a, which)
			}
			had, _ := strconv.ParseInt(s.known["rv."+a.object.Meta.Name], 10, 64)
			last, _ := strconv.ParseInt(s.known["rv"], 10, 64)
			switch e.does {
			case "new":
				require.Greater(t, a.rv, last, which)
				s.learn(a)
			case "same":
				require.Equal(t, had, a.rv, which)
				require.Equal(t, s.known["uid."+a.object.Meta.Name], a.object.Meta.UID, which)
			case "none":
				was := s.ask(t, "all", "GET", "/a", "")
				require.Equal(t, s.known["rv.a"], was.object.Meta.ResourceVersion, which)
			}
		}
	})
}

// refuses compares what a server says with what it has to say; a message may end with anything.
func (s *server) refuses(t *testing.T, code int, reason, message, details string, a said, which string) {
	t.Helper()
	want := status{Kind: "Status", APIVersion: "v1", Status: "Failure", Reason: reason, Code: code, Message: s.fill(message)}
	if begin, open := strings.CutSuffix(want.Message, "…"); open {
		require.True(t, strings.HasPrefix(a.Message, begin), "%s: %s", which, a.Message)
		want.Message = a.Message
	}
	if want.Details = a.Details; details != "" {
		want.Details = nil
		require.NoError(t, json.Unmarshal([]byte(details), &want.Details))
	}
	require.Equal(t, want, a.status, which)
}

// What is stored is what was sent, and what the server adds.
func TestObject(t *testing.T) {
	run(t, func(t *testing.T, s *server) {
		a := s.ask(t, "all", "POST", "", `{"metadata":{"name":"whole","labels":{"b":"1","a":"2"},"annotations":{"k":"v"},`+
			`"unknown":1},"spec":{"holderIdentity":"h","leaseDurationSeconds":30,"leaseTransitions":2,`+
			`"renewTime":"2026-01-01T02:00:00.123456+02:00","acquireTime":null,"unknown":1}}`)
		require.Equal(t, 201, a.code, a.status)
		o := a.object
		require.Len(t, o.Meta.UID, 36)
		made, err := time.Parse(time.RFC3339, o.Meta.CreationTimestamp)
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), made, time.Minute)
		var fields []map[string]any
		require.NoError(t, json.Unmarshal(o.Meta.ManagedFields, &fields))
		require.Len(t, fields, 1)
		require.NotEmpty(t, fields[0]["time"])
		delete(fields[0], "time")
		got, err := json.Marshal(fields)
		require.NoError(t, err)
		require.JSONEq(t, `[{"manager":"uid","operation":"Update","apiVersion":"coordination.k8s.io/v1","fieldsType":"FieldsV1",`+
			`"fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:k":{}},`+
			`"f:labels":{".":{},"f:a":{},"f:b":{}}},"f:spec":{"f:holderIdentity":{},"f:leaseDurationSeconds":{},`+
			`"f:leaseTransitions":{},"f:renewTime":{}}}}]`, string(got))
		o.Meta.UID, o.Meta.CreationTimestamp, o.Meta.ManagedFields, o.Meta.ResourceVersion = "", "", nil, ""
		o.Meta.Namespace = ""
		got, err = json.Marshal(o)
		require.NoError(t, err)
		require.JSONEq(t, `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"whole",`+
			`"labels":{"b":"1","a":"2"},"annotations":{"k":"v"}},"spec":{"holderIdentity":"h",`+
			`"leaseDurationSeconds":30,"leaseTransitions":2,"renewTime":"2026-01-01T00:00:00.123456Z"}}`, string(got))

		// What was answered can be sent again, and changes nothing.
		text, err := json.Marshal(a.object)
		require.NoError(t, err)
		again := s.ask(t, "all", "PUT", "/whole", string(text))
		require.Equal(t, 200, again.code, again.status)
		require.Equal(t, a.object, again.object)
	})
}

// Lists are of one revision, whatever is written while they are read.
func TestList(t *testing.T) {
	run(t, func(t *testing.T, s *server) {
		make := func(name, labels string) {
			t.Helper()
			a := s.ask(t, "all", "POST", "", fmt.Sprintf(`{"metadata":{"name":"%s","labels":{"suite":"list"%s}}}`, name, labels))
			require.Equal(t, 201, a.code, a.status)
			s.learn(a)
		}
		for i := range 7 {
			make(fmt.Sprint("list-", i), fmt.Sprintf(`,"n":"%d"`, i))
		}
		make("list-none", "")
		list := func(query, selector string) (said, string) {
			t.Helper()
			a := s.ask(t, "all", "GET", "?labelSelector="+url.QueryEscape(selector)+query, "")
			require.Equal(t, 200, a.code, a.status)
			require.Equal(t, "LeaseList", a.list.Kind)
			var names []string
			for _, item := range a.list.Items {
				require.Empty(t, item.Kind)
				names = append(names, strings.TrimPrefix(item.Meta.Name, "list-"))
			}
			return a, strings.Join(names, " ")
		}
		for selector, want := range map[string]string{
			"suite=list": "0 1 2 3 4 5 6 none", "suite==list,n": "0 1 2 3 4 5 6", "suite=list,n in (1, 2,9)": "1 2",
			"suite=list,n notin (1,2)": "0 3 4 5 6 none", "suite=list,n!=3": "0 1 2 4 5 6 none", "suite=list,!n": "none",
			"suite=other": "", "n=": "", "suite=list,n in ()": "",
		} {
			a, names := list("", selector)
			require.Equal(t, want, names, selector)
			require.GreaterOrEqual(t, fmt.Sprint(a.rv), s.known["rv"])
			require.Empty(t, a.list.Meta.Continue)
		}
		_, names := list("&resourceVersion="+s.known["rv"], "suite=list")
		require.Equal(t, "0 1 2 3 4 5 6 none", names, "not older than the last write")

		first, names := list("&limit=3", "suite=list,n")
		require.Equal(t, "0 1 2", names)
		make("list-3a", `,"n":"3"`)
		at, token := first.rv, first.list.Meta.Continue
		var all []string
		for ; token != ""; all = append(all, names) {
			var next said
			next, names = list("&limit=3&continue="+token, "suite=list,n")
			require.Equal(t, at, next.rv, "one revision for all pages")
			token = next.list.Meta.Continue
		}
		require.Equal(t, []string{"3 4 5", "6"}, all)
		_, names = list("&continue="+first.list.Meta.Continue, "suite=list,n")
		require.Equal(t, "3 4 5 6", names, "all that is left")
		_, names = list("&limit=8", "suite=list,n")
		require.Equal(t, "0 1 2 3 3a 4 5 6", names)

		gone := s.ask(t, "all", "GET", "?limit=3&continue="+position{positions, 2, "list-2\x00"}.String(), "")
		require.Equal(t, 410, gone.code, "after a compaction: %v", gone.status)
		require.Equal(t, "Expired", gone.Reason)
		require.Equal(t, expired, gone.Message)
		require.Nil(t, gone.Details)
		rest, names := list("&limit=3&continue="+gone.Meta.Continue, "suite=list,n")
		require.Equal(t, "3 3a 4", names, "what is there now, if one goes on all the same")
		require.Greater(t, rest.rv, at)

		refused := s.ask(t, "all", "GET", "?limit=2&continue="+first.list.Meta.Continue+"&resourceVersion=5", "")
		s.refuses(t, 400, "BadRequest", "specifying resource version is not allowed when using continue", "", refused, "")
	})
}
