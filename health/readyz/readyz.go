// Package readyz serves the health of generators over HTTP, for load balancers and orchestrators.
//
//	ready, err := readyz.Handler(orders, events)
//	http.Handle("/readyz", ready)
package readyz

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
)

type report struct {
	Ready      bool            `json:"ready"`
	Generators []health.Health `json:"generators"`
}

// Handler returns a handler that answers GET and HEAD with status 200 if all generators are ready, else 503, and with
// JSON: ready says whether all are, and generators has the [health.Health] of each, in the order of the arguments. A
// closed generator is never ready again.
//
// The report has worker IDs, names of stores and texts of errors: keep it inside the network. Use it as a readiness
// probe, never as a liveness probe.
//
// Handler returns [uid.ErrConfig] when there is no generator, or a nil one.
func Handler(generators ...health.Reporter) (http.Handler, error) {
	if len(generators) == 0 {
		return nil, fmt.Errorf("readyz: %w: no generators", uid.ErrConfig)
	}
	if i := slices.Index(generators, nil); i >= 0 {
		return nil, fmt.Errorf("readyz: %w: generator %d of %d is nil", uid.ErrConfig, i+1, len(generators))
	}
	return handler(slices.Clone(generators)), nil
}

type handler []health.Reporter

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	}
	report := report{Ready: true}
	for _, g := range h {
		one := g.Health()
		report.Ready = report.Ready && one.Ready
		report.Generators = append(report.Generators, one)
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil { // a Reporter of the program's own, with times that JSON cannot hold
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	text = append(text, '\n')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Header().Set("Cache-Control", "no-store")
	if !report.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = w.Write(text) // net/http drops the body for HEAD; a client that has gone needs no answer
}
