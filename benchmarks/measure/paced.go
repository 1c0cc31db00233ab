package measure

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/uidgen/uid/benchmarks/subject"
)

// pacedGoroutines is how many goroutines draw at a pace.
const pacedGoroutines = 8

// wakes is the shortest pause of a goroutine that is ahead of its pace. What has become due
// meanwhile it draws at once.
const wakes = time.Millisecond

// settled is how long a server must hear nothing to be done with what it was asked.
const settled = 10 * time.Millisecond

// paced draws from servers at a pace, counts their round trips, and times single calls. Each source
// stays open from the first round to the last, so that its steps adapt as in a process that runs on.
func paced(p Profile, subjects []subject.Subject) []Task {
	var cells []Task
	for _, s := range append(slices.Clone(subjects), NoCall) {
		if s.Batches || s.Engine == subject.NoEngine && s.Name != NoCall.Name {
			continue
		}
		for _, pace := range p.Paces {
			cells = append(cells, pacedCell(p, s, pace))
		}
	}
	return inRounds(p.Rounds, cells)
}

// pacedCell returns a task to be run once in each round.
func pacedCell(p Profile, s subject.Subject, pace float64) Task {
	var source *pacedSource
	round, all := 0, make(merged)
	return Task{
		Phase: "paced", Estimate: p.PacedFor + 3*settled,
		Run: func(r *Recorder) (err error) {
			if source == nil {
				source, err = openPaced(s)
			}
			if err == nil {
				err = source.measure(r, pace, p.PacedFor, all)
			}
			if round++; err == nil && round == p.Rounds {
				err = all.record(r, "Paced", pacedRest(s, pace), runtime.GOMAXPROCS(0))
			}
			if source != nil && (err != nil || round == p.Rounds) {
				err = errors.Join(err, source.src.Close())
				source = nil
			}
			if err != nil {
				return fmt.Errorf("%s at %s/s: %w", s.Name, PaceLabel(pace), err)
			}
			return nil
		},
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
	src     subject.Source
	drawers []subject.Drawer
}

// openPaced draws a first number, before anything is counted.
func openPaced(s subject.Subject) (*pacedSource, error) {
	src, err := s.Open()
	if err != nil {
		return nil, err
	}
	p := &pacedSource{subject: s, src: src}
	for range pacedGoroutines {
		p.drawers = append(p.drawers, src.Drawer())
	}
	if err := p.drawers[0].Draw(1); err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return p, nil
}

// The units of what a paced source is asked for.
const (
	TripsUnit = "round-trips"
	StepUnit  = "step"
)

// pacedRest is the rest of a name in results.
func pacedRest(s subject.Subject, pace float64) string {
	return fmt.Sprintf("/subject=%s/rate=%s", s.Name, PaceLabel(pace))
}

// measure records a round, and adds its calls to those of all.
func (p *pacedSource) measure(r *Recorder, pace float64, d time.Duration, all merged) error {
	before, err := p.trips()
	if err != nil {
		return err
	}
	h, took, err := p.draw(pace, d)
	if err != nil {
		return err
	}
	after, err := p.trips()
	if err != nil {
		return err
	}
	all.add(h)
	n := h.TotalCount()
	values := append(percentiles(h), value(float64(n)/took.Seconds(), "IDs/s"), value(float64(n), "IDs"))
	if p.subject.Trips != nil {
		values = append(values, value(float64(after-before), TripsUnit))
	}
	if s, ok := p.src.(subject.Stepper); ok {
		values = append(values, value(float64(s.Step()), StepUnit))
	}
	return r.record("Paced"+pacedRest(p.subject, pace), runtime.GOMAXPROCS(0), int(n), values...)
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

// draw draws for d, at the pace of all goroutines together or, if that is 0, as fast as possible,
// and times every call. A goroutine that was kept waiting draws what has become due meanwhile, one
// call after another.
func (p *pacedSource) draw(pace float64, d time.Duration) (_ *hdrhistogram.Histogram, took time.Duration, err error) {
	var (
		ended    sync.WaitGroup
		of       = make([]*hdrhistogram.Histogram, len(p.drawers))
		errs     = make([]error, len(p.drawers))
		begin    = make(chan struct{})
		epoch    time.Time // one monotonic clock for all
		interval float64   // of a goroutine's calls
	)
	if pace > 0 {
		interval = float64(time.Second) * float64(len(p.drawers)) / pace
	}
	for i, draw := range p.drawers {
		of[i] = hdrhistogram.New(1, longest, 3)
		ended.Go(func() {
			h := of[i]
			offset := interval * float64(i) / float64(len(p.drawers)) // they take turns
			<-begin
			for n := 0; errs[i] == nil; {
				due := time.Duration(offset + interval*float64(n))
				before := time.Since(epoch)
				if before >= d && n > 0 { // once at least: a short d may be over before it ran
					return
				}
				if due > before {
					time.Sleep(max(due-before, wakes))
					continue
				}
				err := draw.Draw(1)
				after := time.Since(epoch)
				if err == nil {
					err = h.RecordValue(int64(after - before))
				}
				errs[i] = err
				n++
			}
		})
	}
	epoch = time.Now()
	close(begin)
	ended.Wait()
	took = time.Since(epoch)
	if err := errors.Join(errs...); err != nil {
		return nil, 0, err
	}
	for _, h := range of[1:] {
		of[0].Merge(h)
	}
	return of[0], took, nil
}
