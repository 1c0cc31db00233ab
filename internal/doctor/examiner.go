package doctor

import (
	"context"
	"slices"
)

// An Examiner is a store that can say what its servers have that can harm workers: settings that
// lose writes, rights, room. [Check] asks it.
type Examiner interface {
	// Examine makes one attempt, and only reads. What it may not see becomes a note. An error
	// that may pass is marked with worker.Transient.
	Examine(ctx context.Context, cfg Config) ([]Finding, error)
}

// A Row of a list for [Judge] is a finding for what is so. A package that writes such a list makes a type of its
// own of it, so that it can leave out the names of the fields.
type Row struct {
	Is                   bool
	Level                Level // none if this is no finding
	What, Value, Why, Do string
}

// Judge returns, for each What, the first of its rows that is so.
func Judge[R ~struct {
	Is                   bool
	Level                Level
	What, Value, Why, Do string
}](rows ...R) (findings []Finding) {
	var judged []string
	for _, row := range rows {
		r := Row(row)
		if !r.Is || slices.Contains(judged, r.What) {
			continue
		}
		judged = append(judged, r.What)
		if r.Level != "" {
			findings = append(findings, Finding{r.Level, r.What, r.Value, r.Why, r.Do})
		}
	}
	return findings
}
