package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/cmd/uid/internal/serve"
)

// deployed returns a file of the folder deploy.
func deployed(name string) string {
	return string(clitest.Must(os.ReadFile(filepath.Join("deploy", name))))
}

// takes sees that the command takes these flags, up to opening its store.
func takes(t *testing.T, env map[string]string, args ...string) string {
	t.Helper()
	for i, arg := range args {
		switch {
		case args[max(0, i-1)] == "--store":
			args[i] = t.TempDir() // a folder is no file
		case strings.Contains(arg, ":70"):
			args[i] = arg[:strings.LastIndex(arg, ":")] + ":0"
		}
	}
	o := call{args: args, env: env}.run()
	require.NotEqual(t, cli.ExitOK, o.Code)
	return o.Err
}

func TestUnit(t *testing.T) {
	unit := deployed("uid-serve.service")
	start := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(unit)
	require.NotNil(t, start)
	says := takes(t, nil, strings.Fields(start[2])...)
	require.NotContains(t, says, "flag")
	require.NotContains(t, says, "neither")
	require.Contains(t, says, "open")

	for _, setting := range []string{"DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes",
		"StateDirectory=uid", "CapabilityBoundingSet=\n"} {
		require.Contains(t, unit, "\n"+setting)
	}
	if analyze, err := exec.LookPath("systemd-analyze"); err == nil {
		file := filepath.Join(t.TempDir(), "uid-serve.service")
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(unit, start[1], "/bin/true", 1)), 0o600))
		out, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Empty(t, string(out))
		out, err = exec.Command(analyze, "security", "--offline=true", "--threshold=15", file).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

func TestContainerfile(t *testing.T) {
	text := deployed("Containerfile")
	var words []string
	for _, list := range regexp.MustCompile(`(?m)^(?:ENTRYPOINT|CMD) (\[.*\])$`).FindAllStringSubmatch(text, -1) {
		var more []string
		require.NoError(t, json.Unmarshal([]byte(list[1]), &more))
		words = append(words, more...)
	}
	require.Equal(t, "/uid", words[0])
	require.Contains(t, takes(t, nil, words[1:]...), "is not loopback", "without a token it does not start")
	says := takes(t, map[string]string{serve.TokenEnv: testToken, places.StoreEnv: t.TempDir()}, words[1:]...)
	require.NotContains(t, says, "flag")
	require.Contains(t, says, "without TLS the token crosses the network in the clear")
	require.Contains(t, says, "open")
	require.NotContains(t, says, testToken)
	require.Contains(t, text, "\nRUN CGO_ENABLED=0 go build ")
	require.Contains(t, text, "\nUSER 65532:65532\n")
	require.Contains(t, text, "\nFROM scratch\n")
}
