package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/internal/segmentstore"
)

// raw is a request with a path and further lines of its header.
func raw(method, target string, lines ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(append(lines, "", ""), "\r\n")
}

// A refusal is a request that gets no answer, and the status it gets instead.
type refusal struct {
	name, request string
	status        int
	says          string // within our error; "-": it is net/http's
}

const (
	invoice = "/api/segment/get/invoice"
	chunked = "Transfer-Encoding: chunked"
	chunk   = "1\r\nx\r\n0\r\n\r\n"
)

// oddRequests are those that testdata/refused.txt cannot hold.
var oddRequests = []refusal{
	{"a long path", raw("GET", "/"+strings.Repeat("a", maxURL)), 414, "2049 bytes, want 2048"},
	{"a long tag", raw("GET", "/api/segment/get/"+strings.Repeat("a", maxURL)), 414, "want 2048"},
	{"a long query", raw("GET", "/v1/uids?n="+strings.Repeat("1", maxURL)), 414, "want 2048"},
	{"HEAD of a long query", raw("HEAD", "/v1/uids?n="+strings.Repeat("1", maxURL)), 414, ""},
	{"a longer one", raw("GET", "/v1/uids?n="+strings.Repeat("1", 8*maxURL)), 431, "-"},
	{"a thousand digits", raw("GET", "/v1/parse/"+strings.Repeat("9", 1000)), 400, "out of range"},
	{"a GET with a body", raw("GET", "/v1/uid", "Content-Length: 1") + "x", 400, "has no body"},
	{"a GET with a chunked body", raw("GET", "/v1/uid", chunked) + chunk, 400, "has no body"},
	{"a POST that is too long", raw("POST", invoice, "Content-Length: 4097") + strings.Repeat("x", 4097), 413, "4096"},
	{"a chunked POST", raw("POST", invoice, chunked) + chunk, 413, "4096"},
	{"no host", "GET /v1/uid HTTP/1.1\r\n\r\n", 400, "-"},
	{"a host with a slash", "GET /v1/uid HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "-"},
	{"another version", "GET /v1/uid HTTP/3.0\r\nHost: localhost\r\n\r\n", 505, "-"},
	{"no version", "GET /v1/uid\r\n\r\n", 400, "-"},
	{"a zero byte in a value", raw("GET", "/v1/uid", "A: \x00"), 400, "-"},
	{"a large header", raw("GET", "/v1/uid", "A: "+strings.Repeat("x", 2*maxHeader)), 431, "-"},
	{"many headers", raw("GET", "/v1/uid", strings.Split(strings.Repeat("A: b\n", 4000), "\n")...), 431, "-"},
	{"Redis", "*2\r\n$4\r\nINCR\r\n$3\r\nuid\r\n", 400, "-"},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "-"},
	{"random bytes", "\xff\xfe\x80\x81\r\n\r\n", 400, "-"},
	{"a name that leads here", "GET /v1/uid HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "another host"},
	{"one with a port", "GET /healthz HTTP/1.1\r\nHost: localhost.evil.example:7077\r\n\r\n", 421, "another host"},
	{"such a number", "GET /v1/uid HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n", 421, "another host"},
}

func refusals() []refusal {
	all := slices.Clone(oddRequests)
	for line := range strings.Lines(string(clitest.Must(os.ReadFile("testdata/refused.txt")))) {
		if !strings.HasPrefix(line, "#") {
			r := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			lines := strings.Split(r[3], " | ")
			method, target, _ := strings.Cut(lines[0], " ")
			all = append(all, refusal{r[0], raw(method, target, lines[1:]...), clitest.Must(strconv.Atoi(r[1])), r[2]})
		}
	}
	return all
}

func TestRefusedHTTP(t *testing.T) {
	all := refusals()
	require.GreaterOrEqual(t, len(all), 96)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(func(c *Config) { c.LocalOnly = true })
		web := h.serving(t)[overHTTP]
		for _, tt := range all {
			said := over(t, web, tt.request)
			method := http.MethodGet
			if strings.HasPrefix(tt.request, http.MethodHead) {
				method = http.MethodHead
			}
			answer, err := http.ReadResponse(bufio.NewReader(strings.NewReader(said)), &http.Request{Method: method})
			require.NoError(t, err, "%s: %q", tt.name, said)
			body, err := io.ReadAll(answer.Body)
			require.NoError(t, err, tt.name)
			require.Equal(t, tt.status, answer.StatusCode, "%s: %s", tt.name, body)
			if tt.says == "-" || method == http.MethodHead {
				continue
			}
			var failure struct{ Error string }
			require.NoError(t, json.Unmarshal(body, &failure), "%s: %s", tt.name, body)
			require.Contains(t, failure.Error, tt.says, tt.name)
			require.Equal(t, "no-store", answer.Header.Get("Cache-Control"), tt.name)
		}
		require.Zero(t, h.uids.next, "something was drawn")
		require.EqualValues(t, 1, h.store.Row("invoice").Next)
		require.Zero(t, testutil.ToFloat64(h.metrics.connections[overHTTP].open))

		// After all that it still answers.
		answer := over(t, web, raw("GET", "/v1/uid", "Connection: close"))
		require.Contains(t, answer, "\r\n\r\n{\"uid\":\"1\"}\n")
	})
}

// What Leaf answers with status 500 is no crash either.
func TestRefusedByLeaf(t *testing.T) {
	h := newHouse()
	for _, key := range []string{"nosuch", "a%20", "%20", strings.Repeat("a", 129), "%C3%BC", "a%00", "%5B", "%7B%7D",
		"a%0d%0ab", "..%2f..%2fetc%2fpasswd", "@"} {
		w := h.get("/api/segment/get/" + key)
		require.Equal(t, http.StatusInternalServerError, w.Code, key)
		require.Contains(t, w.Body.String(), `"message":"Result{id=-2, status=EXCEPTION}"`, key)
		require.Contains(t, w.Body.String(), `"path":"/api/segment/get/`+key[:1], key)
	}
	h.store.SetRow(segmentstore.Row{Tag: "spoiled", Next: 1, Step: 0})
	for _, tag := range []string{"spoiled", "invoice"} {
		w := h.get("/api/segment/get/" + tag)
		require.Equal(t, http.StatusInternalServerError, w.Code)
		require.Contains(t, w.Body.String(), `"message":"Result{id=-3, status=EXCEPTION}"`, tag)
		h.store.Outage(true)
	}
	h.uids.err = fmt.Errorf("no")
	w := h.get("/api/snowflake/get/any")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), `"message":"Result{id=-1, status=EXCEPTION}"`)
}
