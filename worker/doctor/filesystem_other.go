//go:build !linux

package doctor

// fileSystem tells nothing here.
func fileSystem(string) (kind fileSystemKind, known bool) { return localDisk, false }
