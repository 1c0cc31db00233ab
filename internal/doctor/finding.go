package doctor

import (
	"cmp"
	"context"
	"fmt"

	"github.com/uidgen/uid/internal/retry"
)

// A Level says how much a [Finding] matters.
type Level string

// The levels, in ascending order.
const (
	LevelOK    Level = "ok"    // as it should be
	LevelNote  Level = "note"  // good to know, or unknown
	LevelWarn  Level = "warn"  // may do harm, or wastes IDs
	LevelError Level = "error" // workers fail, or UIDs can come twice
)

// A Finding is the result of one examination of [Check]; without a Level there is none.
type Finding struct {
	Level Level
	// What was examined, in a few words that stay the same, and the Value found, without names of accounts, databases
	// and hosts.
	What, Value string
	// Why it matters and what to Do; both are empty at LevelOK.
	Why, Do string
}

// Fine is the finding for a value that is as it should be; without a Level if the value is "".
func Fine(what, value string) Finding {
	if value == "" {
		return Finding{What: what}
	}
	return Finding{Level: LevelOK, What: what, Value: value}
}

// But returns the finding for a fault, if there is one; for the value "" it keeps that of f. Of several faults the
// first counts: it returns an f that has a fault already.
func (f Finding) But(is bool, l Level, value, why, do string) Finding {
	if !is || f.Level != LevelOK && f.Level != "" {
		return f
	}
	return Finding{l, f.What, cmp.Or(value, f.Value), why, do}
}

// Unknown is the finding if a store does not tell something. It returns an error that may pass.
func Unknown(what string, err error) ([]Finding, error) {
	if retry.IsTransient(err) {
		return nil, err
	}
	return []Finding{{Level: LevelNote, What: what, Value: "could not be told",
		Why: fmt.Sprintf("The store does not say: %v.", err),
		Do:  "Look yourself, or check with an account that may see it."}}, nil
}

// An Examiner is a store that knows more: its servers' settings that lose writes, rights, room. [Check] asks it.
type Examiner interface {
	// Examine makes one attempt, and only reads. A finding that the account may not see becomes a note. An error
	// that may pass is marked with worker.Transient.
	Examine(ctx context.Context, cfg Config) ([]Finding, error)
}
