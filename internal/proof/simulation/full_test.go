package simulation

import (
	"encoding/xml"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/marked"
)

const docs = "../../../docs/"

// TestFull simulates a year, and some hours with default settings, and writes what became of them into
// the documents.
func TestFull(t *testing.T) {
	if os.Getenv("UID_SIMULATION") != "full" {
		t.Skip("UID_SIMULATION=full (make simulation) simulates a year, which takes minutes")
	}
	plans := []Plan{Year, Hours}
	began := time.Now()
	var all [][]Result
	for _, plan := range plans {
		results, shared := simulate(t, plan, 0, 1, 2)
		require.Zero(t, shared)
		require.Zero(t, duplicates(results))
		all = append(all, results)
	}
	took := time.Since(began).Round(time.Second)
	table := Table(plans, all)
	t.Logf("\n%s\nin %v", table, took)
	picture, err := Picture("A year of 10,000 processes in three regions", all[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(docs+"fleet.svg", picture, 0o644))
	require.NoError(t, marked.Fill(docs+"fleet.md", "simulation", table+"\n\nOn a machine with other work, that took "+took.String()+"."))
}

// The picture is well-formed and says what its axes are; the table has a column for each region.
func TestReport(t *testing.T) {
	plan := Small
	plan.Length = day
	results, _ := simulate(t, plan, 0, 1)
	picture, err := Picture("A <day>", results)
	require.NoError(t, err)
	d := xml.NewDecoder(strings.NewReader(string(picture)))
	text := ""
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if data, is := token.(xml.CharData); is {
			text += string(data)
		}
	}
	for _, want := range []string{"A <day>", "day", "acquisitions/s,", "renewals/s,", "for a first tick (s)", "region 2: durable, by versions"} {
		require.Contains(t, text, want)
	}
	lines := strings.Split(Table([]Plan{plan}, [][]Result{results}), "\n")
	for _, line := range lines {
		require.Equal(t, 4, strings.Count(line, "|"), line)
	}
	require.Contains(t, lines[0], "a week of a small fleet: durable, by versions")
}
