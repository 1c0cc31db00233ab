package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/marked"
)

// A report is what is printed. Engines report to it at the same time.
type report struct {
	out io.Writer

	mu      sync.Mutex
	lines   []line
	servers []string // that were tested
	lacking []string // that could not be had
	failed  bool
}

// A line is what came of a fault on an engine.
type line struct {
	engine      string
	fault       fault
	faults      int
	sum         crew.Sum
	blindFaults int
	blindFound  uint64
	took        time.Duration
	err         error
}

func (r *report) tested(e engines.Engine, version string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.servers = append(r.servers, e.Name+" "+version)
	fmt.Fprintf(r.out, "%s %s, started in %.1f s\n", e.Name, version, took.Seconds())
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

func (r *report) line(l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, l)
	if l.err != nil {
		r.failed = true
		fmt.Fprintf(r.out, "  %s, %s: FAILED (%.1f s): %v\n", l.engine, l.fault.name, l.took.Seconds(), l.err)
		return
	}
	fmt.Fprintf(r.out, "  %s, %s: %d %s; %v; blind: %d duplicates after %d %s (%.1f s)\n", l.engine, l.fault.name, l.faults, l.fault.unit, l.sum,
		l.blindFound, l.blindFaults, l.fault.unit, l.took.Seconds())
}

// end prints the table, and returns whether all went well.
func (r *report) end() bool {
	fmt.Fprintln(r.out)
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "engine\tfault\tinjected\tUIDs\ttaken over\tlost\tduplicates\tfound when blind\t")
	slices.SortStableFunc(r.lines, func(a, b line) int { return rank(a.engine) - rank(b.engine) })
	for _, l := range r.lines {
		if l.err != nil {
			fmt.Fprintf(w, "%s\t%s\tFAILED\t\t\t\t\t\t\n", l.engine, l.fault.name)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", l.engine, l.fault.name, l.faults, l.sum.Issued, l.sum.TakenOver, l.sum.Lost, l.sum.Doubles, l.blindFound)
	}
	_ = w.Flush()
	fmt.Fprintf(r.out, "\nservers tested: %s\n", strings.Join(r.servers, ", "))
	if len(r.lacking) > 0 {
		fmt.Fprintf(r.out, "NOT TESTED, for want of a server: %s\n", strings.Join(r.lacking, ", "))
	}
	return !r.failed
}

// write puts the table into a document.
func (r *report) write(path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Servers: %s. %d processors, shared by servers and clients.\n\n", strings.Join(r.servers, ", "), runtime.NumCPU())
	b.WriteString("| engine | fault | injected | UIDs | leases taken over | leases lost | duplicates | duplicates when blind |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, l := range r.lines {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %d |\n", l.engine, l.fault.name, l.faults, l.sum.Issued, l.sum.TakenOver, l.sum.Lost, l.sum.Doubles, l.blindFound)
	}
	return marked.Fill(path, "faults", strings.TrimSuffix(b.String(), "\n"))
}

// rank is an engine's place in the table.
func rank(name string) int {
	return slices.IndexFunc(all, func(e engines.Engine) bool { return e.Name == name })
}
