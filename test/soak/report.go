package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/uidgen/uid/test/record"
)

// A report is all that a run has to tell.
type report struct {
	Seed     uint64        `json:"seed"`
	For      time.Duration `json:"forNs"`
	SelfTest []finding     `json:"selfTest"`
	result
	OK bool `json:"ok"`
}

// add adds the next round to what came of those before.
func (r *result) add(next result) {
	r.Rounds += next.Rounds
	r.UIDs += next.UIDs
	r.Slots = next.Slots
	r.Processes += next.Processes
	r.FailedStarts += next.FailedStarts
	r.KilledDrawing += next.KilledDrawing
	r.LeasesLost += next.LeasesLost
	r.LeasesTaken += next.LeasesTaken
	r.RefusedCalls += next.RefusedCalls
	r.LeasesChecked += next.LeasesChecked
	r.RowsVanished += next.RowsVanished
	r.RowsEdited += next.RowsEdited
	r.Duplicates += next.Duplicates
	for name, n := range next.Faults {
		r.Faults[name] += n
	}
	for name, n := range next.Found {
		r.Found[name] += n
	}
	for i, s := range next.BySlot {
		if i == len(r.BySlot) {
			r.BySlot = append(r.BySlot, slotResult{Slot: s.Slot})
		}
		sum := &r.BySlot[i]
		sum.UIDs += s.UIDs
		sum.RefusedCalls += s.RefusedCalls
		sum.SlowestCall = max(sum.SlowestCall, s.SlowestCall)
		sum.LongestStall = max(sum.LongestStall, s.LongestStall)
	}
	r.Violations = append(r.Violations, next.Violations...)
	r.SlowestCall = max(r.SlowestCall, next.SlowestCall)
	r.LongestStall = max(r.LongestStall, next.LongestStall)
	r.MemoryBytes = max(r.MemoryBytes, next.MemoryBytes)
	r.Took += next.Took
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// mostShown is how many violations are printed. JSON has all that were recorded.
const mostShown = 20

func (r *report) writeText(w io.Writer) {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.SeparateColumns = false
	t.Style().Options.DrawBorder = false
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight}})
	row := func(name, value, remark string) { t.AppendRow(table.Row{name, value, remark}) }
	row("UIDs", count(r.UIDs), fmt.Sprintf("%.1f million a second, %d MB of memory", float64(r.UIDs)/1e6/r.Took.Seconds(), r.MemoryBytes>>20))
	row("processes", count(uint64(r.Processes)), fmt.Sprintf("%d at a time, %d of them ended without a generator", r.Slots, r.FailedStarts))
	for f := range faults {
		remark := remarks[f]
		switch f {
		case kill:
			remark += fmt.Sprintf("; %d processes were drawing then", r.KilledDrawing)
		case vanish:
			remark += fmt.Sprintf("; %d rows went or came", r.RowsVanished)
		case edit:
			remark += fmt.Sprintf("; %d rows were changed", r.RowsEdited)
		}
		row(plurals[f], count(uint64(r.Faults[f.String()])), remark)
	}
	row("leases taken over", count(r.LeasesTaken), "from a process that had not released it")
	row("leases lost", count(r.LeasesLost), "by a process that was paused, cut off or forgotten, and went on under another ID")
	row("leases asked for", count(uint64(r.LeasesChecked)), "after the round: is every tick drawn within what was reserved?")
	row("refused calls", count(r.RefusedCalls), "nothing reserved, and the database or the namespace away")
	row("slowest call", r.SlowestCall.Round(time.Millisecond).String(), fmt.Sprintf("of each %d together, pauses not counted", batch))
	row("longest stall", r.LongestStall.Round(time.Millisecond).String(), "without a UID, databases that were away included")
	t.AppendSeparator()
	row("duplicates", count(r.Duplicates), "")
	for k := range record.Kinds {
		if n := r.Found[k.String()]; n > 0 && k != record.Duplicate {
			row(k.String(), count(n), "")
		}
	}
	row("violations", count(uint64(max(len(r.Violations), int(r.Duplicates)))), "")
	fmt.Fprintf(w, "\n%s\n", t.Render())
	for _, v := range r.Violations[:min(len(r.Violations), mostShown)] {
		fmt.Fprintln(w, "VIOLATION:", v)
	}
	if n := len(r.Violations); n > mostShown {
		fmt.Fprintf(w, "and %d more\n", n-mostShown)
	}
}

var plurals = [faults]string{
	kill: "kills", pause: "pauses", restart: "restarts", setClock: "clock steps", serverKill: "server kills", cut: "cuts",
	delay: "delays", swallowReply: "lost replies", swallowCommit: "lost commits", failover: "failovers",
	rename: "renames", truncate: "truncates", restore: "restores", vanish: "rows away", edit: "edits",
}

var remarks = [faults]string{
	kill:          "kill -9",
	pause:         "SIGSTOP past the end of a lease",
	restart:       "in good order",
	setClock:      "steps of a process's clock, either way",
	serverKill:    "kill -9 of MariaDB",
	cut:           "all connections to a server",
	delay:         "slow replies for some time",
	swallowReply:  "a write was stored, and nobody told",
	swallowCommit: "a write that never arrived",
	failover:      "to a replica without the last commits",
	rename:        "of a table of leases, and back within a second",
	truncate:      "of a table of leases, whose namespace begins anew and rests",
	restore:       "of a table of leases as it was seconds before",
	vanish:        "all rows of a namespace's IDs, and back within a second",
	edit:          "of a lease's end, holder or last tick",
}

// count writes a number with a comma every three digits.
func count(n uint64) string {
	digits := fmt.Sprint(n)
	var parts []string
	for len(digits) > 3 {
		parts = append(parts, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	parts = append(parts, digits)
	slices.Reverse(parts)
	return strings.Join(parts, ",")
}
