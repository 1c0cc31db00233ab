package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version says which version this is, as the go command has recorded it, and what it was built with and for.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return fmt.Sprintf("%s (%s, %s/%s)", cmp.Or(info.Main.Version, "(unknown)"), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
