//go:build !linux

package fitness

// diskOf knows nothing on this system.
func diskOf(string) diskKind { return unknownDisk }
