package worker

import (
	"fmt"
	"path"
	"runtime"
	"strconv"
	"sync"

	"github.com/uidgen/uid"
)

// claims are the IDs under which this process's static workers issue UIDs, or did.
var (
	claims   = map[claim]claimant{}
	claimsMu sync.Mutex
)

// A claim is what only one worker of a process holds.
type claim struct {
	space  string // "" for the one of all workers that name none
	layout string
	id     int64
}

func (c claim) String() string {
	if c.space == "" {
		return fmt.Sprintf("worker ID %d", c.id)
	}
	return fmt.Sprintf("worker ID %d of the space %q", c.id, c.space)
}

type claimant struct {
	made string // where the worker that holds the claim was made, "" when nobody holds it
	next int64  // the first tick above all that were issued, or are ruled out
}

// take claims c for the worker made there, and returns the first tick that it may issue: minTick at least.
func (c claim) take(made string, minTick, maxTick int64) (first int64, err error) {
	claimsMu.Lock()
	defer claimsMu.Unlock()
	h := claims[c]
	first = max(h.next, minTick)
	switch {
	case h.made != "":
		return 0, fmt.Errorf("%w: %v, by the worker made at %s; close its generator first, or name another space",
			uid.ErrWorkerInUse, c, h.made)
	case first > maxTick:
		return 0, fmt.Errorf("%w: %v has used tick %d, the last one is %d", uid.ErrExhausted, c, first-1, maxTick)
	}
	claims[c] = claimant{made, first}
	return first, nil
}

// free ends the claim, which the caller holds: it issued no tick from next on. It returns the first tick that nobody
// issued.
func (c claim) free(next int64) int64 {
	claimsMu.Lock()
	defer claimsMu.Unlock()
	next = max(claims[c].next, next)
	claims[c] = claimant{next: next}
	return next
}

// caller returns where the function that calls it was called: folder/file.go:12.
func caller() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "an unknown place"
	}
	return path.Join(path.Base(path.Dir(file)), path.Base(file)) + ":" + strconv.Itoa(line)
}
