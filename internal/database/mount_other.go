//go:build !linux

package database

// IsMountPoint knows nothing on this system, where a file alone is hardly ever mounted.
func IsMountPoint(string) bool { return false }

// born knows nothing on this system.
func born(string) string { return "" }
