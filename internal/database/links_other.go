//go:build !unix

package database

import "io/fs"

// LinkCount tells nothing here.
func LinkCount(fs.FileInfo) (links uint64, known bool) { return 0, false }
