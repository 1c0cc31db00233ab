package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/marked"
)

// A report is what is printed. Engines report to it at the same time.
type report struct {
	out io.Writer

	mu      sync.Mutex
	lines   []line
	lacking []string // engines that could not be had
	failed  bool
}

// A line is what came of an engine.
type line struct {
	engine, version string
	lossy           []string // by which it can lose what it acknowledges, as it says
	counts
	verdict
	refusedTaken, givenTwice uint64 // duplicates with wrong stores
	skipped                  int64  // holes without a reason, likewise
	loss                     string // the kind of losses
	losses                   lossVerdict
	started, drew, took      time.Duration
	err                      error
}

// missing says that an engine could not be tested.
func (r *report) missing(e engines.Engine, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, "%s: NOT TESTED: %v\n", e.Name, err)
	r.lacking = append(r.lacking, e.Name)
	if !e.Optional {
		r.failed = true
	}
}

// line prints what came of an engine.
func (r *report) line(l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, l)
	fmt.Fprintf(r.out, "%s %s (%.1f s, of which the start %.1f s, drawing %.1f s)\n", l.engine, l.version, l.took.Seconds(), l.started.Seconds(), l.drew.Seconds())
	if len(l.lossy) > 0 {
		fmt.Fprintf(r.out, "  by itself it can lose what it acknowledges: %s\n", strings.Join(l.lossy, "; "))
	}
	fmt.Fprintf(r.out, "  %d processes killed, %d closed, %d paused; %d replies cut; %d servers killed, %d as leaders\n",
		l.kills, l.closes, l.pauses, l.cuts, l.servers, l.leaders)
	fmt.Fprintf(r.out, "  %d numbers of %d segments; %d numbers given back; %d replies lost, of which %d takes were found in the row; next number %d\n",
		l.issued, l.takes, l.given, l.lost, l.kept, l.next)
	fmt.Fprintf(r.out, "  %d numbers skipped, at most %d in hand at an end, %d without a reason; %d duplicates\n", l.holes, l.inHand, l.unexplained, l.doubles)
	fmt.Fprintf(r.out, "  wrong stores: %d and %d duplicates, %d numbers skipped without a reason; %d %s: %d generators lost numbers and noticed, %d went on, %d numbers came twice until then\n",
		l.refusedTaken, l.givenTwice, l.skipped, l.losses.losses, l.loss, l.losses.lost, l.losses.kept, l.losses.doubles)
	if l.err != nil {
		r.failed = true
		fmt.Fprintf(r.out, "  FAILED: %v\n", l.err)
	}
}

// end prints the table, and returns whether all went well.
func (r *report) end() bool {
	fmt.Fprintln(r.out)
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "engine\tnumbers\tsegments\tprocesses killed\tservers killed\tskipped\tin hand at most\tunexplained\tduplicates\tfound when wrong\tlost: noticed/went on\t")
	slices.SortStableFunc(r.lines, func(a, b line) int { return rank(a.engine) - rank(b.engine) })
	for _, l := range r.lines {
		if l.err != nil {
			fmt.Fprintf(w, "%s\tFAILED\t\t\t\t\t\t\t\t\t\t\n", l.engine)
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d, %d, %d\t%d/%d\t\n", l.engine, l.issued, l.takes, l.kills, l.servers,
			l.holes, l.inHand, l.unexplained, l.doubles, l.refusedTaken, l.givenTwice, l.skipped, l.losses.lost, l.losses.kept)
	}
	_ = w.Flush()
	if len(r.lacking) > 0 {
		fmt.Fprintf(r.out, "\nNOT TESTED, for want of a server: %s\n", strings.Join(r.lacking, ", "))
	}
	return !r.failed
}

// write puts the table into a document.
func (r *report) write(path string) error {
	var b strings.Builder
	b.WriteString("| server | numbers | segments | processes killed, closed, paused | servers killed | numbers skipped | of these without a reason | duplicates | after losses: stopped, went on |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, l := range r.lines {
		fmt.Fprintf(&b, "| %s %s | %d | %d | %d, %d, %d | %d | %d | %d | %d | %d, %d |\n", l.engine, l.version, l.issued, l.takes, l.kills, l.closes, l.pauses,
			l.servers, l.holes, l.unexplained, l.doubles, l.losses.lost, l.losses.kept)
	}
	return marked.Fill(path, "segments", strings.TrimSuffix(b.String(), "\n"))
}

// rank is an engine's place in the table.
func rank(name string) int {
	return slices.IndexFunc(all, func(e engines.Engine) bool { return e.Name == name })
}
