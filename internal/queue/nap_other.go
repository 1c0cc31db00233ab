//go:build !linux

package queue

import "time"

func nap(time.Duration) bool { return false }
