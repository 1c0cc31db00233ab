//go:build !unix

package measure

import (
	"errors"
	"time"
)

func processorTime() (time.Duration, error) {
	return 0, errors.New("the processor time of a process is measured on Unix only: leave the phase idle out")
}
