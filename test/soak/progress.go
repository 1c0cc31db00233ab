package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a line on a terminal. A nil one shows nothing.
type progress struct {
	bar           *progressbar.ProgressBar
	round, length time.Duration
}

// newProgress returns nil unless stderr is a terminal.
func newProgress(round, length time.Duration) *progress {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil
	}
	return &progress{round: round, length: length, bar: progressbar.NewOptions64(int64(length/time.Second),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

func (p *progress) update(round int, passed time.Duration, drawn uint64, f *fleet) {
	if p == nil {
		return
	}
	verdict := "no violation"
	if f.memory.AnyFound() {
		verdict = "VIOLATIONS"
	}
	p.bar.Describe(fmt.Sprintf("%s million UIDs, %d kills, %d pauses, %d server kills, %s",
		count(drawn/1e6), f.injected[kill].Load(), f.injected[pause].Load(), f.injected[serverKill].Load(), verdict))
	_ = p.bar.Set64(int64(min(time.Duration(round)*p.round+passed, p.length) / time.Second))
}

func (p *progress) end() {
	if p != nil {
		_ = p.bar.Clear()
	}
}
