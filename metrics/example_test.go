package metrics_test

import (
	"encoding/json"
	"expvar"
	"fmt"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/expvars"
	"github.com/uidgen/uid/worker"
)

// What is shown of a generator; package expvars and the modules for Prometheus and OpenTelemetry show more.
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
	if err := expvars.Publish("uid-example", &generators); err != nil {
		fmt.Println(err)
	}
	var shown map[string]map[string]float64
	if err := json.Unmarshal([]byte(expvar.Get("uid-example").String()), &shown); err != nil {
		fmt.Println(err)
	}
	fmt.Println(shown["orders"]["uid_ready"], shown["orders"]["uid_issued_total"])
	generators.Remove("orders")
	fmt.Println(orders.Close(), expvar.Get("uid-example"))
	// Output:
	// 1 3
	// <nil> {}
}
