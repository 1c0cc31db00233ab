package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/uidgen/uid/benchmarks/measure"
)

// lineEvery is how often a line shows the progress where there is no terminal for a bar.
const lineEvery = 20 * time.Second

// A progress shows how much of the estimated time has passed, and how long the rest takes
// at this pace.
type progress struct {
	out         io.Writer
	bar         *progressbar.ProgressBar // nil where there is no terminal
	total, past time.Duration            // estimated
	began, told time.Time
	phase       string
}

func newProgress(out *os.File, tasks []measure.Task) *progress {
	p := &progress{out: out, began: time.Now()}
	for _, t := range tasks {
		p.total += t.Estimate
	}
	fmt.Fprintf(out, "%d measurements, about %v\n", len(tasks), p.total.Round(time.Second))
	if term.IsTerminal(int(out.Fd())) {
		p.bar = progressbar.NewOptions64(int64(p.total/time.Millisecond),
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(200*time.Millisecond),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

func (p *progress) begin(t measure.Task) {
	now := time.Now()
	changed := t.Phase != p.phase
	p.phase = t.Phase
	switch {
	case p.bar != nil && changed:
		p.bar.Describe(t.Phase)
	case p.bar == nil && (changed || now.Sub(p.told) >= lineEvery):
		p.told = now
		fmt.Fprintf(p.out, "%s: %d %% done, about %v left\n", t.Phase, 100*p.past/max(1, p.total), p.left(now.Sub(p.began)).Round(time.Second))
	}
}

// left returns how long the rest takes at the pace so far.
func (p *progress) left(took time.Duration) time.Duration {
	pace := 1.0
	if p.past > time.Second {
		pace = float64(took) / float64(p.past)
	}
	return time.Duration(float64(p.total-p.past) * pace)
}

func (p *progress) done(t measure.Task) {
	p.past += t.Estimate
	if p.bar != nil {
		_ = p.bar.Set64(int64(p.past / time.Millisecond))
	}
}

// end removes what is shown.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
