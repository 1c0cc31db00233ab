// Package metrics has the numbers that generators tell of themselves, under the names that monitoring systems use. Add
// the generators to a [Set], and give that to package expvars, or to the module metrics/prometheus or metrics/otel.
//
// Nothing is measured until somebody asks. A generator has some 20 series, with one label, generator: its name in the
// Set. No worker ID, tag, address or error text becomes a label.
//
// The folder has a dashboard for Grafana and alert rules for Prometheus; see docs/operations.md.
package metrics
