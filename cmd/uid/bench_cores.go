package main

import (
	"cmp"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"github.com/klauspost/cpuid/v2"
)

// coreCounts returns 1, 2, 4 … and most itself.
func coreCounts(most int) (counts []int) {
	for n := 1; n < most; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, most)
}

// coreHeats are what bench --cores compares: each contender that has to do with the cached
// generator, with one goroutine on each of 1, 2, 4 … cores.
func coreHeats(contenders []contender, most int) (heats []*heat) {
	for _, cores := range coreCounts(most) {
		for _, s := range contenders {
			if s.name != "uncached GetUID" {
				heats = append(heats, &heat{contender: s, goroutines: cores, procs: cores})
			}
		}
	}
	return heats
}

// A coresReport is what a user can send in. It tells nothing about him: no name of the
// machine, no path, no address.
type coresReport struct {
	CPU     string        `json:"cpu"`
	Cores   int           `json:"cores"`
	Procs   int           `json:"gomaxprocs"`
	Go      string        `json:"go"`
	GOOS    string        `json:"goos"`
	GOARCH  string        `json:"goarch"`
	Version string        `json:"uid"`
	Rounds  int           `json:"rounds"`
	Seconds float64       `json:"seconds"` // as asked for
	Results []benchResult `json:"results"`
}

func (c *bench) report(results []benchResult) coresReport {
	for i := range results {
		r := &results[i]
		for _, v := range []*float64{&r.NS, &r.Low, &r.High, &r.TimesAdd, &r.TimesLow, &r.TimesHigh} {
			*v = rounded(*v)
		}
	}
	return coresReport{
		CPU: processorName(), Cores: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0),
		Go: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Version: version(),
		Rounds: benchRounds, Seconds: c.length.Seconds(), Results: results,
	}
}

// rounded keeps four significant digits.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return v
}

// processorName returns the processor's model, or what it is called by Go where it does not tell.
func processorName() string {
	words := strings.FieldsFunc(cpuid.CPU.BrandName, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) })
	return cmp.Or(strings.Join(words, " "), runtime.GOARCH)
}

// listCores prints a table and what to send in, or the latter alone, as a program wants it.
func (c *bench) listCores(results []benchResult) {
	r := c.report(results)
	if c.format == asJSON {
		fmt.Fprintf(c.out, "%s\n", c.out.inJSON(r))
		return
	}
	l := newListing(c.out, c.format,
		column{"cores", "cores", true}, column{"call", "", false}, column{"ns", "ns/UID", true},
		column{"ns_low", "from", true}, column{"ns_high", "to", true},
		column{"times_add", "× add", true}, column{"times_add_low", "from", true},
		column{"times_add_high", "to", true}, column{"uids_per_second", "million\nUIDs/s", true})
	for _, x := range r.Results {
		l.add(cell{value: x.Cores}, cell{value: x.Call}, decimal(x.NS), decimal(x.Low), decimal(x.High),
			decimal(x.TimesAdd), decimal(x.TimesLow), decimal(x.TimesHigh), rate(x.NS))
	}
	l.end()
	if c.format == table {
		fmt.Fprintf(c.out, "\nTo send in:\n\n%s\n", r.block(c.out))
	}
}

// block is the report as JSON, with a line for each result.
func (r coresReport) block(out *output) string {
	results := r.Results
	r.Results = nil
	lines := make([]string, len(results))
	for i, x := range results {
		lines[i] = string(out.inJSON(x))
	}
	return strings.TrimSuffix(string(out.inJSON(r)), "null}") + "[\n" + strings.Join(lines, ",\n") + "\n]}"
}
