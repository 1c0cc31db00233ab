package measure

import (
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

// LeadLayouts are the layouts whose lead is measured.
var LeadLayouts = []string{"default", "twitter"}

// lead draws at a steady rate and then measures how far the last UID's time is ahead of
// the clock.
func lead(p Profile) []Task {
	var cells []Task
	for _, name := range LeadLayouts {
		for _, rate := range p.LeadRates {
			cells = append(cells, Task{
				Phase: "lead", Estimate: p.LeadFor,
				Run: func(r *Recorder) error {
					layout, err := bits.Preset(name)
					if err != nil {
						return err
					}
					n, took, ahead, err := borrowed(layout, rate, p.LeadFor)
					if err != nil {
						return fmt.Errorf("lead of %s at %g UIDs/s: %w", name, rate, err)
					}
					wish := "full"
					if rate > 0 {
						wish = fmt.Sprintf("%g", rate)
					}
					return r.record(fmt.Sprintf("Lead/layout=%s/rate=%s", name, wish), runtime.GOMAXPROCS(0), n,
						value(float64(n)/took.Seconds(), "IDs/s"),
						value(ahead.Seconds()/took.Seconds(), "lead-s/s"))
				},
			})
		}
	}
	return inRounds(p.Rounds, cells)
}

// borrowed draws for d, at the rate or, if that is 0, as fast as possible.
func borrowed(layout bits.Layout, rate float64, d time.Duration) (n int, took, ahead time.Duration, err error) {
	g, err := cached.New(worker.Static(7), cached.Config{
		Layout: layout, MaxLead: cached.Unbounded, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return 0, 0, 0, err
	}
	defer g.Close()
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
	return n, took, g.Stats().Lead, nil
}
