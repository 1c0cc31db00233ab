package fleet

import (
	"log/slog"
	"strings"
	"sync"
)

// texts keeps what is logged in this process, and errors.
type texts struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *texts) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(line)
}

func (s *texts) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *texts) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (s *texts) error(err error) {
	if err != nil {
		_, _ = s.Write([]byte(err.Error() + "\n"))
	}
}

// leaks tells whether anything of the DSN is in it, or in what the driver logged.
func (s *texts) leaks() bool {
	return strings.Contains(strings.ToLower(s.String()+said.String()), canary)
}
