//go:build !linux && !darwin && !freebsd

package main

import (
	"errors"
	"os"
	"syscall"
)

var errSystem = errors.New("this needs Linux, macOS or FreeBSD")

const seekData, seekHole = -1, -1

func anonymousFile() (*os.File, error)          { return nil, errSystem }
func dieWithParent() *syscall.SysProcAttr       { return nil }
func availableMemory() int64                    { return 0 }
func mapShared(*os.File, int64) ([]byte, error) { return nil, errSystem }
func unmap([]byte) error                        { return nil }
func pauseProcess(*os.Process) error            { return errSystem }
func resumeProcess(*os.Process) error           { return errSystem }
