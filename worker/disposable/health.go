package disposable

import (
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/workerid"
)

var _ health.WorkerReporter = (*disposable)(nil)

// WorkerHealth says where the numbers come from, and how many of the layout's worker IDs were used
// up when this one was taken. It never waits. Any number of goroutines may call it at once.
func (d *disposable) WorkerHealth() health.Worker {
	w := health.Worker{Kind: "disposable", Place: d.numbers.Name()}
	if most, id := d.most.Load(), d.id.Load(); most > 0 && id > 0 {
		w.IDs = &health.IDs{Taken: id, Total: most, Low: workerid.Low(id, most)}
	}
	return w
}
