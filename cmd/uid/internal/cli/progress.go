package cli

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long a command runs before it shows its progress.
const progressDelay = time.Second

// A Progress shows the progress of a long command on a terminal. A nil one shows nothing.
type Progress struct {
	start time.Time
	done  int64
	bar   *progressbar.ProgressBar
	shown bool
}

// Progress returns nil unless standard error is a terminal and the output is not: on a terminal the output itself
// shows the progress.
func (p *Program) Progress(total int64) *Progress {
	if isTerminal(p.Stdout) || !isTerminal(p.Stderr) {
		return nil
	}
	return startProgress(p.Stderr, total)
}

func startProgress(w io.Writer, total int64) *Progress {
	bar := progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)
	bar.Reset() // starts its clock
	return &Progress{start: time.Now(), bar: bar}
}

// Add says that n more are done. It ignores the terminal's errors.
func (p *Progress) Add(n int) {
	if p == nil {
		return
	}
	p.done += int64(n)
	if p.shown || time.Since(p.start) >= progressDelay {
		p.shown = true
		_ = p.bar.Set64(p.done)
	}
}

// End removes what is shown.
func (p *Progress) End() {
	if p != nil && p.shown {
		_ = p.bar.Clear()
	}
}
