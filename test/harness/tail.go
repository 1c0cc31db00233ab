package harness

import "sync"

// A Tail keeps the end of what is written to it, for people. The zero value is empty. All
// methods may be called concurrently.
type Tail struct {
	mu  sync.Mutex
	end []byte
}

func (t *Tail) Write(p []byte) (int, error) {
	const most = 8 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-most):]
	return len(p), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.end)
}
