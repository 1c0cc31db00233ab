// Package report reads saved results and makes charts and tables of them. The numbers in
// the documents come from a file of results and from nowhere else.
package report

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/uidgen/uid/benchmarks/measure"
)

// Results are the lines of a file.
type Results struct {
	Config map[string]string // of the whole file: machine, date, versions
	lines  []line
}

// A line is one measurement.
type line struct {
	measure string            // "Scale"
	labels  map[string]string // "subject": "xid"; "gomaxprocs" among them
	values  map[string]float64
}

// Read reads a file in the Go benchmark format. A malformed line, or a file without
// results, is an error.
func Read(path string) (*Results, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &Results{Config: make(map[string]string)}
	in := benchfmt.NewReader(f, path)
	for in.Scan() {
		switch record := in.Result().(type) {
		case *benchfmt.Result:
			r.lines = append(r.lines, parse(record))
			for _, c := range record.Config {
				r.Config[c.Key] = string(c.Value)
			}
		case *benchfmt.SyntaxError:
			return nil, record
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(r.lines) == 0 {
		return nil, fmt.Errorf("%s: %w", path, errEmpty)
	}
	return r, nil
}

var errEmpty = errors.New("no results in it")

func parse(record *benchfmt.Result) line {
	base, parts := record.Name.Parts()
	l := line{measure: string(base), labels: make(map[string]string), values: make(map[string]float64)}
	for _, p := range parts {
		if procs, ok := strings.CutPrefix(string(p), "-"); ok {
			l.labels["gomaxprocs"] = procs
		} else if k, v, ok := strings.Cut(strings.TrimPrefix(string(p), "/"), "="); ok {
			l.labels[k] = v
		}
	}
	for _, v := range record.Values {
		if v.OrigUnit != "" { // the reader turns ns into seconds
			l.values[v.OrigUnit] = v.OrigValue
		} else {
			l.values[v.Unit] = v.Value
		}
	}
	return l
}

// A labels selects the lines that have all of them.
type labels map[string]string

// pick returns the values of a unit, in the order of the file.
func (r *Results) pick(measure, unit string, want labels) []float64 {
	var out []float64
	for _, l := range r.lines {
		if v, ok := l.values[unit]; ok && l.measure == measure && l.has(want) {
			out = append(out, v)
		}
	}
	return out
}

func (l line) has(want labels) bool {
	for k, v := range want {
		if l.labels[k] != v {
			return false
		}
	}
	return true
}

// numbers returns the distinct values of a label of a measure, as ascending numbers.
func (r *Results) numbers(measure, label string, want labels) []int {
	found := make(map[int]bool)
	for _, l := range r.lines {
		if n, err := strconv.Atoi(l.labels[label]); err == nil && l.measure == measure && l.has(want) {
			found[n] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// words returns the distinct values of a label, in the order of the file.
func (r *Results) words(measure, label string) []string {
	var out []string
	for _, l := range r.lines {
		if v := l.labels[label]; l.measure == measure && v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// procs returns the GOMAXPROCS of the run.
func (r *Results) procs() string { return r.Config["gomaxprocs"] }

// A summary sums up the rounds of a measurement.
type summary struct {
	Median, Low, High float64
	Rounds            int
}

// sum returns the median and the range of the rounds; ok is false where there are none.
func (r *Results) sum(measure, unit string, want labels) (s summary, ok bool) {
	values := r.pick(measure, unit, want)
	if len(values) == 0 {
		return summary{}, false
	}
	return summarized(values), true
}

func summarized(values []float64) summary {
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	return summary{
		Median: benchmath.AssumeNothing.Summary(sample, 0.95).Center,
		Low:    sample.Values[0],
		High:   sample.Values[len(values)-1],
		Rounds: len(values),
	}
}

// percentile returns a percentile of all rounds' calls together, with the range of the rounds.
// In files that have no such calls it is the median of the rounds' percentiles.
func (r *Results) percentile(measured string, q float64, want labels) (s summary, ok bool) {
	unit := measure.PercentileUnit(q)
	s, ok = r.sum(measured, unit, want)
	all := r.pick(measured+measure.MergedSuffix, unit, want)
	if len(all) == 0 {
		return s, ok
	}
	merged := all[len(all)-1]
	if !ok { // no round had calls enough
		return summary{Median: merged, Low: merged, High: merged}, true
	}
	s.Median, s.Low, s.High = merged, min(s.Low, merged), max(s.High, merged)
	return s, true
}

// lacking returns how many measurements were repeated because they did not get their processor
// time, how many did not get it in the end either, and of how many that is known.
func (r *Results) lacking() (repeated, still, known int) {
	for _, l := range r.lines {
		repeats, ok := l.values[measure.RepeatsUnit]
		if !ok {
			continue
		}
		known++
		if repeats > 0 {
			repeated++
		}
		if measure.Waited(l.values[measure.WaitedUnit]) {
			still++
		}
	}
	return repeated, still, known
}
