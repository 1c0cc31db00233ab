package measure

import (
	"strconv"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/uidgen/uid/benchmarks/subject"
)

// Percentiles are reported where there are enough samples for them. So is the longest call.
var Percentiles = []float64{50, 90, 99, 99.9, 99.99}

// LongestUnit is the unit of the longest call of a round.
const LongestUnit = "max-ns"

// PercentileUnit returns the unit of a percentile.
func PercentileUnit(q float64) string { return "p" + strconv.FormatFloat(q, 'f', -1, 64) + "-ns" }

// percentiles reports those with at least one sample above them, the longest call, and how many there were.
func percentiles(b *testing.B, h *histogram) {
	for _, q := range Percentiles {
		if float64(h.TotalCount())*(100-q) >= 100*(1-1e-9) {
			b.ReportMetric(float64(h.ValueAtPercentile(q)), PercentileUnit(q))
		}
	}
	b.ReportMetric(float64(h.Max()), LongestUnit)
	b.ReportMetric(float64(h.TotalCount()), "calls")
}

// NoCall is a subject whose call does nothing. Its time is the cost of the timer, which is
// part of every other time.
var NoCall = subject.Subject{
	Name: "nothing", Label: "nothing but the timer", Kind: subject.Limit,
	Open: func() (subject.Source, error) { return noCall{}, nil },
}

type noCall struct{}

func (noCall) Draw(int) error           { return nil }
func (noCall) Keys([]subject.Key) error { return nil }

// A histogram counts calls by how long they took.
type histogram = hdrhistogram.Histogram

// newCalls returns a histogram of calls that take an hour at most.
func newCalls() *histogram { return hdrhistogram.New(1, int64(time.Hour), 3) }

// call times a call. It returns when it ended.
func call(d subject.Drawer, h *histogram, began time.Time) (end time.Duration, err error) {
	before := time.Since(began)
	err = d.Draw(1)
	end = time.Since(began)
	if err == nil {
		err = h.RecordValue(int64(end - before))
	}
	return end, err
}

// calling has goroutines time calls, each into a histogram of its own, and returns all of them
// together.
func calling(goroutines int, f func(i int, h *histogram, began time.Time) error) (
	all *histogram, took time.Duration, err error,
) {
	of := make([]*histogram, goroutines)
	for i := range of {
		of[i] = newCalls()
	}
	took, err = together(goroutines, func(i int, began time.Time) error { return f(i, of[i], began) })
	for _, h := range of[1:] {
		of[0].Merge(h)
	}
	return of[0], took, err
}

// MergedSuffix ends the name of a measure whose percentiles are those of all rounds' calls
// together. The median of the rounds' percentiles is not: a stall in one round of ten is a
// thousandth of all calls, but in no median.
const MergedSuffix = "Merged"

// merged holds the calls of several rounds: how many fell into each bucket. It keeps what is
// not empty; whole histograms of all subjects would let Go collect garbage less often than it
// would have without them.
type merged map[int64]int64

func (m merged) add(h *histogram) {
	for _, bucket := range h.Distribution() {
		if bucket.Count > 0 {
			m[bucket.From] += bucket.Count
		}
	}
}

func (m merged) histogram() *histogram {
	h := newCalls()
	for from, n := range m {
		_ = h.RecordValues(from, n) // which came from one of the same range
	}
	return h
}
