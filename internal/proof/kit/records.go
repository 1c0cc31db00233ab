package kit

import (
	"log/slog"
	"strings"
	"sync"
)

// Records keeps log records. The first record that contains a key of On calls that key's
// function. The zero value is ready to use. All methods may be called concurrently.
type Records struct {
	On map[string]func()

	mu   sync.Mutex
	text strings.Builder
}

// Logger returns a logger that writes all levels as text.
func (r *Records) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Write keeps a line.
func (r *Records) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, do := range r.On {
		if strings.Contains(string(line), key) {
			delete(r.On, key)
			do()
		}
	}
	return r.text.Write(line)
}

// String returns all lines.
func (r *Records) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// Count returns how many lines contain the text.
func (r *Records) Count(text string) int {
	n := 0
	for line := range strings.Lines(r.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}
