package disposable

import (
	"log/slog"
	"time"
)

// Config holds the settings of [New]. The zero value works.
type Config struct {
	// Timeout bounds Acquire, all attempts together. The default is the context's deadline, or without one 30 s, up to
	// 3 s for a store that cannot be reached. A negative one is refused.
	Timeout time.Duration

	// LossyStore accepts a store that can lose numbers that it has given out in a crash, which then come twice; else
	// that is [uid.ErrLossy].
	LossyStore bool

	// Host and Port describe this process in the store, to people, at most 64 characters each; uniqueness does not
	// depend on them. Port without Host is refused. When Host is "", both come from the environment (see HostEnv), else
	// Host is the operating system's host name.
	Host, Port string

	// HostEnv and PortEnv name the environment variables that hold a container's host and port. The first that is set
	// and not blank counts; only one of the two is an error. The defaults, for nil, are UID_HOST, JPAAS_HOST and
	// UID_PORT, JPAAS_HTTP_PORT, JPAAS_HOST_PORT_8080.
	HostEnv, PortEnv []string

	// Logger gets an Info record with the ID that was assigned, and Warn records when more than 80 % of the layout's
	// IDs are used and when the store is not available at first. The default is slog.Default at the time of New.
	Logger *slog.Logger

	// Now is the clock that tells whether a generator's floor is still ahead. The default is time.Now.
	Now func() time.Time
}
