package worker

import (
	"fmt"
	"log/slog"
	"path"
	"runtime"
	"strconv"
	"sync"
	"weak"

	"github.com/uidgen/uid"
)

// claims are the IDs under which this process's static workers issue UIDs.
var claims = claimants{by: map[claim]*claimant{}}

// A claim is what only one worker of a process should hold.
type claim struct {
	space  string // "" for workers without one
	layout string
	id     int64
}

type claimants struct {
	mu sync.Mutex // guards the map and what it leads to
	by map[claim]*claimant
}

// A claimant is the worker that holds a claim. The pointer is weak: a worker that is garbage
// together with its generator holds nothing.
type claimant struct {
	worker weak.Pointer[static] // nil: nobody
	made   string               // where the worker was made
	last   int64                // the largest tick issued in a space, -1 for none
	warned bool                 // another worker without a space had the same claim
}

// take claims c for s, and returns the largest tick issued under it, -1 for none. In a space, a
// claim that another worker holds is an error. Without one two workers may well serve two tables,
// which is a warning, once.
func (k *claimants) take(c claim, s *static) (last int64, err error) {
	before, held := k.hold(c, s)
	switch {
	case held:
		return before.last, nil
	case c.space != "":
		return 0, fmt.Errorf("%w: worker ID %d of the space %q, by the worker made at %s",
			uid.ErrWorkerInUse, c.id, c.space, before.made)
	case !before.warned:
		slog.Default().Warn("uid: two generators have the same static worker ID, and can issue equal UIDs; "+
			"if that is right, give each of them a space, at worker.Static",
			"worker_id", c.id, "layout", c.layout, "first", before.made, "second", s.made)
	}
	return -1, nil
}

// hold makes s the holder of c, unless another worker is. It returns what was there before.
func (k *claimants) hold(c claim, s *static) (before claimant, held bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.by[c]
	if h == nil {
		h = &claimant{last: -1}
		k.by[c] = h
	}
	before = *h
	if h.worker.Value() != nil {
		h.warned = h.warned || c.space == ""
		return before, false
	}
	h.worker, h.made = weak.Make(s), s.made
	s.dropped = runtime.AddCleanup(s, func(garbage weak.Pointer[static]) { k.free(c, garbage, -1) }, h.worker)
	return before, true
}

// free ends s's claim, if it holds it. last is the largest tick that it issued, -1 for none.
func (k *claimants) free(c claim, s weak.Pointer[static], last int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.by[c]
	if h == nil || h.worker != s {
		return
	}
	h.worker = weak.Pointer[static]{}
	if c.space != "" {
		h.last = max(h.last, last)
	}
	if h.last < 0 && !h.warned {
		delete(k.by, c)
	}
}

// caller returns where the function that calls it was called: folder/file.go:12.
func caller() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "an unknown place"
	}
	return path.Join(path.Base(path.Dir(file)), path.Base(file)) + ":" + strconv.Itoa(line)
}
