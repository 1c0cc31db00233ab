//go:build !linux

package doctor

// fileSystem knows nothing on this system.
func fileSystem(string) (kind fileSystemKind, known bool) { return localDisk, false }
