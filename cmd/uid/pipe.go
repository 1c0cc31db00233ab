package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"syscall"
)

// errClosedPipe is returned by a write when nobody reads the output any more. It ends a
// command, and is no failure.
var errClosedPipe = errors.New("the output's reader has gone away")

// A pipe tells a closed reader from other failures to write.
type pipe struct{ w io.Writer }

func (p pipe) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	switch {
	case err == nil:
		return n, nil
	case isClosedPipe(err):
		return n, errClosedPipe
	default:
		return n, fmt.Errorf("writing the output: %w", err)
	}
}

// Windows' ERROR_BROKEN_PIPE and ERROR_NO_DATA.
const windowsBrokenPipe, windowsNoData = syscall.Errno(109), syscall.Errno(232)

func isClosedPipe(err error) bool {
	if runtime.GOOS == "windows" && (errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData)) {
		return true
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
