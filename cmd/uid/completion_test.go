package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/presets"
)

// offered returns what a shell offers behind the words.
func offered(t *testing.T, words ...string) (all []string) {
	t.Helper()
	for line := range strings.Lines(call{args: append([]string{"__complete"}, words...)}.succeeds(t).Out) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all = append(all, word)
	}
	return all
}

func TestCompletion(t *testing.T) {
	const noFiles, files = ":4", ":0"
	var layouts []string
	for _, preset := range presets.Layouts() {
		layouts = append(layouts, preset.Name)
	}
	require.Contains(t, layouts, "uidgenerator")
	layouts = append(layouts, noFiles)
	found := map[string]bool{}
	for words, cmd := range commands() {
		cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
			typed := append(strings.Fields(words), "--"+flag.Name, "")
			switch kind := flag.Value.Type(); {
			case flag.Name == "help" || flag.NoOptDefVal != "":
				return
			case kind == "NAME|T/W/S":
				require.Equal(t, layouts, offered(t, typed...), typed)
			case kind == "FORMAT":
				forms := []string{"plain", "json", "table", "base58", "uuid=NAMESPACE"}
				require.Subset(t, offered(t, typed...), forms, typed)
			case flag.Name == "format":
				require.Equal(t, []string{"plain", "json", "table", noFiles}, offered(t, typed...), typed)
			case strings.Contains(kind, "FILE"):
				require.Equal(t, []string{files}, offered(t, typed...), typed)
			default:
				require.Equal(t, []string{noFiles}, offered(t, typed...), typed)
			}
			found[flag.Name] = true
		})
	}
	for _, name := range []string{"layout", "format", "store", "timeout"} {
		require.True(t, found[name])
	}
	require.Equal(t, []string{noFiles}, offered(t, "worker", "release", ""))
	require.Contains(t, offered(t, "help", ""), "parse")
	require.Equal(t, []string{"bash", "fish", "powershell", "zsh", noFiles}, offered(t, "completion", ""))
}
