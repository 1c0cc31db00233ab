package server

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
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
