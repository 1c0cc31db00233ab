package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// help writes the help of a command, as wide as the output.
func (p *program) help(cmd *cobra.Command, _ []string) {
	width := p.width()
	w := p.out
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	fmt.Fprintf(w, "%s\n", reflow(strings.TrimSpace(long), min(width, textWidth)))
	if cmd.IsAdditionalHelpTopicCommand() {
		return
	}
	fmt.Fprint(w, "\nUsage:\n")
	if cmd.Runnable() {
		fmt.Fprintln(w, foldOutside("  "+cmd.UseLine(), width, "      ", ""))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s [command]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprint(w, "\nExamples:\n")
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			fmt.Fprintln(w, foldOutside(line, width, "      ", " \\"))
		}
	}
	var commands, topics []string
	for _, c := range cmd.Commands() {
		line := fmt.Sprintf("  %-*s  %s", cmd.NamePadding(), c.Name(), c.Short)
		if c.IsAdditionalHelpTopicCommand() {
			topics = append(topics, line)
		} else if c.IsAvailableCommand() || c.Name() == "help" {
			commands = append(commands, line)
		}
	}
	for _, s := range []struct {
		title string
		lines []string
	}{
		{"Commands", commands},
		{"Flags", []string{strings.TrimRight(cmd.LocalFlags().FlagUsages(), "\n ")}},
		{"Global Flags", []string{strings.TrimRight(cmd.InheritedFlags().FlagUsages(), "\n ")}},
		{"Topics", topics},
	} {
		if text := reflow(strings.Join(s.lines, "\n"), width); text != "" {
			fmt.Fprintf(w, "\n%s:\n%s\n", s.title, text)
		}
	}
	if len(commands) > 0 {
		more := cmd.CommandPath() + " [command] --help says more about a command"
		if len(topics) > 0 {
			more += ", " + cmd.CommandPath() + " help [topic] about a topic"
		}
		fmt.Fprintf(w, "\n%s\n", reflow(more+".", width))
	}
}

// helpCommand is the command help: cobra's own takes unknown words for no error.
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND|TOPIC]",
		Short:                 "Show the help of a command, or about a topic",
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (found []string, _ cobra.ShellCompDirective) {
			if about, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range about.Commands() {
					if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
						found = append(found, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownTopic(about, rest)
			}
			about.InitDefaultHelpFlag() // so that it is shown
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

func unknownTopic(about *cobra.Command, rest []string) error {
	var names []string
	for _, c := range about.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	what := "no help about that"
	if len(rest) > 0 && plainWord.MatchString(rest[0]) {
		what = fmt.Sprintf("no help about %q", rest[0])
	}
	if len(names) == 0 {
		return badInput("%s: %s has no commands of its own", what, about.CommandPath())
	}
	return badInput("%s: there is some about %s", what, strings.Join(names, ", "))
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
			for i, line := range fold(body, width-len(indent)) {
				if i == 0 {
					out = append(out, head+line)
				} else {
					out = append(out, indent+line)
				}
			}
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
