package lease

import (
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/workerid"
)

var _ health.WorkerReporter = (*lessee)(nil)

// WorkerHealth says which store the lease is in, when it ends if it is not renewed, and the place of
// its worker ID among those of the namespace: at most a quarter fewer, and 16, were needed at once. It
// returns what the last call of the generator left, and never waits. Any number of goroutines may call
// it at once.
func (l *lessee) WorkerHealth() health.Worker {
	if w := l.health.Load(); w != nil {
		return *w
	}
	return health.Worker{Kind: "lease", Place: l.store.Name(), Store: l.store}
}

// publishHealth sets what WorkerHealth returns. It is called at the end of the generator's calls.
func (l *lessee) publishHealth() {
	w := health.Worker{Kind: "lease", Place: l.store.Name(), Store: l.store}
	if held := l.lease; held != nil {
		w.Ahead = held.ahead
		if !held.at.IsZero() && !held.resumed { // it is not known when a resumed one was renewed
			w.Ends = l.now().Add(l.cfg.TTL - l.clock().Sub(held.at))
		}
		if ids := held.ids; ids != (Range{}) {
			w.IDs = &health.IDs{Taken: held.id - ids.First + 1, Total: ids.Last - ids.First + 1,
				Low: workerid.Low(held.id-ids.First, ids.Last-ids.First)}
		}
	}
	l.health.Store(&w)
}
