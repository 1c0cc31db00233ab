package fleet

import (
	"strings"

	"github.com/uidgen/uid/internal/logtest"
)

// texts keeps what is logged in this process, and errors.
type texts struct{ logtest.Records }

func (s *texts) error(err error) {
	if err != nil {
		_, _ = s.Write([]byte(err.Error() + "\n"))
	}
}

// leaks tells whether anything of the DSN is in it, or in what the driver logged.
func (s *texts) leaks() bool {
	return strings.Contains(strings.ToLower(s.String()+said.String()), canary)
}
