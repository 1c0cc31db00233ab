//go:build !linux

package worker

// isMountPoint tells nothing here, where a file alone is hardly ever mounted.
func isMountPoint(string) bool { return false }
