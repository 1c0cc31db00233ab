package lease

import (
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/workerid"
)

var _ health.WorkerReporter = (*lease)(nil)

// WorkerHealth says which store the lease is in, when it ends if it is not renewed, and the place of
// its worker ID among those of the namespace: at most a quarter fewer, and 16, were needed at once. It
// returns what the last call of the generator left, and never waits. Any number of goroutines may call
// it at once.
func (l *lease) WorkerHealth() health.Worker {
	if w := l.health.Load(); w != nil {
		return *w
	}
	return health.Worker{Kind: "lease", Place: l.store.Name()}
}

// tell publishes what WorkerHealth returns. It is called at the end of the generator's calls.
func (l *lease) tell() {
	w := health.Worker{Kind: "lease", Place: l.store.Name()}
	if h := l.hold; h != nil && !h.at.IsZero() && !h.resumed { // nobody here knows when a resumed one was renewed
		w.Ends = l.now().Add(l.cfg.TTL - l.clock().Sub(h.at))
	}
	if h := l.hold; h != nil {
		w.Ahead = h.ahead
	}
	if h := l.hold; h != nil && h.ids != (Range{}) {
		w.IDs = &health.IDs{
			Taken: h.id - h.ids.First + 1, Total: h.ids.Last - h.ids.First + 1,
			Low: workerid.Low(h.id-h.ids.First, h.ids.Last-h.ids.First),
		}
	}
	l.health.Store(&w)
}
