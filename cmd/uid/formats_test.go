package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
)

// commands returns all commands and topics by the words that call them.
func commands() map[string]*cobra.Command {
	p := &cli.Program{Stdin: strings.NewReader(""), Getenv: clitest.NoEnv, Out: new(cli.Output)}
	all := map[string]*cobra.Command{}
	cli.ForAll(root(p), func(cmd *cobra.Command) {
		_, words, _ := strings.Cut(cmd.CommandPath(), " ")
		all[words] = cmd
	})
	return all
}

// needed are the arguments without which a command does not even look at its flags.
var needed = map[string][]string{
	"segment set": {"x"}, "segment next": {"x"}, "worker release": {"1"}, "store move": {"x"},
}

// Where there is --format there is --json, and nowhere do both go together.
func TestFormatAndJSON(t *testing.T) {
	var found []string
	for words, cmd := range commands() {
		if cmd.Flags().Lookup("format") == nil {
			require.Nil(t, cmd.Flags().Lookup("json"), words)
			continue
		}
		found = append(found, words)
		args := append(strings.Fields(words), needed[words]...)
		for _, both := range [][]string{{"--json", "--format", "json"}, {"--format", "table", "--json"}} {
			said := call{args: append(slices.Clone(args), both...)}.fails(t, cli.ExitBadInput)
			require.Equal(t, "--format and --json exclude each other: --json is short for --format json", said, words)
		}
		text := call{args: append(slices.Clone(args), "--json=no")}.fails(t, cli.ExitBadInput)
		require.Contains(t, text, `--json: "no": it takes no value`, words)
	}
	slices.Sort(found)
	for _, words := range []string{"gen", "parse", "plan", "range", "segment ls", "segment set",
		"worker check", "worker init", "worker ls", "worker release"} {
		require.Contains(t, found, words)
	}
}
