package worker

import "github.com/uidgen/uid/internal/retry"

// Transient marks an error of a store that may pass, such as a deadlock or a lost connection, so
// that workers try again. They take all other errors for final. The marked error has err's text
// and wraps err.
func Transient(err error) error { return retry.Transient(err) }

// DefaultTimeout is the Timeout that workers use when their configuration leaves it 0.
const DefaultTimeout = retry.DefaultTimeout
