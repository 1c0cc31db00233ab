package server

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// Drain ends what has begun, and takes up nothing more.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(func(c *Config) { c.RequestTimeout = 3 * time.Second })
		h.cfg.UIDs = stalled{h.uids}
		web, redis := newPipes(), newPipes()
		served := make(chan error, 1)
		go func() { served <- h.Serve(web, redis) }()

		inFlight, idle := make(chan string, 2), make(chan string, 2)
		asks := map[*pipeListener]string{web: raw("GET", "/v1/uid"), redis: command("INCR", "uid") + command("PING")}
		for l, text := range asks {
			asking, still := l.dial(t), l.dial(t)
			go func() { inFlight <- say(t, asking, text) }()
			go func() { idle <- say(t, still, "") }()
		}
		synctest.Wait()
		require.Equal(t, http.StatusOK, h.get("/readyz").Code)
		h.StopReady()
		require.Equal(t, http.StatusServiceUnavailable, h.get("/readyz").Code)
		require.Equal(t, http.StatusOK, h.get("/healthz").Code)

		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, h.Drain(ctx))
		require.GreaterOrEqual(t, time.Since(began), 3*time.Second)
		require.Less(t, time.Since(began), 6*time.Second, "net/http looks for idle connections now and then")
		require.NoError(t, <-served)
		first, second := <-inFlight, <-inFlight
		if strings.HasPrefix(second, "HTTP") {
			first, second = second, first
		}
		require.Contains(t, first, "none was to be had in time")
		require.Contains(t, first, "Connection: close\r\n")
		require.Equal(t, "-ERR none was to be had in time\r\n+PONG\r\n", second)
		require.Empty(t, <-idle)
		require.Empty(t, <-idle)
		<-web.done
		<-redis.done
	})
}

// Requests that do not end in time are cut off.
func TestDrainCutsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(func(c *Config) { c.RequestTimeout = time.Hour })
		h.cfg.UIDs = stalled{h.uids}
		redis := newPipes()
		served := make(chan error, 1)
		go func() { served <- h.Serve(nil, redis) }()
		c := redis.dial(t)
		go func() { _, _ = io.WriteString(c, command("INCR", "uid")) }()
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		require.ErrorIs(t, h.Drain(ctx), context.DeadlineExceeded)
		require.Equal(t, 5*time.Second, time.Since(began))
		require.NoError(t, <-served)
		rest, err := io.ReadAll(c)
		require.NoError(t, err)
		require.Empty(t, rest)
		time.Sleep(time.Hour) // its draw ends
	})
}

func TestToken(t *testing.T) {
	h := newHouse(withToken)
	ask := func(token string) int {
		r := httptest.NewRequest(http.MethodGet, "/v1/uid", nil)
		r.Header.Add("Authorization", "Bearer "+token)
		return h.ask(r).Code
	}
	h.StopReady()
	require.JSONEq(t, `{"ready": false}`, h.get("/readyz").Body.String(), "and nothing of what is wrong")
	why := httptest.NewRequest(http.MethodGet, "/readyz", nil)
	why.SetBasicAuth("", secret)
	require.Contains(t, h.ask(why).Body.String(), "about to stop")

	for _, text := range []string{"", strings.Repeat("x", 15), strings.Repeat("x", 513), "with a space in it",
		strings.Repeat("ü", 16), "a line end in it\n"} {
		err := new(Token).Set(text)
		require.ErrorIs(t, err, uid.ErrConfig)
		if text != "" {
			require.NotContains(t, err.Error(), text)
		}
	}
	require.NoError(t, h.cfg.Token.Set("another-horse-battery"))
	require.Equal(t, http.StatusUnauthorized, ask(secret))
	require.Equal(t, http.StatusOK, ask("another-horse-battery"))
	require.Error(t, h.cfg.Token.Set("short"))
	require.Equal(t, http.StatusOK, ask("another-horse-battery"), "what cannot be used changes nothing")
}

