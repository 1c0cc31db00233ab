package server

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/internal/storage"
)

// raw is a request with a path and further lines of its header.
func raw(method, target string, lines ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(append(lines, "", ""), "\r\n")
}

// What clients ask, and what they are answered: see the files. What is refused draws nothing.
func TestHTTP(t *testing.T) {
	for file, change := range map[string]func(*Config){
		"http.txt": func(c *Config) { c.LocalOnly = true }, "http_token.txt": withToken,
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(change)
			web := h.serving(t)[overHTTP]
			transcript(t, file, func(says string) string { return answered(t, web, request(t, says)) })
			require.Zero(t, testutil.ToFloat64(h.metrics.connections[overHTTP].open))
		})
	}
}

// request is what a line of a transcript says: a method, a path and lines of a header; or, with a line end, itself.
func request(t testing.TB, line string) string {
	if strings.Contains(line, `\n`) {
		return unquoted(t, line)
	}
	lines := strings.Split(line, " | ")
	method, target, _ := strings.Cut(lines[0], " ")
	return raw(method, target, append(lines[1:], "Connection: close")...)
}

var timestamp = regexp.MustCompile(`"timestamp":\d+`)

// answered returns the status, the kind and the body of an answer, or whose it is if it is not ours.
func answered(t *testing.T, web *pipeListener, request string) string {
	said := over(t, web, request)
	method, _, _ := strings.Cut(request, " ")
	answer, err := http.ReadResponse(bufio.NewReader(strings.NewReader(said)), &http.Request{Method: method})
	require.NoError(t, err, "%q: %q", request, said)
	body := string(clitest.Must(io.ReadAll(answer.Body)))
	if answer.Header.Get("Cache-Control") != "no-store" {
		body = "of net/http"
	}
	body = strings.ReplaceAll(timestamp.ReplaceAllString(body, `"timestamp":0`), "\n", `\n`)
	return fmt.Sprint(answer.StatusCode, "\t", answer.Header.Get("Content-Type"), "\t", body)
}

// What is too long for a line of a file.
func TestLongHTTP(t *testing.T) {
	const invoice, ofHTTP = "/api/segment/get/invoice", "text/plain; charset=utf-8\tof net/http"
	long := strings.Repeat("1", maxURL)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		web := h.serving(t)[overHTTP]
		for _, tt := range []struct{ request, want string }{
			{raw("GET", "/"+long), "414\tapplication/json\t{\"error\":\"the path and query have 2049 bytes"},
			{raw("GET", "/api/segment/get/"+long), "414\tapplication/json"},
			{raw("GET", "/v1/uids?n="+long), "414\tapplication/json"},
			{raw("HEAD", "/v1/uids?n="+long), "414\tapplication/json"},
			{raw("GET", "/v1/parse/"+long[:1000]), `400	application/json	{"error":"value out of range`},
			{raw("POST", invoice, "Content-Length: 4097") + strings.Repeat("x", 4097), "413\tapplication/json"},
			{raw("GET", "/v1/uids?n="+strings.Repeat(long, 8)), "431\t" + ofHTTP},
			{raw("GET", "/v1/uid", "A: "+strings.Repeat("x", 2*maxHeader)), "431\t" + ofHTTP},
			{raw("GET", "/v1/uid", strings.Split(strings.Repeat("A: b\n", 4000), "\n")...), "431\t" + ofHTTP},
		} {
			require.Contains(t, answered(t, web, tt.request), tt.want, "%.80q", tt.request)
		}
		require.Zero(t, h.uids.Drawn())
		require.EqualValues(t, 1, h.store.Row("invoice").Next)
	})
}

// What Leaf answers with status 500 because of a store or a generator.
func TestLeafFails(t *testing.T) {
	h := newHouse()
	h.store.SetRow(storage.Segment{Tag: "spoiled", Next: 1, Step: 0})
	for _, tag := range []string{"spoiled", "invoice"} {
		w := h.get("/api/segment/get/" + tag)
		require.Equal(t, http.StatusInternalServerError, w.Code)
		require.Contains(t, w.Body.String(), `"message":"Result{id=-3, status=EXCEPTION}"`, tag)
		h.store.Outage(true)
	}
	h.uids.Fail(fmt.Errorf("no"))
	w := h.get("/api/snowflake/get/any")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), `"message":"Result{id=-1, status=EXCEPTION}"`)
}
