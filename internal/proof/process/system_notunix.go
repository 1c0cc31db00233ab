//go:build !unix

package process

import (
	"errors"
	"os"
)

var errPause = errors.New("this system pauses no processes")

func pause(*os.Process) error  { return errPause }
func resume(*os.Process) error { return errPause }
