package measure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// The units of what a paced source is asked for.
const (
	TripsUnit = "round-trips"
	StepUnit  = "step"
)

const (
	// pacedGoroutines is how many goroutines draw at a pace.
	pacedGoroutines = 8
	// wakes is the shortest pause of a goroutine that is ahead of its pace. What has become due
	// meanwhile it draws at once.
	wakes = time.Millisecond
	// settled is how long a server must hear nothing to be done with what it was asked.
	settled = 10 * time.Millisecond
)

// paced draws from servers at a pace, counts their round trips, and times single calls. Each source
// stays open from the first round to the last, so that its steps adapt as in a process that runs on:
// close closes all of them.
func paced(p Profile, subjects []subject.Subject) (cells []cell, closeAll func() error) {
	var sources []*pacedSource
	for _, s := range append(slices.Clone(subjects), NoCall) {
		if s.Batches || s.Engine == subject.NoEngine && s.Name != NoCall.Name {
			continue
		}
		for _, pace := range p.Paces {
			source := &pacedSource{subject: s}
			sources = append(sources, source)
			cells = append(cells, cell{
				name: fmt.Sprintf("subject=%s/rate=%s", s.Name, PaceLabel(pace)),
				measure: func(b *testing.B) (*histogram, error) {
					return source.measure(b, pace, p.PacedFor)
				},
			})
		}
	}
	return cells, func() (err error) {
		for _, s := range sources {
			if s.src != nil {
				err = errors.Join(err, subject.Close(s.src))
			}
		}
		return err
	}
}

// PaceLabel returns a pace as results have it: numbers a second, or full for as many as it can.
func PaceLabel(pace float64) string {
	if pace == 0 {
		return "full"
	}
	return strconv.FormatFloat(pace, 'f', -1, 64)
}

type pacedSource struct {
	subject subject.Subject
	src     subject.Source // nil before the first round
	draw    []subject.Drawer
}

func (p *pacedSource) measure(b *testing.B, pace float64, d time.Duration) (_ *histogram, err error) {
	if p.src == nil {
		if p.src, p.draw, err = open(p.subject, pacedGoroutines); err != nil {
			return nil, err
		}
	}
	before, err := p.trips()
	if err != nil {
		return nil, err
	}
	h, took, err := atPace(p.draw, pace, d)
	if err != nil {
		return nil, err
	}
	after, err := p.trips()
	n := float64(h.TotalCount())
	b.ReportMetric(n/took.Seconds(), "IDs/s")
	b.ReportMetric(n, "IDs")
	if p.subject.Trips != nil {
		b.ReportMetric(float64(after-before), TripsUnit)
	}
	if s, ok := p.src.(subject.Stepper); ok {
		b.ReportMetric(float64(s.Step()), StepUnit)
	}
	return h, err
}

// trips returns the round trips so far, once the server hears nothing any more: a source may ask for
// its next numbers after the last call.
func (p *pacedSource) trips() (n int64, err error) {
	if p.subject.Trips == nil {
		return 0, nil
	}
	for was := int64(-1); ; was = n {
		if n, err = p.subject.Trips(); err != nil || n == was {
			return n, err
		}
		time.Sleep(settled)
	}
}

// atPace draws for d, at the pace of all goroutines together or, if that is 0, as fast as possible,
// and times every call. A goroutine that was kept waiting draws what has become due meanwhile, one
// call after another.
func atPace(draw []subject.Drawer, pace float64, d time.Duration) (*histogram, time.Duration, error) {
	interval := 0.0 // of a goroutine's calls
	if pace > 0 {
		interval = float64(time.Second) * float64(len(draw)) / pace
	}
	return calling(len(draw), func(i int, h *histogram, began time.Time) (err error) {
		offset := interval * float64(i) / float64(len(draw)) // they take turns
		for n := 0; err == nil; {
			now, due := time.Since(began), time.Duration(offset+interval*float64(n))
			if now >= d && n > 0 { // once at least: a short d may be over before it ran
				return nil
			}
			if due > now {
				time.Sleep(max(due-now, wakes))
				continue
			}
			_, err = call(draw[i], h, began)
			n++
		}
		return err
	})
}
