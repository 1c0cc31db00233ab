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
	"regexp"
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
	Tokens             map[string]string // by what they may do: "all" that is needed, or "get"; of a real one "delete"
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
	s.known = map[string]string{"ns": s.Namespace, "subdomain": subdomain.says,
		"label": labelValue.says, "qualified": qualified.says}
	return s
}

func (s *server) leases(path string) string {
	return s.URL + "/apis/coordination.k8s.io/v1/namespaces/" + s.Namespace + "/leases" + path
}

var repeated = regexp.MustCompile(`\{.\*\d+\}`)

// fill puts what is known in its places.
func (s *server) fill(text string) string {
	for name, value := range s.known {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return repeated.ReplaceAllStringFunc(text, func(found string) string {
		n, _ := strconv.Atoi(found[3 : len(found)-1])
		return strings.Repeat(found[1:2], n)
	})
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
		a.rv = number(a.object.Meta.ResourceVersion + a.list.Meta.ResourceVersion)
		require.Positive(t, a.rv)
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

var exchange = regexp.MustCompile(`(?m)^(?:#.*|> by hand: (\S+)|> (\S+) (\S+) leases(\S*) ?(.*)` +
	"\n" + `< (new|same|none) (\d+)(?: (\S+) (.*))?(?:` + "\n" + `  (.*))?|)$`)

func TestExchanges(t *testing.T) {
	table, err := os.ReadFile("testdata/exchanges.txt")
	require.NoError(t, err)
	require.Empty(t, strings.TrimSpace(exchange.ReplaceAllString(string(table), "")), "lines that are none")
	run(t, func(t *testing.T, s *server) {
		for _, e := range exchange.FindAllStringSubmatch(string(table), -1) {
			removed, token, method, path, body := e[1], e[2], e[3], e[4], e[5]
			if removed != "" {
				s.remove(removed)
			}
			if method == "" {
				continue
			}
			a := s.ask(t, token, method, path, body)
			require.Equal(t, e[7], strconv.Itoa(a.code), "%s\n%v", e[0], a.status)
			if a.code >= 300 {
				s.refuses(t, a, strings.TrimPrefix(e[8], "-"), e[9], e[10])
			}
			had, last := s.known["rv."+a.object.Meta.Name], s.known["rv"]
			switch e[6] {
			case "new":
				require.Greater(t, a.rv, number(last), e[0])
				s.learn(a)
			case "same":
				require.Equal(t, had, a.object.Meta.ResourceVersion, e[0])
				require.Equal(t, s.known["uid."+a.object.Meta.Name], a.object.Meta.UID, e[0])
			case "none":
				now := s.ask(t, "all", "GET", "/a", "")
				require.Equal(t, s.known["rv.a"], now.object.Meta.ResourceVersion, e[0])
			}
		}
	})
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// refuses compares what a server says with what it has to say; a message may go on.
func (s *server) refuses(t *testing.T, a said, reason, message, details string) {
	t.Helper()
	want := status{Kind: "Status", APIVersion: "v1", Status: "Failure", Reason: reason, Code: a.code}
	begin, open := strings.CutSuffix(s.fill(message), "…")
	if want.Message = begin; open && strings.HasPrefix(a.Message, begin) {
		want.Message = a.Message
	}
	if want.Details = a.Details; details != "" {
		want.Details = nil
		require.NoError(t, json.Unmarshal([]byte(details), &want.Details))
	}
	require.Equal(t, want, a.status)
}

// What is stored is what was sent, and what the server adds.
func TestObject(t *testing.T) {
	run(t, func(t *testing.T, s *server) {
		a := s.ask(t, "all", "POST", "", `{"metadata":{"name":"whole","labels":{"b":"1","a":"2"},`+
			`"annotations":{"k":"v"},"unknown":1},"spec":{"holderIdentity":"h",`+
			`"leaseDurationSeconds":30,"leaseTransitions":2,`+
			`"renewTime":"2026-01-01T02:00:00.123456+02:00","acquireTime":null,"unknown":1}}`)
		require.Equal(t, 201, a.code, a.status)
		o := a.object
		require.Equal(t, s.Namespace, o.Meta.Namespace)
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
		require.JSONEq(t, `[{"manager":"uid","operation":"Update","apiVersion":"coordination.k8s.io/v1",`+
			`"fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:k":{}},`+
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
			body := fmt.Sprintf(`{"metadata":{"name":"%s","labels":{"suite":"list"%s}}}`, name, labels)
			a := s.ask(t, "all", "POST", "", body)
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
			"suite=list,n notin (1,2)": "0 3 4 5 6 none", "suite=list,n!=3": "0 1 2 4 5 6 none",
			"suite=list,!n": "none",
			"suite=other":   "", "n=": "", "suite=list,n in ()": "",
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
		rest, names := list("&limit=3&continue="+gone.Meta.Continue, "suite=list,n")
		require.Equal(t, "3 3a 4", names, "what is there now, if one goes on all the same")
		require.Greater(t, rest.rv, at)
		gone.Meta = listMeta{}
		s.refuses(t, gone, "Expired", expired, "null")

		future := s.ask(t, "all", "GET", "?limit=3&continue="+position{positions, 999999999, "list-2\x00"}.String(), "")
		s.refuses(t, future, "Timeout", "Timeout: Too large resource version: 999999999, current: …",
			`{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]}`)
		refused := s.ask(t, "all", "GET", "?limit=2&resourceVersion=5&continue="+first.list.Meta.Continue, "")
		s.refuses(t, refused, "BadRequest", "specifying resource version is not allowed when using continue", "null")
	})
}
