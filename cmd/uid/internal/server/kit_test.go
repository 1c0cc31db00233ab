package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/uidtest"
)

const secret = "correct-horse-battery"

// A stalled generator has no UID before the context has ended.
type stalled struct{ *uidtest.Generator }

func (stalled) TryGetUID() (uid.UID, error) { return 0, uid.ErrRejectedTake }

func (stalled) GetUIDContext(ctx context.Context) (uid.UID, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func (s stalled) FillContext(ctx context.Context, _ []uid.UID) (int, error) {
	_, err := s.GetUIDContext(ctx)
	return 0, err
}

// A house is a server with what it serves.
type house struct {
	*Server
	uids  *uidtest.Generator // 1, 2, 3
	store *segmenttest.Memory
}

// newHouse returns a server with the tag invoice, as changed.
func newHouse(change ...func(*Config)) *house {
	h := &house{uids: uidtest.MustNew(uidtest.Config{}), store: segmenttest.NewMemory()}
	h.store.SetRow(storage.Segment{Tag: "invoice", Next: 1, Step: 1})
	quiet := slog.New(slog.DiscardHandler)
	segments := clitest.Must(NewSegments(h.store.Client(), segment.Config{Logger: quiet, LossyStore: true}))
	cfg := Config{UIDs: h.uids, Segments: segments, Logger: quiet, Version: "test", UIDKey: "uid", MaxConns: 1024,
		RequestTimeout: 5 * time.Second, Ready: func() error { return nil }, Metrics: prometheus.NewRegistry()}
	for _, c := range change {
		c(&cfg)
	}
	h.Server = clitest.Must(New(cfg))
	return h
}

func withToken(c *Config) {
	c.Token = new(Token)
	_ = c.Token.Set(secret)
}

// ask answers a request without a network.
func (h *house) ask(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func (h *house) get(target string) *httptest.ResponseRecorder {
	return h.ask(httptest.NewRequest(http.MethodGet, target, nil))
}

// A pipeListener is a network of pipes, whose deadlines follow fake time.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once // done
}

func newPipes() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close.Do(func() { close(l.done) })
	return nil
}

func (*pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7077} }

// dial returns a new connection, which lasts until the test ends at most.
func (l *pipeListener) dial(t testing.TB) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() { _ = client.Close() })
	select {
	case l.conns <- server:
	case <-l.done:
		require.Fail(t, "nobody listens")
	}
	return client
}

// say writes a text in the background, and returns all that comes back until the connection ends.
func say(t testing.TB, c net.Conn, text string) string {
	t.Helper()
	go func() { _, _ = c.Write([]byte(text)) }()
	all, err := io.ReadAll(c)
	require.NoError(t, err)
	return string(all)
}

// serving serves both protocols on pipes until the test ends.
func (h *house) serving(t testing.TB) [2]*pipeListener {
	l := [2]*pipeListener{newPipes(), newPipes()}
	done := make(chan error, 1)
	go func() { done <- h.Serve(l[overHTTP], l[overRESP]) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = h.Drain(ctx)
		require.NoError(t, <-done)
	})
	return l
}

// transcript plays a file of what clients say, and compares what they are answered with what stands there.
func transcript(t *testing.T, file string, answer func(says string) string) {
	path, got := filepath.Join("testdata", file), ""
	text := string(clitest.Must(os.ReadFile(path)))
	for line := range strings.Lines(text) {
		if says, _, found := strings.Cut(line, "\t"); found {
			line = says + "\t" + answer(repeats.ReplaceAllStringFunc(says, repeated)) + "\n"
		}
		got += line
	}
	if *clitest.Update {
		text = got
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	require.Equal(t, text, got)
}

// repeats is a text in a transcript, and how often it is said: {x*2000}.
var repeats = regexp.MustCompile(`\{([^{}]+)\*(\d+)\}`)

func repeated(text string) string {
	found := repeats.FindStringSubmatch(text)
	return strings.Repeat(found[1], clitest.Must(strconv.Atoi(found[2])))
}

// unquoted is a text of a transcript with its escapes resolved.
func unquoted(t testing.TB, text string) string {
	u, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	require.NoError(t, err, text)
	return u
}
