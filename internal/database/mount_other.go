//go:build !linux

package database

// isMountPoint knows nothing on this system, where a file alone is hardly ever mounted.
func isMountPoint(string) bool { return false }

// born knows nothing on this system.
func born(string) string { return "" }
