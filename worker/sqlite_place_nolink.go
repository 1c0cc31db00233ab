//go:build !unix

package worker

import "io/fs"

// linkCount tells nothing here.
func linkCount(fs.FileInfo) (links uint64, known bool) { return 0, false }
