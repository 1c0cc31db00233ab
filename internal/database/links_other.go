//go:build !unix

package database

import "io/fs"

// LinkCount knows nothing on this system.
func LinkCount(fs.FileInfo) (links uint64, known bool) { return 0, false }

// fileID knows nothing on this system.
func fileID(string, fs.FileInfo) string { return "" }
