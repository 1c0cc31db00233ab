package prometheus_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/metrics"
	uidprometheus "github.com/uidgen/uid/metrics/prometheus"
	"github.com/uidgen/uid/worker"
)

// A program that serves the metrics of its generators to Prometheus.
func Example() {
	orders := cached.MustNew(worker.Static(7), cached.Config{})
	var generators metrics.Set
	if err := generators.Add("orders", orders); err != nil {
		fmt.Println(err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(uidprometheus.NewCollector(&generators))
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(answer.Body.String()) {
		if strings.HasPrefix(line, "uid_worker_id{") || strings.HasPrefix(line, "uid_ready") {
			fmt.Print(line)
		}
	}
	fmt.Println(orders.Close())
	// Output:
	// uid_ready{generator="orders"} 1
	// uid_worker_id{generator="orders"} 7
	// <nil>
}
