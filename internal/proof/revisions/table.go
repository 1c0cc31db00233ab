package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A key names a number that a benchmark reports.
type key struct{ pkg, benchmark, metric string }

// A round is what one run of each revision reported, and in which order.
type round struct {
	before, after map[key]float64
	order         []key
}

// parse reads what a test program prints of its benchmarks: lines of a name, how often it ran, and
// pairs of a number and its unit. Other lines are not for it. Keys that are new go to order.
func parse(text, pkg string, results map[key]float64, order *[]key) error {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		if _, err := strconv.ParseUint(fields[1], 10, 64); err != nil {
			continue // a message of the benchmark's
		}
		if len(fields)%2 != 0 {
			return fmt.Errorf("%s: a number without its unit: %q", pkg, line)
		}
		for i := 2; i < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return fmt.Errorf("%s: %q: %w", pkg, line, err)
			}
			k := key{pkg, strings.TrimPrefix(fields[0], "Benchmark"), fields[i+1]}
			if _, twice := results[k]; twice {
				return fmt.Errorf("%s: %s of %s was reported twice", pkg, k.metric, k.benchmark)
			}
			results[k] = value
			if !slices.Contains(*order, k) {
				*order = append(*order, k)
			}
		}
	}
	return nil
}

// writeTable writes a table in Markdown: medians of the rounds, and the median and the range of
// the rounds' ratios. It leaves out metrics of another unit, and those that are always zero.
func writeTable(w io.Writer, rounds []round, metrics *regexp.Regexp) error {
	var text strings.Builder
	text.WriteString("| benchmark | metric | before | after | after/before |\n|---|---|---:|---:|---:|\n")
	for _, k := range rounds[0].order {
		if !metrics.MatchString(k.metric) {
			continue
		}
		var before, after, ratios []float64
		for _, r := range rounds {
			b, ok := r.before[k]
			if !ok {
				return fmt.Errorf("%s: before, %s reported no %s", k.pkg, k.benchmark, k.metric)
			}
			a, ok := r.after[k]
			if !ok {
				return fmt.Errorf("%s: after, %s reported no %s", k.pkg, k.benchmark, k.metric)
			}
			before, after = append(before, b), append(after, a)
			if b != 0 {
				ratios = append(ratios, a/b)
			}
		}
		if slices.Max(before) == 0 && slices.Max(after) == 0 {
			continue
		}
		change := "–"
		if len(ratios) == len(rounds) {
			change = fmt.Sprintf("%.3f [%.3f–%.3f]", median(ratios), slices.Min(ratios), slices.Max(ratios))
		}
		name := strings.ReplaceAll(strings.TrimPrefix(k.pkg, "./")+" "+k.benchmark, "|", `\|`)
		fmt.Fprintf(&text, "| %s | %s | %.4g | %.4g | %s |\n", name, k.metric, median(before), median(after), change)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// median returns the median of x, which has a number at least; NaN if it has none.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}
