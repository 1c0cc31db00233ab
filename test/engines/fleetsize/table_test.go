package fleetsize

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/report"
)

// measured is what was measured of a kind of server.
type measured struct {
	name string

	near        started
	steady      time.Duration
	cpu         float64 // processors
	counted     int64   // statements or requests while steady
	takes       []time.Duration
	renewals    []time.Duration // while steady
	far         started
	farRenewals []time.Duration
	startBytes  int64
	renewBytes  int64
}

// table writes a table of all that was measured; into the documents, too, if it is the full run.
func table(t *testing.T, size size, load string, all []measured, document bool) {
	t.Helper()
	var b strings.Builder
	line := func(what string, of func(measured) string) {
		fmt.Fprintf(&b, "| %s |", what)
		for _, m := range all {
			fmt.Fprintf(&b, " %s |", of(m))
		}
		b.WriteByte('\n')
	}
	rate := func(n int, d time.Duration) string { return fmt.Sprintf("%.0f", float64(n)/d.Seconds()) }
	line("", func(m measured) string { return m.name })
	line("---", func(measured) string { return "---:" })
	line("all have an ID after", func(m measured) string { return short(slices.Max(m.near.Acquired)) })
	line("all have drawn a UID after", func(m measured) string { return short(slices.Max(m.near.Drew)) })
	line("an acquisition: median, 99 %", func(m measured) string { return percentiles(m.takes) })
	line("renewals a second", func(m measured) string { return rate(len(m.renewals), m.steady) })
	line("a renewal: median, 99 %", func(m measured) string { return percentiles(m.renewals) })
	line("statements or requests for a renewal", func(m measured) string {
		return fmt.Sprintf("%.1f", float64(m.counted)/float64(len(m.renewals)))
	})
	line("the servers' processor time, of one core", func(m measured) string { return fmt.Sprintf("%.1f %%", 100*m.cpu) })
	line("far away: all have an ID after", func(m measured) string { return short(slices.Max(m.far.Acquired)) })
	line("— half of them after", func(m measured) string { return short(percentile(m.far.Acquired, 50)) })
	line("— all have drawn a UID after", func(m measured) string { return short(slices.Max(m.far.Drew)) })
	line("— a renewal: median, 99 %", func(m measured) string { return percentiles(m.farRenewals) })
	line("— bytes for a start, connections included", func(m measured) string {
		return fmt.Sprint(m.startBytes / int64(len(m.far.IDs)))
	})
	line("— bytes for a renewal", func(m measured) string {
		return fmt.Sprint(m.renewBytes / int64(max(1, len(m.farRenewals))))
	})
	text := fmt.Sprintf("%d leases in %d processes with up to %d connections each, a `Window` of %v; %d processors (%s), shared by servers and clients; load average of the minute before: %s.\n\n%s",
		size.processes*size.leases, size.processes, connections, size.window, runtime.NumCPU(), runtime.GOARCH, load, strings.TrimSuffix(b.String(), "\n"))
	t.Logf("\n%s", text)
	if document {
		require.NoError(t, report.Fill("../../../docs/fleet.md", "engines", text))
	}
}

// load returns the average number of running processes in the last minute, as text.
func load(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/loadavg")
	require.NoError(t, err)
	average, _, _ := strings.Cut(string(text), " ")
	return average
}

func percentile(all []time.Duration, p int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)*p/100, len(all)-1)]
}

func percentiles(all []time.Duration) string {
	return short(percentile(all, 50)) + ", " + short(percentile(all, 99))
}

// short writes a duration to two digits or so.
func short(d time.Duration) string {
	if d >= time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}
