//go:build !linux

package worker

// fileSystem tells nothing here.
func fileSystem(string) (kind fileSystemKind, known bool) { return localDisk, false }
