// Package fake is API servers of Kubernetes in memory, as far as they have Leases of coordination.k8s.io/v1: for tests
// that need no network, or one with faults. What they answer is held to what kube-apiserver v1.34.2 answers, by
// exchanges that both have to pass.
//
// It knows no watch, no patch, no status and no owners, and compresses nothing. A fault is what a test says, request by
// request.
package fake

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"
)

// A Server is one API server. Make it with [New] or Another. It may be used by any number of goroutines.
type Server struct {
	*etcd // guards what follows, too

	now    func() time.Time
	fault  func(*http.Request) Fault
	cache  *view // where the watch cache stands still; nil: it does not
	late   []func()
	counts map[string]int
}

// New returns an API server over an etcd without Leases, which has had other writes. Answers have the date of a clock.
func New(now func() time.Time) *Server {
	return newServer(now, &etcd{
		revision: 100, history: history{}, changed: make(chan struct{}),
		tokens: map[string]map[string][]string{},
	})
}

// Another returns another API server over the same etcd, with a clock and a watch cache of its own.
func (s *Server) Another(now func() time.Time) *Server { return newServer(now, s.etcd) }

func newServer(now func() time.Time, e *etcd) *Server {
	return &Server{etcd: e, now: now, fault: func(*http.Request) Fault { return Fault{} }, counts: map[string]int{}}
}

// A Fault is what becomes of a request. The zero value is none.
type Fault struct {
	// Wait holds the request back until it is closed. It is on its way: it is done even if its client has given up.
	Wait <-chan struct{}
	// Lost cuts the connection before the request has come, Late likewise, but it comes with Deliver; Silent cuts it
	// when all is done.
	Lost, Late, Silent bool
	// Status is answered, if it is not 0, and nothing is done; with Done, after all is done.
	Status int
	Done   bool
	// RetryAfter is a header of that answer, in seconds, if it is not 0.
	RetryAfter int
	// Message is that answer's text, if it is not the usual one.
	Message string
}

// Break has a function say what becomes of each request from now on. It may be called by several goroutines at once,
// and may read the request's method, URL and header.
func (s *Server) Break(fault func(*http.Request) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Deliver does all requests that are late, in their order.
func (s *Server) Deliver() {
	s.mu.Lock()
	late := s.late
	s.late = nil
	s.mu.Unlock()
	for _, do := range late {
		do()
	}
}

// A view is what is read: a history up to a revision.
type view struct {
	history
	revision int64
}

// HoldCache has the watch cache stand still at what is stored now, or go on.
func (s *Server) HoldCache(hold bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cache = nil
	if hold {
		s.cache = &view{s.history, s.revision}
	}
	s.wake()
}

// Count returns how many answers of each kind there were since the last call, as in "PUT 409", and "LIST 200".
func (s *Server) Count() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.counts
	s.counts = map[string]int{}
	return maps.Clone(counts)
}

// An answer is a response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// handle does a request with what becomes of it. It returns nil if the connection is cut.
func (s *Server) handle(r *http.Request, body []byte) *answer {
	s.mu.Lock()
	fault := s.fault
	s.mu.Unlock()
	f := fault(r)
	if f.Wait != nil {
		<-f.Wait
	}
	switch {
	case f.Lost:
		return nil
	case f.Late:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.late = append(s.late, func() { s.answer(r, body) })
		return nil
	}
	var a *answer
	if f.Status == 0 || f.Done {
		a = s.answer(r, body)
	}
	if f.Status != 0 {
		a = f.refusal()
	}
	if f.Silent {
		return nil
	}
	a.header.Set("Date", s.now().UTC().Format(http.TimeFormat))
	return a
}

// refusal is the answer of a fault.
func (f Fault) refusal() *answer {
	var a *answer
	switch {
	case f.Message != "":
		a = failed(f.Status, "", nil, "%s", f.Message)
	case f.Status == http.StatusNotFound: // of a Kubernetes namespace
		a = failed(f.Status, "NotFound", on("missing"), `namespaces "missing" not found`)
	case f.Status == http.StatusTooManyRequests: // it is said before there is an API: in plain text
		a = &answer{f.Status, http.Header{}, []byte("Too many requests, please try again later.\n")}
		a.header.Set("Content-Type", "text/plain; charset=utf-8")
	case f.Status == http.StatusInternalServerError:
		a = failed(f.Status, "", nil, "etcdserver: request timed out")
	case f.Status == http.StatusGatewayTimeout:
		a = failed(f.Status, "Timeout", new(details),
			"Timeout: request did not complete within requested timeout - context deadline exceeded")
	default:
		a = failed(f.Status, "", nil, "%s", http.StatusText(f.Status))
	}
	if f.RetryAfter > 0 {
		a.header.Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	return a
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a := s.handle(r, body)
	if a == nil {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// RoundTripper returns a transport to the server without a network, for a bubble of testing/synctest, say. What a
// client has sent goes on when the client has given up.
func (s *Server) RoundTripper() http.RoundTripper { return transport{s} }

type transport struct{ s *Server }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	answers := make(chan *answer, 1)
	go func() { answers <- t.s.handle(r, body) }()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case a := <-answers:
		if a == nil {
			return nil, io.ErrUnexpectedEOF
		}
		return &http.Response{
			Status: fmt.Sprint(a.status, " ", http.StatusText(a.status)), StatusCode: a.status, Proto: "HTTP/2.0",
			ProtoMajor: 2, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)),
			ContentLength: int64(len(a.body)), Request: r,
		}, nil
	}
}

// Listen serves on a port of the loopback interface until the test ends. It returns the server's URL, and as PEM the
// CA of its certificate.
func (s *Server) Listen(t testing.TB) (url string, ca []byte) {
	h := httptest.NewUnstartedServer(s)
	h.EnableHTTP2 = true
	h.StartTLS()
	t.Cleanup(h.Close)
	return h.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
}
