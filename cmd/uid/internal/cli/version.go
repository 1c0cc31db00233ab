package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version says which version this is, as the go command has recorded it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionText(info)
}

// versionText returns the module's version. For a build in a clone it adds the revision, and
// whether something was changed since; for all, what it was built with and for.
func versionText(info *debug.BuildInfo) string {
	vcs := map[string]string{}
	for _, s := range info.Settings {
		vcs[s.Key] = s.Value
	}
	var about []string
	if revision := vcs["vcs.revision"]; revision != "" {
		at, _, _ := strings.Cut(vcs["vcs.time"], "T")
		about = append(about, strings.TrimSuffix(fmt.Sprintf("revision %.12s of %s", revision, at), " of "))
	}
	if vcs["vcs.modified"] == "true" {
		about = append(about, "modified")
	}
	about = append(about, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return fmt.Sprintf("%s (%s)", cmp.Or(info.Main.Version, "(unknown)"), strings.Join(about, ", "))
}
