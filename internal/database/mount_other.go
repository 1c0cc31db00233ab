//go:build !linux

package database

// IsMountPoint tells nothing here, where a file alone is hardly ever mounted.
func IsMountPoint(string) bool { return false }
