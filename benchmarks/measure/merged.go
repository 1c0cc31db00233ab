package measure

import "github.com/HdrHistogram/hdrhistogram-go"

// MergedSuffix ends the name of a measure whose percentiles are those of all rounds' calls
// together. The median of the rounds' percentiles is not: a stall in one round of ten is a
// thousandth of all calls, but in no median.
const MergedSuffix = "Merged"

// merged holds the calls of several rounds: how many fell into each bucket. It keeps what is
// not empty; whole histograms of all subjects would let Go collect garbage less often than it
// would have without them.
type merged map[int64]int64

func (m merged) add(h *hdrhistogram.Histogram) {
	for _, bucket := range h.Distribution() {
		if bucket.Count > 0 {
			m[bucket.From] += bucket.Count
		}
	}
}

// histogram returns one of all calls.
func (m merged) histogram() (*hdrhistogram.Histogram, error) {
	h := hdrhistogram.New(1, longest, 3)
	for from, n := range m {
		if err := h.RecordValues(from, n); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// record writes the percentiles of all calls.
func (m merged) record(r *Recorder, name, rest string, procs int) error {
	h, err := m.histogram()
	if err != nil {
		return err
	}
	return r.record(name+MergedSuffix+rest, procs, int(h.TotalCount()), percentiles(h)...)
}
