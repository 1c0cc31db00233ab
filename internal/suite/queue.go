package suite

import "sync"

// A Queue holds the faults of a client's next calls. The zero value is empty. All methods may be
// called by any number of goroutines at once.
type Queue[F any] struct {
	mu   sync.Mutex
	next []F
}

// Add appends faults.
func (q *Queue[F]) Add(faults ...F) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next = append(q.next, faults...)
}

// Set replaces them all.
func (q *Queue[F]) Set(faults ...F) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next = faults
}

// Next removes the first one and returns it; it is zero when there is none.
func (q *Queue[F]) Next() (fault F) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.next) > 0 {
		fault, q.next = q.next[0], q.next[1:]
	}
	return fault
}