func TestCheckListen(t *testing.T) {
	for host, local := range map[string]bool{
		"127.0.0.1": true, "127.1.2.3": true, "[::1]": true, "localhost": true, "": false, "[::]": false, "evil": false,
		"0.0.0.0": false, "10.0.0.1": false, "localhost.example": false, "[::ffff:10.0.0.1]": false,
		"localhost.": false, "127.0.0.1.evil": false,
	} {
		require.Equal(t, local, isLocal(host), host)
		require.Equal(t, local, isLocal(host+":80"), host)
		for _, accepted := range [][2]bool{{false, false}, {true, false}, {false, true}} {
			is, err := CheckListen(host+":80", accepted[0], accepted[1])
			require.Equal(t, local, is)
			if local || accepted[0] || accepted[1] {
				require.NoError(t, err, host)
			} else {
				require.ErrorIs(t, err, uid.ErrConfig)
				require.ErrorContains(t, err, "not loopback")
			}
		}
	}
	require.True(t, isLocal("::1"))
	for _, address := range []string{"", "127.0.0.1", "a:b:c", "::1"} {
		_, err := CheckListen(address, true, true)
		require.ErrorIs(t, err, uid.ErrConfig, address)
	}
}

// The log of requests holds no token, and nothing else that a stranger has written.
func TestAccessLog(t *testing.T) {
	var log bytes.Buffer
	h := newHouse(withToken, func(c *Config) { c.Access = slog.New(slog.NewJSONHandler(&log, nil)) })
	for _, target := range []string{"/v1/uid", "/canary?canary=" + secret, "/v1/uids?n=canary",
		"/api/segment/get/canary", "/v1/parse/canary"} {
		for _, token := range []string{secret, "canary-canary-canary"} {
			r := httptest.NewRequest(http.MethodGet, target, nil)
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("User-Agent", "canary")
			h.ask(r)
			r.Method = "CANARY"
			h.ask(r)
		}
	}
	calls := command("AUTH", "canary") + command("AUTH", secret) + command("INCR", "uid") + command("canary")
	h.serveConn(newScript(calls))
	text := log.String()
	require.NotContains(t, strings.ToLower(text), "canary")
	require.NotContains(t, text, secret)
	require.Contains(t, text, `"method":"GET","path":"/v1/uid","status":200,"bytes":12,`)
	require.Equal(t, 21, strings.Count(text, `,"took_us":`), "how long it took has a unit")
	require.Contains(t, text, `"method":"other","path":"/v1/uid","status":405,`)
	require.Contains(t, text, `"msg":"connection","client":`)
	require.Contains(t, text, `"commands":4,"errors":2,`)
	require.Equal(t, 21, strings.Count(text, "\n"))
}

func TestMetrics(t *testing.T) {
	more := prometheus.NewRegistry()
	promauto.With(more).NewCounter(prometheus.CounterOpts{Name: "more"}).Inc()
	h := newHouse(func(c *Config) { c.Metrics = more })
	h.get("/v1/uid")
	h.get("/v1/uids?n=5")
	h.get("/nosuch")
	h.get("/api/segment/get/invoice")
	h.serveConn(newScript(command("INCRBY", "invoice", "3") + command("GET") + command("INCR", "uid") +
		command("UIDS", "4") + command("QUIT")))
	text := h.get("/metrics").Body.String()
	for _, line := range []string{
		`uid_serve_requests_total{path="",status="404"} 1`, `uid_serve_requests_total{path="/v1/uid",status="200"} 1`,
		`uid_serve_issued_total{kind="uid",protocol="http"} 6`, `more 1`, `uid_serve_commands_total 5`,
		`uid_serve_issued_total{kind="number",protocol="http"} 1`, `uid_serve_command_errors_total 1`,
		`uid_serve_issued_total{kind="number",protocol="redis"} 3`,
		`uid_serve_issued_total{kind="uid",protocol="redis"} 5`,
	} {
		require.Contains(t, text, "\n"+line+"\n")
	}
	h.uids.Fail(uid.ErrNoReservation)
	h.get("/v1/uids?n=5")
	require.Contains(t, h.get("/metrics").Body.String(), "\nuid_serve_skipped_total 0\n")
}

// A handler that panics is answered for, and logged.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	h := newHouse(withLog(&log), func(c *Config) {
		c.Page = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oops") })
	})
	w := h.get("/page/")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.NotContains(t, w.Body.String(), "oops")
	require.Contains(t, log.String(), "oops")
}

