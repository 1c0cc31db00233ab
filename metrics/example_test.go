package metrics_test

import (
	"fmt"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/worker"
)

// What package expvars and the modules for Prometheus and OpenTelemetry show is also there to be
// read.
func ExampleSet() {
	orders := cached.MustNew(worker.Static(7), cached.Config{})
	var generators metrics.Set
	if err := generators.Add("orders", orders); err != nil {
		fmt.Println(err)
	}
	for range 3 {
		if _, err := orders.GetUID(); err != nil {
			fmt.Println(err)
		}
	}
	for _, s := range generators.Samples() {
		switch name := metrics.All()[s.Metric].Prometheus(); name {
		case "uid_ready", "uid_issued_total":
			fmt.Printf("%s{%s=%q} %v\n", name, metrics.Label, s.Generator, s.Value)
		}
	}
	generators.Remove("orders")
	fmt.Println(orders.Close(), len(generators.Samples()))
	// Output:
	// uid_ready{generator="orders"} 1
	// uid_issued_total{generator="orders"} 3
	// <nil> 0
}
