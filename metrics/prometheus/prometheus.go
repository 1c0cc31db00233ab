// Package prometheus shows the metrics of generators by client_golang, the official client.
//
//	import (
//		"github.com/prometheus/client_golang/prometheus"
//
//		uidprometheus "github.com/uidgen/uid/metrics/prometheus"
//	)
//
//	var generators metrics.Set
//	err := generators.Add("orders", orders)
//	...
//	err = prometheus.Register(uidprometheus.NewCollector(&generators))
//
// The names are those of package metrics; the one label is generator.
package prometheus

import (
	client "github.com/prometheus/client_golang/prometheus"

	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/internal/measure"
)

// NewCollector returns a collector of the metrics of a set's generators. It asks them at each scrape, which costs calls
// that draw UIDs nothing. The set may change while it is in use.
func NewCollector(s *metrics.Set) client.Collector {
	c := &collector{set: s}
	for _, m := range measure.All() {
		kind := client.GaugeValue
		if m.Kind == measure.Counter {
			kind = client.CounterValue
		}
		c.kinds = append(c.kinds, kind)
		c.descs = append(c.descs, client.NewDesc(m.Prometheus(), m.Help, []string{measure.Label}, nil))
	}
	return c
}

type collector struct {
	set   *metrics.Set
	descs []*client.Desc // as in measure.All
	kinds []client.ValueType
}

// Describe implements [client.Collector].
func (c *collector) Describe(to chan<- *client.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements [client.Collector].
func (c *collector) Collect(to chan<- client.Metric) {
	for _, s := range c.set.Samples() {
		to <- client.MustNewConstMetric(c.descs[s.Metric], c.kinds[s.Metric], s.Value, s.Generator)
	}
}
