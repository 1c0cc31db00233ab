//go:build !linux && !darwin && !freebsd

package record

import (
	"errors"
	"os"
)

var errSystem = errors.New("this needs Linux, macOS or FreeBSD")

const seekData, seekHole = -1, -1

func anonymousFile() (*os.File, error)          { return nil, errSystem }
func mapShared(*os.File, int64) ([]byte, error) { return nil, errSystem }
func unmap([]byte) error                        { return nil }
