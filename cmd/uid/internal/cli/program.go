// Package cli is what the groups of the command uid share: a run with its streams, flags and their kinds, words that
// are read, and what is shown.
package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Program is one run of the command; its subcommands share it.
type Program struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time

	Out     *Output // Stdout; Run flushes it at the end
	verbose bool
}

// Run runs the command with the arguments, and returns its exit code. The root is made once there is an output.
func (p *Program) Run(args []string, root func(*Program) *cobra.Command) int {
	return p.Do(func() error {
		cmd := root(p)
		cmd.SetArgs(append([]string{}, args...)) // nil would mean os.Args
		return cmd.Execute()
	})
}

// Do does part of a command, and returns the exit code.
func (p *Program) Do(do func() error) int {
	p.Out = &Output{Writer: bufio.NewWriterSize(pipe{p.Stdout}, outputBuffer), Width: p.width()}
	err := do()
	return p.report(cmp.Or(err, p.Out.Flush(), p.Out.err))
}

// Root returns the root of commands.
func (p *Program) Root(commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:           "uid",
		Short:         "Make and read unique IDs, ordered by time",
		Version:       Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	Group(root, commands...)
	root.SetIn(p.Stdin)
	root.SetOut(p.Out) // before completion, which looks at it
	root.SetErr(p.Stderr)
	root.SetVersionTemplate("uid {{.Version}}\n")
	root.SetFlagErrorFunc(FlagError)
	root.PersistentFlags().BoolVarP(&p.verbose, "verbose", "v", false, "log to standard error what is going on")
	root.PersistentPreRunE = oneFormat
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", ".FlagUsagesWrapped 80 "))
	help(root)
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"}) // it is there now
	Group(completion)
	for _, shell := range completion.Commands() {
		shell.Args = noArgs
	}
	ForAll(root, addJSON)
	return root
}

// ForAll calls do for a command and all below it.
func ForAll(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		ForAll(c, do)
	}
}

// plainWord matches what is safe to repeat to the user. Anything else may be a password,
// typed without its flag.
var plainWord = regexp.MustCompile(`^[A-Za-z-]{1,20}$`)

// unknownWord refuses a word that names none of the commands below one.
func unknownWord(cmd *cobra.Command, word string) error {
	if !plainWord.MatchString(word) {
		return BadInput("unknown command (%s --help lists them)", cmd.CommandPath())
	}
	cmd.SuggestionsMinimumDistance = 2
	if like := cmd.SuggestionsFor(word); len(like) > 0 {
		return BadInput("unknown command %q: did you mean %s?", word, strings.Join(like, " or "))
	}
	return BadInput("unknown command %q (%s --help lists them)", word, cmd.CommandPath())
}

// help makes cobra's command help refuse what it does not know.
func help(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	c, _, _ := root.Find([]string{"help"}) // it is there now
	c.Use, c.Short, c.Run = "help [COMMAND|TOPIC]", "Show the help of a command, or about a topic", nil
	c.RunE = func(_ *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return unknownWord(about, append(rest, "")[0])
		}
		about.InitDefaultHelpFlag() // so that it is shown
		about.InitDefaultVersionFlag()
		return about.Help()
	}
}

// Group makes cmd one that does nothing itself.
func Group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownWord(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// NewCommand returns a command that takes no arguments but flags, and its flags.
func NewCommand(use, short string, run func(cmd *cobra.Command, args []string) error) (*cobra.Command, *pflag.FlagSet) {
	cmd := &cobra.Command{Use: use, Short: short, Args: noArgs, RunE: run}
	cmd.Flags().SortFlags = false
	return cmd, cmd.Flags()
}

// OneArg returns the check of a command that takes one argument; such as tells which.
func OneArg(such string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return BadInput("%s takes one %s (%[1]s --help)", cmd.CommandPath(), such)
		}
		return nil
	}
}

// noArgs is cobra.NoArgs without the argument in its text.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return BadInput("%s takes no arguments, only flags (%[1]s --help)", cmd.CommandPath())
	}
	return nil
}

// Log returns the library's logger: warnings, and with -v everything.
func (p *Program) Log() *slog.Logger {
	level := slog.LevelWarn
	if p.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// Quiet returns a logger for what fails in ways that the command reports itself: without -v it says nothing.
func (p *Program) Quiet() *slog.Logger {
	if p.verbose {
		return p.Log()
	}
	return slog.New(slog.DiscardHandler)
}

// Note tells the user, on standard error, a thing that is neither output nor an error.
func (p *Program) Note(format string, args ...any) {
	fmt.Fprintf(p.Stderr, "uid: "+format+"\n", args...)
}

// Version says which version this is, as the go command has recorded it, and what it was built with and for.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return fmt.Sprintf("%s (%s, %s/%s)", cmp.Or(info.Main.Version, "(unknown)"), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