// Numbers in a row belong to the caller alone, whoever else draws.
func TestRange(t *testing.T) {
	h := newHouse()
	h.store.SetRow(storage.Segment{Tag: "x", Next: 1, Step: 10})
	cfg := segment.Config{MinStep: 10, MaxStep: 10, LossyStore: true, Logger: slog.New(slog.DiscardHandler)}
	s := clitest.Must(NewSegments(h.store.Client(), cfg))
	seen := map[uid.UID]bool{}
	take := func(last uid.UID, n int) {
		for u := last - uid.UID(n) + 1; u <= last; u++ {
			require.False(t, seen[u], "%d comes twice", u)
			seen[u] = true
		}
	}
	for i := range 200 {
		n := 1 + i%17
		last, err := s.Range(t.Context(), "x", n)
		require.NoError(t, err)
		take(last, n)
		first := clitest.Must(h.store.Foreign("x", 3)) // another process
		take(uid.UID(first)+2, 3)
	}
	require.NoError(t, s.CloseContext(t.Context()))
	_, err := s.Next(t.Context(), "x")
	require.ErrorIs(t, err, uid.ErrClosed)
}

// Tags that the store does not have leave nothing behind, and say nothing in the log; nor do those of which that could
// not be learnt.
func TestUnknownTags(t *testing.T) {
	var log bytes.Buffer
	h := newHouse()
	cfg := segment.Config{Create: true, LossyStore: true, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	s := clitest.Must(NewSegments(h.store.Client(), cfg))
	for i := range 1000 {
		_, err := s.Next(t.Context(), "nosuch"+strings.Repeat("x", i%100))
		require.ErrorIs(t, err, segment.ErrNoTag)
	}
	h.store.Outage(true)
	_, err := s.Next(t.Context(), "nosuch")
	require.ErrorIs(t, err, uid.ErrNoReservation)
	h.store.Outage(false)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Range(gone, "nosuch", 2)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, slices.Collect(s.registry.All()))
	require.Empty(t, log.String())
	h.store.SetRow(storage.Segment{Tag: "nosuch", Next: 7, Step: 1})
	u, err := s.Next(t.Context(), "nosuch")
	require.NoError(t, err)
	require.EqualValues(t, 7, u)
	u, ok := s.Try("nosuch")
	require.True(t, ok)
	require.EqualValues(t, 8, u)

	// The row has gone, but the store knows of it.
	require.NoError(t, h.store.Lower("nosuch", -1))
	_, err = clitest.Must(NewSegments(h.store.Client(), cfg)).Next(t.Context(), "nosuch")
	require.ErrorIs(t, err, segment.ErrLost)
}

// A server that is drained before it serves does not begin.
func TestDrainComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		require.NoError(t, h.Drain(t.Context()))
		require.NoError(t, h.Serve(newPipes(), newPipes()))
	})
}

// FuzzHTTP throws requests at the router: each gets an answer of HTTP that may not be cached.
func FuzzHTTP(f *testing.F) {
	for line := range strings.Lines(string(clitest.Must(os.ReadFile("testdata/http.txt")))) {
		if says, _, found := strings.Cut(line, "\t"); found {
			line, _, _ := strings.Cut(request(f, says), "\r\n")
			f.Add(line, "Accept", "text/plain")
		}
	}
	f.Add("GET /v1/uids?n=3 HTTP/1.1", "Authorization", "Bearer x")
	f.Add("GET /api/segment/get/a%2Fb HTTP/1.1", "Sec-Fetch-Site", "none")
	f.Fuzz(func(t *testing.T, line, name, value string) {
		text := line + "\r\nHost: localhost\r\n" + name + ": " + value + "\r\n\r\n"
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return // net/http's
		}
		w := newHouse().ask(r)
		require.Contains(t, []int{200, 400, 401, 403, 404, 405, 406, 413, 414, 500}, w.Code)
		require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
		require.True(t, w.Header().Get("Content-Length") != "" || r.Method == http.MethodHead && w.Code == 200)
		require.False(t, w.Code == 500 && !strings.HasPrefix(r.URL.EscapedPath(), "/api/segment/get/"), "%s", w.Body)
	})
}
