//go:build race

package tenure

import "sync"

// held panics if nobody holds a lock that the caller has to hold.
func held(mu *sync.Mutex) {
	if mu.TryLock() {
		panic("tenure: a lock that has to be held is not")
	}
}
