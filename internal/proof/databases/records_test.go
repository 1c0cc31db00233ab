package databases_test

import (
	"log/slog"
	"strings"
	"sync"
)

// records keeps what is logged. Each record that contains a key of on calls its
// function, once.
type records struct {
	on map[string]func()

	mu   sync.Mutex
	text strings.Builder
}

func (r *records) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (r *records) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, do := range r.on {
		if strings.Contains(string(line), key) {
			delete(r.on, key)
			do()
		}
	}
	return r.text.Write(line)
}

func (r *records) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// count returns how many records contain the text.
func (r *records) count(text string) int {
	n := 0
	for line := range strings.Lines(r.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}
