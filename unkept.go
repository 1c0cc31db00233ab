package uid

import (
	"fmt"
	"time"
)

// An UnkeptError is what CloseContext returns, and Close logs, when UIDs were ahead of the clock and the worker keeps
// nothing, as worker.Static. The worker is released.
type UnkeptError struct {
	WorkerID int64
	// Until is when the clock is past them: no other process may begin with the ID before.
	Until time.Time
}

func (e *UnkeptError) Error() string {
	return fmt.Sprintf("nothing keeps what worker ID %d issued: no process may begin with it before %s",
		e.WorkerID, e.Until.UTC().Format(time.RFC3339Nano))
}
