//go:build !linux

package sqldoctor

// fileSystem knows nothing on this system.
func fileSystem(string) (kind fileSystemKind, known bool) { return localDisk, false }
