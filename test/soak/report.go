package main

import (
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/test/report"
)

// mostShown is how many violations are printed. JSON has all that were recorded.
const mostShown = 20

// write writes the result for people.
func (r *result) write(w io.Writer) {
	t := report.Table{Right: []int{2}}
	count := func(name string, n int64, remark string) { t.Add(0, name, humanize.Comma(n), remark) }
	rate := float64(r.UIDs) / 1e6 / r.Took.Seconds()
	count("UIDs", int64(r.UIDs), fmt.Sprintf("%.1f million a second, %d MB of memory", rate, r.MemoryBytes>>20))
	count("processes", int64(r.Processes),
		fmt.Sprintf("%d at a time, %d of them ended without a generator", len(soakSlots), r.FailedStarts))
	for f, k := range kinds {
		remark := k.remark
		switch fault(f) {
		case kill:
			remark += fmt.Sprintf("; %d processes were drawing then", r.KilledDrawing)
		case vanish:
			remark += fmt.Sprintf("; %d rows went or came", r.RowsVanished)
		case edit:
			remark += fmt.Sprintf("; %d rows were changed", r.RowsEdited)
		}
		count("fault: "+k.name, r.Faults[k.name], remark)
	}
	count("leases taken over", int64(r.LeasesTaken), "from a process that had not released it")
	count("leases lost", int64(r.LeasesLost), "by a process that was paused or cut off, and went on under another ID")
	count("leases asked for", int64(r.LeasesChecked), "after the round: is every tick drawn within what was reserved?")
	count("refused calls", int64(r.RefusedCalls), "nothing reserved, and the database or the namespace away")
	t.Add(0, "slowest call", r.SlowestCall.Round(time.Millisecond).String(),
		fmt.Sprintf("of each %d together, pauses not counted", batch))
	t.Add(0, "longest stall", r.LongestStall.Round(time.Millisecond).String(),
		"without a UID, databases that were away included")
	for k := range harness.Kinds {
		if n := r.Found[k.String()]; n > 0 || k == harness.Duplicate {
			count("found: "+k.String(), int64(n), "")
		}
	}
	count("violations", int64(max(len(r.Violations), int(r.Found[harness.Duplicate.String()]))), "")
	fmt.Fprintf(w, "\n%v\n", &t)
	for _, v := range r.Violations[:min(len(r.Violations), mostShown)] {
		fmt.Fprintln(w, "VIOLATION:", v)
	}
	if n := len(r.Violations); n > mostShown {
		fmt.Fprintf(w, "and %d more\n", n-mostShown)
	}
}
