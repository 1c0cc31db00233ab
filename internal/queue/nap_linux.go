package queue

import (
	"syscall"
	"time"
)

// nap may be cut short by a signal, such as those that the runtime sends to preempt.
func nap(d time.Duration) bool {
	left := syscall.NsecToTimespec(int64(d))
	for {
		err := syscall.Nanosleep(&left, &left)
		if err != syscall.EINTR {
			return err == nil
		}
	}
}
