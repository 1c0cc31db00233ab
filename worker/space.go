package worker

import (
	"fmt"
	"path"
	"runtime"
	"strconv"
	"sync"

	"github.com/uidgen/uid"
)

// claims are the IDs under which this process's static workers issue UIDs.
var claims = claimants{by: map[claim]claimant{}}

// A claim is what only one worker of a process holds.
type claim struct {
	space  string // "" for the one of all workers that name none
	layout string
	id     int64
}

type claimants struct {
	mu sync.Mutex // guards the map
	by map[claim]claimant
}

type claimant struct {
	made string // where the worker that holds the claim was made, "" when nobody holds it
	last int64  // the largest tick issued, -1 for none
}

// take claims c for the worker made there, and returns the largest tick issued under it, -1 for none.
func (k *claimants) take(c claim, made string) (last int64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h, known := k.by[c]
	switch {
	case h.made != "":
		return 0, fmt.Errorf("%w: worker ID %d of the space %q, by the worker made at %s; "+
			"close its generator first, or name another space", uid.ErrWorkerInUse, c.id, c.space, h.made)
	case !known:
		h.last = -1
	}
	h.made = made
	k.by[c] = h
	return h.last, nil
}

// free ends the claim, which the caller holds. last is the largest tick that it issued, -1 for none.
func (k *claimants) free(c claim, last int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	last = max(k.by[c].last, last)
	if last < 0 {
		delete(k.by, c)
		return
	}
	k.by[c] = claimant{last: last}
}

// caller returns where the function that calls it was called: folder/file.go:12.
func caller() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "an unknown place"
	}
	return path.Join(path.Base(path.Dir(file)), path.Base(file)) + ":" + strconv.Itoa(line)
}
