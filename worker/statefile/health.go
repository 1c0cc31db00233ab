package statefile

import "github.com/uidgen/uid/health"

var _ health.WorkerReporter = (*File)(nil)

// WorkerHealth says where the state file is. It never waits. Any number of goroutines may call it
// at once.
func (f *File) WorkerHealth() health.Worker { return health.Worker{Kind: "statefile", Place: f.path} }
