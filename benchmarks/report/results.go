// Package report reads saved results and makes charts and tables of them. The numbers in
// the documents come from a file of results and from nowhere else.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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

// A line is one measurement. Its name begins and ends with a slash, and says GOMAXPROCS last:
// "/Scale/round=1/subject=xid/goroutines=8/gomaxprocs=2/".
type line struct {
	name   string
	values map[string]float64 // by unit
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
			for _, c := range record.Config {
				r.Config[c.Key] = string(c.Value)
			}
			base, parts := record.Name.Parts()
			l := line{"/" + string(base), make(map[string]float64)}
			for _, p := range parts {
				if p[0] != '-' {
					l.name += string(p)
				} else if !strings.Contains(l.name, "/gomaxprocs=") {
					l.name += "/gomaxprocs=" + string(p[1:])
				}
			}
			l.name += "/"
			for _, v := range record.Values {
				if v.OrigUnit != "" { // the reader turns ns into seconds
					v.Unit, v.Value = v.OrigUnit, v.OrigValue
				}
				l.values[v.Unit] = v.Value
			}
			r.lines = append(r.lines, l)
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

// of returns the lines whose names have all parts of a name: "Scale/goroutines=8".
func (r *Results) of(name string) (out []line) {
	parts := strings.Split(name, "/")
	for _, l := range r.lines {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(l.name, "/"+p+"/") }) {
			out = append(out, l)
		}
	}
	return out
}

// pick returns the values of a unit, in the order of the file.
func (r *Results) pick(name, unit string) (out []float64) {
	for _, l := range r.of(name) {
		if v, ok := l.values[unit]; ok {
			out = append(out, v)
		}
	}
	return out
}

func (r *Results) total(name, unit string) (sum float64) {
	for _, v := range r.pick(name, unit) {
		sum += v
	}
	return sum
}

// last returns the value of the last round, 0 if there is none.
func (r *Results) last(name, unit string) float64 {
	values := append([]float64{0}, r.pick(name, unit)...)
	return values[len(values)-1]
}

// words returns the distinct values of a label, in the order of the file.
func (r *Results) words(name, label string) (out []string) {
	for _, l := range r.of(name) {
		_, after, ok := strings.Cut(l.name, "/"+label+"=")
		if word, _, _ := strings.Cut(after, "/"); ok && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// numbers returns those values that are numbers, ascending. Others are 0, and come last.
func (r *Results) numbers(name, label string) (out []float64) {
	for _, word := range r.words(name, label) {
		v, _ := strconv.ParseFloat(word, 64)
		out = append(out, v)
	}
	rank := func(v float64) float64 { return cmp.Or(v, math.Inf(1)) }
	slices.SortFunc(out, func(a, b float64) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// full is the part of names at the GOMAXPROCS of the run.
func (r *Results) full() string { return "/gomaxprocs=" + r.Config["gomaxprocs"] }

// A summary sums up the rounds of a measurement.
type summary struct {
	median, low, high float64
	rounds            int // 0 without a measurement
}

func (r *Results) sum(name, unit string) summary { return summarized(r.pick(name, unit)) }

func summarized(values []float64) summary {
	if len(values) == 0 {
		return summary{}
	}
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	return summary{
		benchmath.AssumeNothing.Summary(sample, 0.95).Center, slices.Min(values), slices.Max(values), len(values),
	}
}

// percentile returns a percentile of all rounds' calls together, with the range of the rounds.
// In files that have no such calls it is the median of the rounds' percentiles.
func (r *Results) percentile(name string, q float64) summary {
	unit := measure.PercentileUnit(q)
	s := r.sum(name, unit)
	base, rest, _ := strings.Cut(name, "/")
	for _, merged := range r.pick(base+measure.MergedSuffix+"/"+rest, unit) {
		if s.rounds == 0 { // none had calls enough
			return summary{merged, merged, merged, 1}
		}
		s.median, s.low, s.high = merged, min(s.low, merged), max(s.high, merged)
	}
	return s
}

// ratio returns the median and the range of the rounds' ratios of a subject to another. There is
// none where one of them was not measured in each round.
func (r *Results) ratio(name, base, unit string) summary {
	above, below := r.pick(name, unit), r.pick(base, unit)
	if len(above) != len(below) {
		return summary{}
	}
	for i := range above {
		above[i] /= below[i]
	}
	return summarized(above)
}

// lacking returns how many measurements were repeated because they did not get their processor
// time, how many did not get it in the end either, and of how many that is known.
func (r *Results) lacking() (repeated, still, known float64) {
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
