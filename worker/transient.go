package worker

import "github.com/uidgen/uid/internal/retry"

// Transient marks an error of a store that may pass, a deadlock or a lost connection, so that
// workers try again. They take all other errors for final. The marked error has err's text,
// and wraps it.
func Transient(err error) error { return retry.Transient(err) }

// DefaultTimeout is what a Timeout of 0 stands for in the configurations of workers.
const DefaultTimeout = retry.DefaultTimeout
