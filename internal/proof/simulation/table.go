package simulation

import (
	"fmt"
	"strings"
	"time"
)

// Table lists what became of the regions of some plans, a column each, in Markdown.
func Table(plans []Plan, results [][]Result) string {
	var b strings.Builder
	line := func(what string, of func(Plan, Result) string) {
		fmt.Fprintf(&b, "| %s |", what)
		for i, plan := range plans {
			for _, r := range results[i] {
				fmt.Fprintf(&b, " %s |", of(plan, r))
			}
		}
		b.WriteByte('\n')
	}
	number := func(what string, of func(Result) int) {
		line(what, func(_ Plan, r Result) string { return count(int64(of(r))) })
	}
	line("", func(p Plan, r Result) string { return p.Name + ": " + r.Name })
	line("---", func(Plan, Result) string { return "---:" })
	line("Window", func(p Plan, _ Result) string { return short(p.Window) })
	line("processes", func(p Plan, _ Result) string { return count(int64(p.Processes)) })
	number("starts", func(r Result) int { return r.Starts })
	number("restarts of all, one after another", func(r Result) int { return r.Rollings })
	number("restarts of all at once", func(r Result) int { return r.AtOnces })
	number("crashes", func(r Result) int { return r.Crashes })
	number("pauses, a third longer than the lease", func(r Result) int { return r.Pauses })
	number("clock steps, of up to an hour", func(r Result) int { return r.Steps })
	number("outages of the database", func(r Result) int { return r.Outages })
	number("outages of the region", func(r Result) int { return r.Blackouts })
	number("failovers that lose writes", func(r Result) int { return r.Failovers })
	number("replies or writes lost, or late", func(r Result) int { return r.Lost })
	number("calls in vain, the database being down", func(r Result) int { return r.Refused })
	number("leases taken over", func(r Result) int { return r.TakenOver })
	number("leases lost by a running process", func(r Result) int { return r.LostLeases })
	number("acquisitions", func(r Result) int { return sum(r.Days, func(d daily) int { return d.Takes }) })
	number("— most in a second", func(r Result) int { return most(r.Days, func(d daily) int { return d.MostTakes }) })
	number("renewals and releases", func(r Result) int { return sum(r.Days, func(d daily) int { return d.Changes }) })
	line("— a second, on average", func(p Plan, r Result) string {
		return fmt.Sprintf("%.2f", float64(sum(r.Days, func(d daily) int { return d.Changes }))/p.Length.Seconds())
	})
	number("— most in a second", func(r Result) int { return most(r.Days, func(d daily) int { return d.MostChanges }) })
	line("worker IDs used at most, of", func(_ Plan, r Result) string {
		return fmt.Sprintf("%s of %s", count(int64(r.Rows)), count(r.Range.Last-r.Range.First+1))
	})
	line("wait for a first tick, median", func(_ Plan, r Result) string { return wait(percentile(r.Calm, 50)) })
	line("— 99 %", func(_ Plan, r Result) string { return wait(percentile(r.Calm, 99)) })
	line("— longest", func(_ Plan, r Result) string { return wait(percentile(r.Calm, 100)) })
	line("— longest, outages and wrong clocks included", func(_ Plan, r Result) string {
		return wait(max(percentile(r.Calm, 100), percentile(r.Troubled, 100)))
	})
	line("ticks drawn", func(_ Plan, r Result) string { return count(r.Ticks) })
	line("**ticks drawn twice**", func(_ Plan, r Result) string { return "**" + count(r.Duplicates) + "**" })
	return strings.TrimSuffix(b.String(), "\n")
}

// count writes a number with commas.
func count(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short leaves out minutes and seconds that are zero.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// wait writes a duration to three digits or so.
func wait(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return short(d.Round(time.Minute))
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}
