package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// screen is how many lines the help of a subcommand has at most.
const screen = 24

// help answers --help: how to write a command, and its flags. What it is about says uid help.
func (p *program) help(cmd *cobra.Command, _ []string) {
	if !cmd.HasParent() || cmd.IsAdditionalHelpTopicCommand() {
		p.longHelp(cmd)
		return
	}
	width := p.width()
	lines := append([]string{cmd.Short + ".", ""}, strings.Split(usage(cmd, width)+"\n", "\n")...)
	if below := listOf(cmd, (*cobra.Command).IsAvailableCommand); len(below) > 0 {
		lines = append(append(lines, below...), "")
	}
	more := []string{"", "uid help " + strings.TrimPrefix(cmd.CommandPath(), "uid ") + " says more."}
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.SortFlags = false
	all.AddFlagSet(cmd.LocalFlags())
	all.AddFlagSet(cmd.InheritedFlags())
	flags := strings.Split(strings.TrimRight(all.FlagUsages(), "\n"), "\n")
	flags = slices.DeleteFunc(flags, func(line string) bool { return strings.HasPrefix(line, strings.Repeat(" ", 10)) })
	for i, line := range flags {
		flags[i] = text.Snip(line, width, "...")
	}
	if len(lines)+len(flags)+len(more) > screen {
		var names []string
		all.VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f) // "" for a switch
			names = append(names, strings.TrimSpace(flagName(f)+" "+kind))
		})
		flags = strings.Split(wrapTo("The flags are "+strings.Join(names, ", ")+".", width), "\n")
	}
	examples := strings.Split("\n"+cmd.Example, "\n")
	if cmd.HasExample() && len(lines)+len(flags)+len(examples)+len(more) <= screen {
		more = append(examples, more...)
	}
	fmt.Fprintln(p.out, strings.Join(slices.Concat(lines, flags, more), "\n"))
}

// inBrackets is what usage does not break, where the screen has room for it.
var inBrackets = regexp.MustCompile(`\[[^][]*`)

const noBreak = "§" // no usage has one

// usage returns how a command is written.
func usage(cmd *cobra.Command, width int) string {
	var lines []string
	unbroken := func(s string) string { return strings.ReplaceAll(s, " ", noBreak) }
	if cmd.Runnable() {
		for use := range strings.SplitSeq(cmd.UseLine(), "\n") {
			whole := inBrackets.ReplaceAllStringFunc(strings.TrimSpace(use), unbroken)
			folded := strings.ReplaceAll(wrapTo(whole, width-6), "\n", "\n      ")
			lines = append(lines, "  "+strings.ReplaceAll(folded, noBreak, " "))
		}
	}
	if cmd.HasAvailableSubCommands() {
		lines = append(lines, "  "+cmd.CommandPath()+" [command]")
	}
	return strings.Join(lines, "\n")
}

// longHelp writes all that there is to say of a command, as wide as the output.
func (p *program) longHelp(cmd *cobra.Command) {
	width := p.width()
	w := p.out
	fmt.Fprintf(w, "%s\n", reflow(strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), min(width, textWidth)))
	if cmd.IsAdditionalHelpTopicCommand() {
		return
	}
	commands := listOf(cmd, func(c *cobra.Command) bool { return c.IsAvailableCommand() || c.Name() == "help" })
	topics := listOf(cmd, (*cobra.Command).IsAdditionalHelpTopicCommand)
	for _, s := range []struct{ title, text string }{
		{"Usage", usage(cmd, width)},
		{"Examples", cmd.Example}, // to be copied: it is not folded
		{"Commands", reflow(strings.Join(commands, "\n"), width)},
		{"Flags", reflow(strings.TrimRight(cmd.LocalFlags().FlagUsages(), "\n "), width)},
		{"Global Flags", reflow(strings.TrimRight(cmd.InheritedFlags().FlagUsages(), "\n "), width)},
		{"Topics", reflow(strings.Join(topics, "\n"), width)},
	} {
		if s.text != "" {
			fmt.Fprintf(w, "\n%s:\n%s\n", s.title, s.text)
		}
	}
	if len(commands) > 0 {
		more := cmd.CommandPath() + " [command] --help shows how to write a command, " +
			"uid help [command] says all about it"
		if len(topics) > 0 {
			more += ", uid help [topic] about a topic"
		}
		fmt.Fprintf(w, "\n%s\n", reflow(more+".", width))
	}
}

// listOf returns a line for each command below one that is so.
func listOf(cmd *cobra.Command, is func(*cobra.Command) bool) (lines []string) {
	for _, c := range cmd.Commands() {
		if is(c) {
			lines = append(lines, fmt.Sprintf("  %-*s  %s", cmd.NamePadding(), c.Name(), c.Short))
		}
	}
	return lines
}

// hasHelp reports whether there is help about a command, or a topic.
func hasHelp(c *cobra.Command) bool {
	return c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()
}

// helpCommand is the command help: cobra's own takes unknown words for no error.
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND|TOPIC]",
		Short:                 "Show the help of a command, or about a topic",
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (found []cobra.Completion,
			_ cobra.ShellCompDirective) {
			if about, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range about.Commands() {
					if hasHelp(c) {
						found = append(found, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				word := append(rest, "")[0]
				return unknownWord(about, word, "no help about", "no help about that", "there is some about", hasHelp)
			}
			about.InitDefaultHelpFlag() // so that it is shown
			about.InitDefaultVersionFlag()
			p.longHelp(about)
			return nil
		},
	}
}

// reflow wraps a help text. Lines that begin at the margin are running text, up to an empty line.
// An indented line begins an item: where two spaces divide it into a term and a text, lines that
// begin below the text go on with it. All other indented lines stay as they are, unless they are
// too long.
func reflow(s string, width int) string {
	var out []string
	var head, body string // of the paragraph or item: its first columns, and its text
	open := false
	flush := func() {
		if open {
			indent := strings.Repeat(" ", displayWidth(head))
			lines := wrapTo(body, max(width-len(indent), longestWord(body)))
			out = append(out, head+strings.ReplaceAll(lines, "\n", "\n"+indent))
		}
		open = false
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(s, "\t", "    "), "\n") {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		goesOn := open && indent == displayWidth(head) && (indent == 0 || strings.TrimSpace(head) != "")
		if text == "" {
			flush()
			out = append(out, "")
			continue
		}
		if goesOn {
			body += " " + text
			continue
		}
		flush()
		open, head, body = true, line[:indent], text
		if gap := strings.Index(text, "  "); gap >= 0 && indent > 0 {
			after := strings.TrimLeft(text[gap:], " ")
			head, body = line[:len(line)-len(after)], after
		}
	}
	flush()
	return strings.Join(out, "\n")
}
