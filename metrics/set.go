package metrics

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/metrics/internal/measure"
)

// A Set is the generators whose metrics are shown. The zero Set is empty and ready for use. Any number of goroutines
// may call its methods at once. Do not copy it.
type Set struct {
	mu     sync.Mutex // guards the map; it is not held while generators are asked
	byName map[string]health.Reporter
}

// maxName is the length of the longest name.
const maxName = 128

// Add shows a generator under a name, the value of its label: choose one that stays the same when the program starts
// again. It returns [uid.ErrConfig] for a nil generator and for a name that is taken, empty or no valid UTF-8, and
// [uid.ErrRange] for one of more than 128 bytes.
func (s *Set) Add(name string, g health.Reporter) error {
	switch {
	case g == nil:
		return fmt.Errorf("metrics: %w: the generator %.140q is nil", uid.ErrConfig, name)
	case name == "" || !utf8.ValidString(name):
		return fmt.Errorf("metrics: %w: the name %.140q is empty or not valid UTF-8", uid.ErrConfig, name)
	case len(name) > maxName:
		return fmt.Errorf("metrics: %w: the name %.140q has %d bytes, want %d at most",
			uid.ErrRange, name, len(name), maxName)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName[name] != nil {
		return fmt.Errorf("metrics: %w: there is a generator %q already", uid.ErrConfig, name)
	}
	if s.byName == nil {
		s.byName = map[string]health.Reporter{}
	}
	s.byName[name] = g
	return nil
}

// Remove ends the metrics of a generator. Call it at Close: a closed generator is not ready, and alerts fire for it.
func (s *Set) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byName, name)
}

// Samples asks each generator once, in the order of their names.
func (s *Set) Samples() []measure.Sample {
	all := measure.All()
	s.mu.Lock()
	generators := maps.Clone(s.byName)
	s.mu.Unlock()
	samples := make([]measure.Sample, 0, len(generators)*len(all))
	for _, name := range slices.Sorted(maps.Keys(generators)) {
		h := generators[name].Health()
		for i, m := range all {
			if v, ok := m.Value(h); ok {
				samples = append(samples, measure.Sample{Metric: i, Generator: name, Value: v})
			}
		}
	}
	return samples
}
