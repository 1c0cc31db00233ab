package worker

import "github.com/uidgen/uid/internal/retry"

// Transient marks an error of a store that may pass, such as a deadlock or a lost connection, so that workers try
// again; they take all others for final. The marked error has err's text and wraps err.
func Transient(err error) error { return retry.Transient(err) }

// Unreachable is [Transient] for a store without an answer: its server refuses connections, say, or its name is
// not known. A start gives up on it in a few seconds rather than 30 s, unless it has a Timeout or a context with a
// deadline.
func Unreachable(err error) error { return retry.Unreachable(err) }
