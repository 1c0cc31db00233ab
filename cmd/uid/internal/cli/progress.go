package cli

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long a command runs before it shows its progress.
const progressDelay = time.Second

// Progress returns a bar that shows the progress of a long command.
func (p *Program) Progress(total int64) *progressbar.ProgressBar {
	return startProgress(p.progressTo(), total)
}

// progressTo is standard error if that is a terminal and the output is not: on a terminal the output itself shows the
// progress.
func (p *Program) progressTo() io.Writer {
	if isTerminal(p.Stdout) || !isTerminal(p.Stderr) {
		return io.Discard
	}
	return p.Stderr
}

func startProgress(w io.Writer, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(late{w, time.Now()}),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)
}

// A late writer drops what is written of a short run.
type late struct {
	io.Writer
	began time.Time
}

func (l late) Write(b []byte) (int, error) {
	if time.Since(l.began) < progressDelay {
		return len(b), nil
	}
	return l.Writer.Write(b)
}
