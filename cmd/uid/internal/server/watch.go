package server

import (
	"bytes"
	_ "embed"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/common/expfmt"
)

// metrics count what the server does.
type metrics struct {
	all           *prometheus.Registry
	requests      *prometheus.CounterVec // by path and status
	uids, numbers [2]prometheus.Counter  // that were answered, by protocol
	skipped       prometheus.Counter     // drawn, and not answered
	commands      prometheus.Counter     // of the Redis protocol
	failed        prometheus.Counter     // of them, those that were answered with an error
	connections   [2]connections         // by protocol
}

// connections count those of a protocol.
type connections struct {
	open    prometheus.Gauge   // now
	refused prometheus.Counter // in all
}

// The protocols.
const (
	overHTTP = iota
	overRESP
)

var protocols = [2]string{"http", "redis"}

func newMetrics() metrics {
	m := metrics{all: prometheus.NewRegistry()}
	made := promauto.With(m.all)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return made.NewCounterVec(prometheus.CounterOpts{Name: "uid_serve_" + name, Help: help}, labels)
	}
	m.requests = counter("requests_total", "HTTP requests, by the path of the API and the status of the answer.",
		"path", "status")
	m.commands = counter("commands_total", "Commands of the Redis protocol.").WithLabelValues()
	m.failed = counter("command_errors_total",
		"Commands of the Redis protocol that were answered with an error.").WithLabelValues()
	m.skipped = counter("skipped_total",
		"UIDs that were drawn for a request that failed all the same.").WithLabelValues()
	issued := counter("issued_total", "UIDs, and numbers of tags, that were answered.", "kind", "protocol")
	open := made.NewGaugeVec(
		prometheus.GaugeOpts{Name: "uid_serve_connections", Help: "Connections that are open."}, []string{"protocol"})
	refused := counter("refused_connections_total", "Connections beyond the limit.", "protocol")
	for i, p := range protocols {
		m.uids[i], m.numbers[i] = issued.WithLabelValues("uid", p), issued.WithLabelValues("number", p)
		m.connections[i] = connections{open.WithLabelValues(p), refused.WithLabelValues(p)}
	}
	return m
}

// logRequest writes a record of a request: nothing of its header or query, which may hold a token, and
// of its path only which route it is.
func (s *Server) logRequest(r *http.Request, path string, rec *recorder, took time.Duration) {
	method := r.Method
	if !slices.Contains(getHeadPost, method) {
		method = "other" // it may be any text
	}
	if s.cfg.Access != nil {
		s.cfg.Access.Info("request", "client", r.RemoteAddr, "method", method, "path", path,
			"status", rec.status, "bytes", rec.bytes, "took_us", took.Microseconds())
	}
}

// logConn writes a record of a connection of the Redis protocol that has ended.
func (s *Server) logConn(c *conn, took time.Duration) {
	if s.cfg.Access != nil {
		s.cfg.Access.Info("connection", "client", c.RemoteAddr().String(),
			"commands", c.commands, "errors", c.errors, "took_us", took.Microseconds())
	}
}

//go:embed openapi.yaml
var openAPIFile []byte

// healthz answers as long as the process does.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	s.answerJSON(w, http.StatusOK, map[string]bool{"healthy": true})
	return nil
}

// readyz answers whether the server is to get requests. The reason why not, which may name a store, is not for
// strangers.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	answer, code := map[string]any{"ready": true}, http.StatusOK
	if err := s.ready(); err != nil {
		answer["ready"], code = false, http.StatusServiceUnavailable
		if s.cfg.Token.shows(r) {
			answer["error"] = err.Error()
		}
		w.Header().Set("Retry-After", "1")
	}
	s.answerJSON(w, code, answer)
	return nil
}

func (s *Server) metricsPage(w http.ResponseWriter, _ *http.Request) error {
	var body bytes.Buffer
	families, err := prometheus.Gatherers{s.metrics.all, s.cfg.Metrics}.Gather()
	for _, family := range families {
		if err == nil {
			_, err = expfmt.MetricFamilyToText(&body, family)
		}
	}
	if err != nil {
		return failed(http.StatusInternalServerError, "%v", err)
	}
	s.answer(w, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", body.Bytes())
	return nil
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	s.answer(w, http.StatusOK, "application/yaml", openAPIFile)
	return nil
}

// index leads to the page, or lists the paths where there is none.
func (s *Server) index(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.Page != nil {
		http.Redirect(w, r, PagePath, http.StatusFound)
		return nil
	}
	body := []byte("uid serve " + s.cfg.Version + "\n\n")
	for _, route := range s.all {
		body = append(body, route.path+"\n"...)
	}
	s.answer(w, http.StatusOK, textKind, body)
	return nil
}
