// Package logtest keeps what is logged, for tests.
package logtest

import (
	"log/slog"
	"strings"
	"sync"
)

// Records keeps what is logged. The zero value is ready for use, by any number of goroutines
// at once. It is not to be copied.
type Records struct {
	// On has functions to call, once each, for the first record that contains the key. It
	// is to be set before the first record.
	On map[string]func()

	mu   sync.Mutex
	text strings.Builder
}

// Logger returns a logger that writes to r, records of all levels as text.
func (r *Records) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Write adds a line.
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

// String is all records, one a line.
func (r *Records) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// Count returns how many records contain the text.
func (r *Records) Count(text string) int {
	n := 0
	for line := range strings.Lines(r.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}
