package measure

import (
	"fmt"
	"testing"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/benchmarks/subject"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
)

// LeadLayouts are the layouts whose lead is measured.
var LeadLayouts = []string{"default", "twitter"}

// lead draws at a steady rate and then measures how far the last UID's time is ahead of
// the clock.
func lead(p Profile) (cells []cell) {
	for _, layout := range LeadLayouts {
		for _, rate := range p.LeadRates {
			cells = append(cells, cell{
				name: fmt.Sprintf("layout=%s/rate=%s", layout, PaceLabel(rate)),
				measure: func(b *testing.B) (*histogram, error) {
					n, took, ahead, err := borrowed(layout, rate, p.LeadFor)
					b.ReportMetric(float64(n)/took.Seconds(), "IDs/s")
					b.ReportMetric(ahead.Seconds()/took.Seconds(), "lead-s/s")
					return nil, err
				},
			})
		}
	}
	return cells
}

// borrowed draws for d, at the rate or, if that is 0, as fast as possible.
func borrowed(preset string, rate float64, d time.Duration) (n int, took, ahead time.Duration, err error) {
	g, err := subject.NewCached(bits.MustParseLayout(preset), cached.Unbounded)
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { _ = g.Close() }()
	buf := make([]uid.UID, 1024)
	began := time.Now()
	for took < d {
		due := len(buf)
		if rate > 0 {
			if due = min(due, int(rate*took.Seconds())-n); due == 0 {
				time.Sleep(time.Duration(float64(time.Second) / rate))
			}
		}
		got, err := g.Fill(buf[:due])
		if err != nil {
			return 0, 0, 0, err
		}
		n += got
		took = time.Since(began)
	}
	return n, took, g.Health().Lead.Now.Duration, nil
}
