package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long a command runs before it shows its progress.
const progressDelay = time.Second

// progress shows the progress of a long command on a terminal. A nil one shows nothing.
type progress struct {
	start time.Time
	done  int64
	bar   *progressbar.ProgressBar
	shown bool
}

// newProgress returns nil unless stderr is a terminal and stdout is not: on a terminal
// the output itself shows the progress.
func newProgress(stdout, stderr io.Writer, total int64) *progress {
	if isTerminal(stdout) || !isTerminal(stderr) {
		return nil
	}
	return startProgress(stderr, total)
}

func startProgress(w io.Writer, total int64) *progress {
	bar := progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)
	bar.Reset() // starts its clock
	return &progress{start: time.Now(), bar: bar}
}

// add says that n more are done. It ignores the terminal's errors.
func (p *progress) add(n int) {
	if p == nil {
		return
	}
	p.done += int64(n)
	if p.shown || time.Since(p.start) >= progressDelay {
		p.shown = true
		_ = p.bar.Set64(p.done)
	}
}

// end removes what is shown.
func (p *progress) end() {
	if p != nil && p.shown {
		_ = p.bar.Clear()
	}
}
