// Package otel shows the metrics of generators by the metric API of OpenTelemetry. The program brings the SDK and the
// exporter.
//
//	var generators metrics.Set
//	err := generators.Add("orders", orders)
//	...
//	registration, err := uidotel.Register(otel.Meter("orders"), &generators)
//
// The names are those of package metrics, such as uid.reservation_remaining in s; the one attribute is generator.
package otel

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/internal/measure"
)

// Register makes an observable instrument of meter for each metric. The set may change while it is in use; Unregister
// of what Register returns ends it. The error wraps [uid.ErrConfig] when meter or s is nil, and is the meter's
// otherwise.
func Register(meter metric.Meter, s *metrics.Set) (metric.Registration, error) {
	if meter == nil || s == nil {
		return nil, fmt.Errorf("otel: %w: no meter, or no set", uid.ErrConfig)
	}
	var instruments []metric.Float64Observable
	var observables []metric.Observable
	for _, m := range measure.All() {
		instrument, err := newInstrument(meter, m)
		if err != nil {
			return nil, fmt.Errorf("otel: the instrument %s: %w", m.OpenTelemetry(), err)
		}
		instruments = append(instruments, instrument)
		observables = append(observables, instrument)
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, v := range s.Samples() {
			of := metric.WithAttributes(attribute.String(measure.Label, v.Generator))
			o.ObserveFloat64(instruments[v.Metric], v.Value, of)
		}
		return nil
	}, observables...)
	if err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return registration, nil
}

func newInstrument(meter metric.Meter, m measure.Metric) (metric.Float64Observable, error) {
	unit, help := metric.WithUnit(m.Unit), metric.WithDescription(m.Help)
	if m.Kind == measure.Counter {
		return meter.Float64ObservableCounter(m.OpenTelemetry(), unit, help)
	}
	return meter.Float64ObservableGauge(m.OpenTelemetry(), unit, help)
}
