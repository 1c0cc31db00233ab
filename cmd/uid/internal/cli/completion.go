package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/presets"
)

// complete tells shells what the flags of a command take: the names of layouts, the formats, the
// files of --store, and nothing where only the user can know.
func complete(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		var offer func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)
		switch kind := flag.Value.Type(); {
		case kind == layoutKind:
			offer = offerLayouts
		case kind == formKind:
			offer = cobra.FixedCompletions(strings.Split(formatsAndForms, ", "), cobra.ShellCompDirectiveNoFileComp)
		case kind == formatKind:
			offer = cobra.FixedCompletions(strings.Split(formatKind, "|"), cobra.ShellCompDirectiveNoFileComp)
		case strings.Contains(kind, "FILE"):
			return // the shell knows
		default:
			offer = cobra.NoFileCompletions
		}
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, offer) // fails only for an unknown flag, or twice
	})
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
}

func offerLayouts(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	for _, p := range presets.Layouts() {
		names = append(names, cobra.CompletionWithDesc(p.Name, bits.MustParseLayout(p.Name).String()))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completion makes cobra's command completion refuse what it does not know.
func completion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	c, _, _ := root.Find([]string{"completion"}) // it is there now
	c.Use = "completion bash|zsh|fish|powershell"
	c.Short = "Print a script that makes a shell complete this command"
	Group(c)
	for _, shell := range c.Commands() {
		shell.Short = "The script for " + shell.Name()
		shell.Args = noArgs
	}
}
