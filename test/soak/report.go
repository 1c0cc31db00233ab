package main

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"

	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/test/report"
)

// mostShown is how many violations are printed.
const mostShown = 20

// err says whether there are violations.
func (r *result) err() error {
	if len(r.Violations) > 0 || r.Found != [harness.Kinds]uint64{} {
		return errViolations
	}
	return nil
}

// write writes the result for people.
func (r *result) write(w io.Writer) {
	t := report.Table{Right: []int{2}}
	count := func(name string, n int64, remark string) {
		if n > 0 {
			t.Add(0, name, humanize.Comma(n), remark)
		}
	}
	rate := float64(r.UIDs) / 1e6 / r.Took.Seconds()
	count("UIDs", int64(r.UIDs), fmt.Sprintf("%.1f million a second, %d MB of memory", rate, r.MemoryBytes>>20))
	count("processes", int64(r.Processes), fmt.Sprintf("%d of them ended without a generator", r.FailedStarts))
	for f, k := range kinds {
		remark := k.remark
		switch fault(f) {
		case vanish:
			remark += fmt.Sprintf("; %d rows went or came", r.RowsVanished)
		case edit:
			remark += fmt.Sprintf("; %d rows were changed", r.RowsEdited)
		}
		count("fault: "+k.name, r.Faults[f], remark)
	}
	count("leases taken over", int64(r.LeasesTaken), "from a process that had not released it")
	count("leases lost", int64(r.LeasesLost), "by a process that was paused or cut off, and went on under another ID")
	count("leases asked for", int64(r.LeasesChecked), "after the round: is every tick drawn within what was reserved?")
	count("numbers skipped", r.NumbersSkipped, fmt.Sprintf("%d of them without a reason", r.Unexplained))
	count("refused calls", int64(r.RefusedCalls), "nothing reserved, and the database or the namespace away")
	for k, n := range r.Found {
		count("found: "+harness.Kind(k).String(), int64(n), "")
	}
	t.Add(0, "violations", max(len(r.Violations), int(r.Found[harness.Duplicate])), "")
	fmt.Fprintf(w, "\n%v\n", &t)
	for _, v := range r.Violations[:min(len(r.Violations), mostShown)] {
		fmt.Fprintln(w, "VIOLATION:", v)
	}
	if n := len(r.Violations); n > mostShown {
		fmt.Fprintf(w, "and %d more\n", n-mostShown)
	}
}
