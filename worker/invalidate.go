package worker

import (
	"fmt"

	"github.com/uidgen/uid"
)

// Invalidate is for a program that learns that it was cloned, or restored from an image of its memory: another process
// may issue the same ticks. When it returns, the generator on w has thrown away every UID that it had ready. It goes on
// as soon as w has leased another ID, for which Invalidate does not wait.
//
// It returns [uid.ErrConfig] for a worker that leases no IDs: close its generator. Any number of goroutines may call
// it, but a lease's OnEvent must not.
func Invalidate(w uid.Worker) error {
	i, can := w.(interface{ Invalidate() error })
	if !can {
		return fmt.Errorf("%w: the worker leases no IDs, so it cannot take another one", uid.ErrConfig)
	}
	return i.Invalidate()
}
