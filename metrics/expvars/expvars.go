// Package expvars publishes the metrics of generators by package expvar of the standard library, which adds a handler
// for /debug/vars to http.DefaultServeMux.
//
//	var generators metrics.Set
//	err := generators.Add("orders", orders)
//	...
//	err = expvars.Publish("uid", &generators)
package expvars

import (
	"expvar"
	"fmt"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/internal/measure"
)

// publishing makes the look for a name and its use one.
var publishing sync.Mutex

// Publish publishes a set as a variable: for each generator by its name, an object of the metrics by their names for
// Prometheus, read anew with the variable. A variable can be published only once and never removed; the set may change.
// Publish returns [uid.ErrConfig] when s is nil, and when there is a variable of that name.
func Publish(variable string, s *metrics.Set) error {
	if s == nil {
		return fmt.Errorf("expvars: %w: nil set", uid.ErrConfig)
	}
	publishing.Lock()
	defer publishing.Unlock()
	if expvar.Get(variable) != nil {
		return fmt.Errorf("expvars: %w: there is a variable %q already", uid.ErrConfig, variable)
	}
	all := measure.All()
	expvar.Publish(variable, expvar.Func(func() any {
		values := map[string]map[string]float64{}
		for _, v := range s.Samples() {
			if values[v.Generator] == nil {
				values[v.Generator] = map[string]float64{}
			}
			values[v.Generator][all[v.Metric].Prometheus()] = v.Value
		}
		return values
	}))
	return nil
}
