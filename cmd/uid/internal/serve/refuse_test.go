package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// raw is a request with a path and further lines of its header.
func raw(method, target string, lines ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(append(lines, "", ""), "\r\n")
}

// refusedHTTP are requests that get no answer, each with the status it gets instead. The first of them
// are refused by net/http, whose texts are its own; "" is a text of ours.
var refusedHTTP = []struct {
	name, request string
	status        int
	says          string // within our error
}{
	// Methods.
	{"POST of a UID", raw("POST", "/v1/uid"), 405, "takes GET"},
	{"PUT", raw("PUT", "/v1/uid"), 405, "takes GET"},
	{"PATCH", raw("PATCH", "/v1/uid"), 405, "takes GET"},
	{"DELETE", raw("DELETE", "/v1/uids?n=1"), 405, "takes GET"},
	{"OPTIONS", raw("OPTIONS", "/v1/uid"), 405, "takes GET"},
	{"OPTIONS of all", raw("OPTIONS", "*"), 404, "no such path"},
	{"TRACE", raw("TRACE", "/v1/uid"), 405, "takes GET"},
	{"CONNECT", raw("CONNECT", "localhost:443"), 404, "no such path"},
	{"a method of no standard", raw("BREW", "/v1/uid"), 405, "takes GET"},
	{"a method in small letters", raw("get", "/v1/uid"), 405, "takes GET"},
	{"DELETE of Leaf's path", raw("DELETE", "/api/segment/get/invoice"), 405, "takes GET, HEAD, POST"},
	{"POST of parse", raw("POST", "/v1/parse/1"), 405, "takes GET, HEAD"},
	{"POST of metrics", raw("POST", "/metrics"), 405, "takes GET, HEAD"},
	{"DELETE of healthz", raw("DELETE", "/healthz"), 405, "takes GET, HEAD"},
	// Paths.
	{"no such path", raw("GET", "/v2/uid"), 404, "no such path"},
	{"a slash at the end", raw("GET", "/v1/uid/"), 404, "no such path"},
	{"two slashes", raw("GET", "//v1/uid"), 404, "no such path"},
	{"a slash in between", raw("GET", "/v1//uid"), 404, "no such path"},
	{"a dot", raw("GET", "/v1/./uid"), 404, "no such path"},
	{"two dots", raw("GET", "/v1/../v1/uid"), 404, "no such path"},
	{"two dots, escaped", raw("GET", "/v1/%2e%2e/uid"), 404, "no such path"},
	{"capital letters", raw("GET", "/V1/UID"), 404, "no such path"},
	{"an escaped letter", raw("GET", "/v1/ui%64"), 404, "no such path"},
	{"a zero byte", raw("GET", "/v1/uid%00"), 404, "no such path"},
	{"a matrix parameter", raw("GET", "/v1/uid;a=b"), 404, "no such path"},
	{"no tag", raw("GET", "/api/segment/get/"), 404, "no such path"},
	{"a path below a tag", raw("GET", "/api/segment/get/a/b"), 404, "no such path"},
	{"no UID to parse", raw("GET", "/v1/parse/"), 404, "no such path"},
	{"another host's URL", raw("GET", "http://localhost/nosuch"), 404, "no such path"},
	{"the page where there is none", raw("GET", "/page/"), 404, "no such path"},
	{"a bad escape", raw("GET", "/v1/uid%zz"), 400, "-"},
	{"a path without a slash", raw("GET", "v1/uid"), 400, "-"},
	{"a space in the path", raw("GET", "/v1/u id"), 400, "-"},
	{"a long path", raw("GET", "/"+strings.Repeat("a", maxURL)), 414, "2049 bytes, want 2048"},
	{"a long tag", raw("GET", "/api/segment/get/"+strings.Repeat("a", maxURL)), 414, "want 2048"},
	{"a long query", raw("GET", "/v1/uids?n="+strings.Repeat("1", maxURL)), 414, "want 2048"},
	{"HEAD of a long query", raw("HEAD", "/v1/uids?n="+strings.Repeat("1", maxURL)), 414, ""},
	{"a longer one", raw("GET", "/v1/uids?n="+strings.Repeat("1", 8*maxURL)), 431, "-"},
	// Parameters.
	{"no n", raw("GET", "/v1/uids"), 400, `n is "", want 1 to 10000`},
	{"an empty n", raw("GET", "/v1/uids?n="), 400, `n is ""`},
	{"HEAD of no n", raw("HEAD", "/v1/uids"), 400, ""},
	{"an n of 0", raw("GET", "/v1/uids?n=0"), 400, `n is "0", want 1 to 10000`},
	{"a negative n", raw("GET", "/v1/uids?n=-1"), 400, `n is "-1"`},
	{"an n too many", raw("GET", "/v1/uids?n=10001"), 400, `n is "10001"`},
	{"a huge n", raw("GET", "/v1/uids?n=99999999999999999999"), 400, "want 1 to 10000"},
	{"an n with a sign", raw("GET", "/v1/uids?n=%2B5"), 400, `n is "+5"`},
	{"an n with a space", raw("GET", "/v1/uids?n=+5"), 400, `n is " 5"`},
	{"an n with a point", raw("GET", "/v1/uids?n=1.0"), 400, `n is "1.0"`},
	{"an n as a power", raw("GET", "/v1/uids?n=1e3"), 400, `n is "1e3"`},
	{"a hexadecimal n", raw("GET", "/v1/uids?n=0x10"), 400, `n is "0x10"`},
	{"an n with an underscore", raw("GET", "/v1/uids?n=1_000"), 400, `n is "1_000"`},
	{"an n in other digits", raw("GET", "/v1/uids?n=%D9%A3"), 400, "n is"},
	{"an n of no number", raw("GET", "/v1/uids?n=many"), 400, `n is "many"`},
	{"an n of SQL", raw("GET", "/v1/uids?n=1%27%20OR%201=1"), 400, "n is"},
	{"two n", raw("GET", "/v1/uids?n=1&n=2"), 400, "n is there 2 times"},
	{"a capital N", raw("GET", "/v1/uids?N=1"), 400, `unknown parameter "N"`},
	{"another parameter", raw("GET", "/v1/uids?n=1&m=2"), 400, `unknown parameter "m"`},
	{"a parameter where there is none", raw("GET", "/v1/uid?n=1"), 400, "/v1/uid has none"},
	{"a semicolon in the query", raw("GET", "/v1/uids?n=1;n=2"), 400, "the query is malformed"},
	{"a bad escape in the query", raw("GET", "/v1/uids?n=%zz"), 400, "the query is malformed"},
	{"a parameter of parse", raw("GET", "/v1/parse/1?layout=twitter"), 400, `unknown parameter "layout"`},
	{"a form of parse", raw("GET", "/v1/parse/1?form=base64"), 400, "is not one of base32, base58"},
	{"a UID of another form", raw("GET", "/v1/parse/05067s0001009?form=uuid%3Dorders"), 400, "syntax error"},
	// UIDs to parse.
	{"letters", raw("GET", "/v1/parse/abc"), 400, "syntax error"},
	{"a sign", raw("GET", "/v1/parse/-1"), 400, "syntax error"},
	{"a leading zero", raw("GET", "/v1/parse/007"), 400, "syntax error"},
	{"2^63", raw("GET", "/v1/parse/9223372036854775808"), 400, "out of range"},
	{"a thousand digits", raw("GET", "/v1/parse/"+strings.Repeat("9", 1000)), 400, "out of range"},
	{"an escaped slash", raw("GET", "/v1/parse/1%2F2"), 400, "syntax error"},
	{"an escaped line end", raw("GET", "/v1/parse/1%0a"), 400, "syntax error"},
	// Bodies and encodings.
	{"a GET with a body", raw("GET", "/v1/uid", "Content-Length: 1") + "x", 400, "has no body"},
	{"a GET with a chunked body", raw("GET", "/v1/uid", "Transfer-Encoding: chunked") + "1\r\nx\r\n0\r\n\r\n", 400, "has no body"},
	{"a GET that expects", raw("GET", "/v1/uid", "Expect: 100-continue", "Content-Length: 5"), 400, "has no body"},
	{"another expectation", raw("GET", "/v1/uid", "Expect: tea"), 417, "-"},
	{"a POST that is too long", raw("POST", "/api/segment/get/invoice", "Content-Length: 4097") + strings.Repeat("x", 4097), 413, "4096"},
	{"a POST that says it is huge", raw("POST", "/api/segment/get/invoice", "Content-Length: 9223372036854775807"), 413, "4096"},
	{"a chunked POST", raw("POST", "/api/segment/get/invoice", "Transfer-Encoding: chunked") + "1\r\nx\r\n0\r\n\r\n", 413, "4096"},
	{"a length beyond 2^63", raw("POST", "/api/segment/get/invoice", "Content-Length: 9223372036854775808"), 400, "-"},
	{"a negative length", raw("GET", "/v1/uid", "Content-Length: -1"), 400, "-"},
	{"two lengths", raw("GET", "/v1/uid", "Content-Length: 1", "Content-Length: 2"), 400, "-"},
	{"a length of no number", raw("GET", "/v1/uid", "Content-Length: x"), 400, "-"},
	{"a transfer encoding unknown here", raw("GET", "/v1/uid", "Transfer-Encoding: gzip"), 501, "-"},
	{"accepting pictures", raw("GET", "/v1/uid", "Accept: image/png"), 406, "application/json or text/plain"},
	{"accepting XML", raw("GET", "/v1/uids?n=1", "Accept: application/xml;q=0.9, text/html"), 406, "application/json"},
	{"accepting anything but", raw("GET", "/v1/uid", "Accept: application/json;q=0"), 406, "application/json"},
	{"accepting nonsense", raw("GET", "/v1/uid", "Accept: ;;;"), 406, "application/json"},
	// Headers.
	{"no host", "GET /v1/uid HTTP/1.1\r\n\r\n", 400, "-"},
	{"two hosts", raw("GET", "/v1/uid", "Host: b"), 400, "-"},
	{"a host with a slash", "GET /v1/uid HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "-"},
	{"another version", "GET /v1/uid HTTP/3.0\r\nHost: localhost\r\n\r\n", 505, "-"},
	{"no version", "GET /v1/uid\r\n\r\n", 400, "-"},
	{"a line that is no header", raw("GET", "/v1/uid", "nonsense"), 400, "-"},
	{"a space before the colon", raw("GET", "/v1/uid", "A : b"), 400, "-"},
	{"a zero byte in a value", raw("GET", "/v1/uid", "A: \x00"), 400, "-"},
	{"a name of no token", raw("GET", "/v1/uid", "A(b): c"), 400, "-"},
	{"a large header", raw("GET", "/v1/uid", "A: "+strings.Repeat("x", 2*maxHeader)), 431, "-"},
	{"many headers", raw("GET", "/v1/uid", strings.Split(strings.Repeat("A: b\n", 4000), "\n")...), 431, "-"},
	{"Redis", "*2\r\n$4\r\nINCR\r\n$3\r\nuid\r\n", 400, "-"},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "-"},
	{"random bytes", "\xff\xfe\x80\x81\r\n\r\n", 400, "-"},
	{"another site's page", raw("GET", "/v1/uid", "Sec-Fetch-Site: cross-site"), 403, "another site"},
	{"a neighbour's page", raw("GET", "/api/segment/get/invoice", "Sec-Fetch-Site: same-site"), 403, "another site"},
	{"HEAD by a neighbour's page", raw("HEAD", "/api/segment/get/invoice", "Sec-Fetch-Site: same-site"), 403, ""},
	{"an old browser on another site's page",
		raw("GET", "/v1/uid", "Origin: https://evil.example"), 403, "another site"},
	{"a page on another port", raw("GET", "/v1/uids?n=1", "Origin: http://localhost:8080"), 403, "another site"},
	{"a page that hides where it is from", raw("GET", "/api/snowflake/get/x", "Origin: null"), 403, "another site"},
	{"an old browser that posts",
		raw("POST", "/api/segment/get/invoice", "Origin: http://localhost.evil.example"), 403, "another site"},
	{"a name that leads here", "GET /v1/uid HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "another host"},
	{"such a name with a port", "GET /healthz HTTP/1.1\r\nHost: localhost.evil.example:7077\r\n\r\n", 421, "another host"},
	{"such a number", "GET /v1/uid HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n", 421, "another host"},
	// Slow clients.
	{"half of a line", "GET /v1/", 408, "did not come to an end"},
	{"half of a header", "GET /v1/uid HTTP/1.1\r\nHost: loc", 408, "did not come to an end"},
	{"one byte", "G", 408, "did not come to an end"},
	{"a header without its end", "GET /v1/uid HTTP/1.1\r\nHost: localhost\r\n", 408, "did not come to an end"},
}

func TestRefusedHTTP(t *testing.T) {
	require.GreaterOrEqual(t, len(refusedHTTP), 100)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, func(c *Config) { c.LocalOnly = true })
		web, _ := h.serving(t)
		for _, tt := range refusedHTTP {
			c, err := web.dial()
			require.NoError(t, err)
			said := say(t, c, tt.request)
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
		c, err := web.dial()
		require.NoError(t, err)
		require.Contains(t, say(t, c, raw("GET", "/v1/uid", "Connection: close")), "\r\n\r\n{\"uid\":\"1\"}\n")
	})
}

// What Leaf answers with status 500 is no crash either.
func TestRefusedByLeaf(t *testing.T) {
	h := newHouse(t)
	for _, key := range []string{"nosuch", "a%20", "%20", strings.Repeat("a", 129), "%C3%BC", "a%00", "%5B", "%7B%7D", "a%0d%0ab", "..%2f..%2fetc%2fpasswd", "@"} {
		w := h.get("/api/segment/get/" + key)
		require.Equal(t, http.StatusInternalServerError, w.Code, key)
		require.Contains(t, w.Body.String(), `"message":"Result{id=-2, status=EXCEPTION}"`, key)
		require.Contains(t, w.Body.String(), `"path":"/api/segment/get/`+key[:1], key)
	}
	h.store.Outage(true)
	w := h.get("/api/segment/get/invoice")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), `"message":"Result{id=-3, status=EXCEPTION}"`)
	h.uids.err = fmt.Errorf("no")
	w = h.get("/api/snowflake/get/any")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), `"message":"Result{id=-1, status=EXCEPTION}"`)
}
