// Package metrics has the numbers that generators tell of themselves, under the names that monitoring systems use.
// Package expvars, and the modules metrics/prometheus and metrics/otel, show them.
//
//	var generators metrics.Set
//	err := generators.Add("orders", orders)
//	...
//	err = expvars.Publish("uid", &generators)                                // standard library
//	err = registry.Register(uidprometheus.NewCollector(&generators))         // client_golang
//	_, err = uidotel.Register(provider.Meter("uid"), &generators)            // OpenTelemetry
//
// Nothing is measured until somebody asks. A generator has some 20 series, with one label, generator: its name in the
// Set. No worker ID, tag, address or error text becomes a label.
//
// The folder has a dashboard for Grafana and alert rules for Prometheus; see docs/operations.md.
package metrics
