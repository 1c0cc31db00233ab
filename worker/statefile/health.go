package statefile

import "github.com/uidgen/uid/health"

var _ health.WorkerReporter = (*file)(nil)

// WorkerHealth says where the state file is. It never waits. Any number of goroutines may call it
// at once.
func (f *file) WorkerHealth() health.Worker { return health.Worker{Kind: "statefile", Place: f.path} }
