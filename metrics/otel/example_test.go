package otel_test

import (
	"context"
	"fmt"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/metrics"
	uidotel "github.com/uidgen/uid/metrics/otel"
	"github.com/uidgen/uid/worker"
)

// A program that exports the metrics of its generators. It has a periodic reader with an exporter in place of the
// reader that is asked here.
func Example() {
	orders := cached.MustNew(worker.Static(8), cached.Config{})
	var generators metrics.Set
	if err := generators.Add("orders", orders); err != nil {
		fmt.Println(err)
	}
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	if _, err := uidotel.Register(provider.Meter("orders"), &generators); err != nil {
		fmt.Println(err)
	}

	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		fmt.Println(err)
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		if m.Name == "uid.worker_id" || m.Name == "uid.ready" {
			fmt.Println(m.Name, m.Data.(metricdata.Gauge[float64]).DataPoints[0].Value)
		}
	}
	fmt.Println(orders.Close())
	// Unordered output:
	// uid.ready 1
	// uid.worker_id 8
	// <nil>
}
