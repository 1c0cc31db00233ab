package serve

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// metrics count what the server does.
type metrics struct {
	uids, numbers [2]atomic.Uint64 // that were answered, by protocol
	skipped       atomic.Uint64    // drawn, and not answered
	connections   [2]connections   // by protocol
	commands      atomic.Uint64    // of the Redis protocol
	failed        atomic.Uint64    // of them, those that were answered with an error

	mu       sync.Mutex
	requests map[request]uint64
}

// connections count those of a protocol.
type connections struct {
	open, strangers  atomic.Int64  // now
	refused, evicted atomic.Uint64 // in all
}

// request is a kind of answered request.
type request struct {
	route  string
	status int
}

// The protocols.
const (
	overHTTP = iota
	overRESP
)

var protocols = [2]string{"http", "redis"}

func (m *metrics) answered(route string, status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests = map[request]uint64{}
	}
	m.requests[request{route, status}]++
}

// write writes them in Prometheus' text format.
func (m *metrics) write(w io.Writer) {
	m.mu.Lock()
	requests := maps.Clone(m.requests)
	m.mu.Unlock()
	kinds := slices.SortedFunc(maps.Keys(requests), func(a, b request) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.status, b.status))
	})
	head(w, "requests_total", "counter", "HTTP requests, by the path of the API and the status of the answer.")
	for _, k := range kinds {
		fmt.Fprintf(w, "uid_serve_requests_total{path=%q,status=\"%d\"} %d\n", k.route, k.status, requests[k])
	}
	head(w, "commands_total", "counter", "Commands of the Redis protocol.")
	fmt.Fprintf(w, "uid_serve_commands_total %d\n", m.commands.Load())
	head(w, "command_errors_total", "counter", "Commands of the Redis protocol that were answered with an error.")
	fmt.Fprintf(w, "uid_serve_command_errors_total %d\n", m.failed.Load())
	head(w, "issued_total", "counter", "UIDs, and numbers of tags, that were answered.")
	for i, p := range protocols {
		fmt.Fprintf(w, "uid_serve_issued_total{kind=\"uid\",protocol=%q} %d\n", p, m.uids[i].Load())
		fmt.Fprintf(w, "uid_serve_issued_total{kind=\"number\",protocol=%q} %d\n", p, m.numbers[i].Load())
	}
	head(w, "skipped_total", "counter", "UIDs that were drawn for a request that failed all the same.")
	fmt.Fprintf(w, "uid_serve_skipped_total %d\n", m.skipped.Load())
	c := &m.connections
	byProtocol(w, "connections", "gauge", "Connections that are open.",
		c[overHTTP].open.Load(), c[overRESP].open.Load())
	byProtocol(w, "strangers", "gauge", "Of them those that have not shown the token.",
		c[overHTTP].strangers.Load(), c[overRESP].strangers.Load())
	byProtocol(w, "refused_connections_total", "counter", "Connections of clients beyond the limit.",
		c[overHTTP].refused.Load(), c[overRESP].refused.Load())
	byProtocol(w, "evicted_strangers_total", "counter",
		"Connections that had not shown the token and made room for others.",
		c[overHTTP].evicted.Load(), c[overRESP].evicted.Load())
}

// byProtocol writes a metric of each protocol.
func byProtocol[T int64 | uint64](w io.Writer, name, kind, help string, values ...T) {
	head(w, name, kind, help)
	for i, p := range protocols {
		fmt.Fprintf(w, "uid_serve_%s{protocol=%q} %d\n", name, p, values[i])
	}
}

func head(w io.Writer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP uid_serve_%s %s\n# TYPE uid_serve_%[1]s %[3]s\n", name, help, kind)
}
