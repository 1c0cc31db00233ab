//go:build !unix

package database

import "io/fs"

// linkCount knows nothing on this system.
func linkCount(fs.FileInfo) (links uint64, known bool) { return 0, false }

// fileID knows nothing on this system.
func fileID(string, fs.FileInfo) string { return "" }
