package worker

import "github.com/uidgen/uid/health"

// WorkerHealth says that the worker is static: it has no store, and knows of no other IDs.
func (s *static) WorkerHealth() health.Worker { return health.Worker{Kind: "static"} }
