package otel_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/internal/measure"
	"github.com/uidgen/uid/metrics/otel"
)

type point struct{ generator, name, unit, kind string }

// collect returns what a reader of the SDK finds.
func collect(t *testing.T, reader *sdk.ManualReader) map[point]float64 {
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	found := map[point]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			kind, points := "gauge", []metricdata.DataPoint[float64](nil)
			switch data := m.Data.(type) {
			case metricdata.Gauge[float64]:
				points = data.DataPoints
			case metricdata.Sum[float64]:
				require.True(t, data.IsMonotonic)
				require.Equal(t, metricdata.CumulativeTemporality, data.Temporality)
				kind, points = "counter", data.DataPoints
			}
			require.NotEmpty(t, points, m.Name)
			require.NotEmpty(t, m.Description)
			for _, p := range points {
				generator, ok := p.Attributes.Value(measure.Label)
				require.True(t, ok)
				require.Equal(t, 1, p.Attributes.Len())
				found[point{generator.AsString(), m.Name, m.Unit, kind}] = p.Value
			}
		}
	}
	return found
}

// A reader finds exactly the samples of the set, at each collection those of that moment.
func TestRegister(t *testing.T) {
	var s metrics.Set
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	registration, err := otel.Register(provider.Meter("test"), &s)
	require.NoError(t, err)
	require.Empty(t, collect(t, reader))
	for name, g := range fake.Reporters() {
		require.NoError(t, s.Add(name, g))
	}
	want := map[point]float64{}
	for _, v := range s.Samples() {
		m := measure.All()[v.Metric]
		want[point{v.Generator, m.OpenTelemetry(), m.Unit, string(m.Kind)}] = v.Value
	}
	require.Equal(t, want, collect(t, reader))
	s.Remove("orders")
	for p := range collect(t, reader) {
		require.NotEqual(t, "orders", p.generator)
	}
	require.NoError(t, registration.Unregister())
	require.Empty(t, collect(t, reader))
}

// A meter that refuses.
type refusing struct {
	metric.Meter
	instrument, callback error
}

func (r refusing) Float64ObservableGauge(name string,
	o ...metric.Float64ObservableGaugeOption) (metric.Float64ObservableGauge, error) {
	if r.instrument != nil {
		return nil, r.instrument
	}
	return r.Meter.Float64ObservableGauge(name, o...)
}

func (r refusing) RegisterCallback(f metric.Callback, all ...metric.Observable) (metric.Registration, error) {
	if r.callback != nil {
		return nil, r.callback
	}
	return r.Meter.RegisterCallback(f, all...)
}

func TestRegisterRefuses(t *testing.T) {
	var s metrics.Set
	_, err := otel.Register(nil, &s)
	require.ErrorIs(t, err, uid.ErrConfig)
	meter := noop.NewMeterProvider().Meter("test")
	_, err = otel.Register(meter, nil)
	require.ErrorIs(t, err, uid.ErrConfig)
	full := errors.New("full")
	_, err = otel.Register(refusing{Meter: meter, instrument: full}, &s)
	require.ErrorIs(t, err, full)
	_, err = otel.Register(refusing{Meter: meter, callback: full}, &s)
	require.ErrorIs(t, err, full)
}
