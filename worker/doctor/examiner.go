package doctor

import "context"

// An Examiner is a store that can say what its servers have that can harm workers: settings that
// lose writes, rights, room. [Check] asks it.
type Examiner interface {
	// Examine makes one attempt, and only reads. What it may not see becomes a note. An error
	// that may pass is marked with worker.Transient.
	Examine(ctx context.Context, cfg Config) ([]Finding, error)
}
