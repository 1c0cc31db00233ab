package server

import (
	"bufio"
	"errors"
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

// The files have requests of clients, and the answers. Refused requests draw nothing.
func TestHTTP(t *testing.T) {
	for file, change := range map[string]func(*Config){
		"http.txt": func(c *Config) { c.LocalOnly = true }, "http_token.txt": withToken,
		"http_down.txt": func(*Config) {},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(change)
			h.store.SetRow(storage.Segment{Tag: "spoiled", Next: 1, Step: 0})
			if file == "http_down.txt" {
				h.store.Outage(true)
				h.uids.Fail(errors.New("no"))
			}
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
