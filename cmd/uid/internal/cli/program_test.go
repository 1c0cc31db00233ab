package cli

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorsAreOneLine(t *testing.T) {
	var stderr bytes.Buffer
	p := &Program{Stderr: &stderr}
	require.Equal(t, ExitFailure, p.report(errors.Join(errors.New("one"), errors.New("two\r\n"))))
	require.Equal(t, "uid: one; two\n", stderr.String())
}

// What the go command records of a module, of a clone, of a clone with changes, and of nothing.
func TestVersionText(t *testing.T) {
	with := func(version string, settings ...string) string {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		build := fmt.Sprintf("%s, %s/%s)", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return strings.TrimSuffix(versionText(info), build)
	}
	const revision = "f0b9d9c609b4984e3ff3d0582f4439873c7d2465"
	const pseudo = "v0.1.1-0.20261122112522-f0b9d9c609b4+dirty"
	require.Equal(t, "v0.1.0 (", with("v0.1.0"))
	require.Equal(t, pseudo+" (revision f0b9d9c609b4 of 2026-11-22, modified, ", with(pseudo, "vcs", "git",
		"vcs.revision", revision, "vcs.time", "2026-11-22T11:25:22Z", "vcs.modified", "true"))
	require.Equal(t, "(devel) (revision f0b9d9c609b4, ",
		with("(devel)", "vcs.revision", revision, "vcs.modified", "false"))
	require.Equal(t, "(unknown) (", with(""))
}
