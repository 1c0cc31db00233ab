package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A program is one run of the command; its subcommands share it.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time

	out     *output // stdout; run flushes it at the end
	verbose bool
}

func (p *program) run(args []string) int {
	p.begin()
	root := p.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		forAll(root, complete) // a shell asks; cobra keeps the answers for ever
	}
	return p.end(root.Execute())
}

// begin prepares the output, and end writes it out and returns the exit code of err.
func (p *program) begin() {
	p.out = &output{Writer: bufio.NewWriterSize(pipe{p.stdout}, outputBuffer), width: p.width()}
}

func (p *program) end(err error) int { return p.report(cmp.Or(err, p.out.Flush(), p.out.err)) }

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "uid",
		Short:         "Make and read unique IDs, ordered by time",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	ofCommands(root)
	root.SetIn(p.stdin)
	root.SetOut(p.out) // before completion, which looks at it
	root.SetErr(p.stderr)
	root.SetVersionTemplate("uid {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolVarP(&p.verbose, "verbose", "v", false, "log to standard error what is going on")
	root.AddCommand(p.gen(), p.parse(), p.plan(), p.timeRange(), p.seal(), p.open(),
		p.worker(), p.segment(), p.serve(), p.version())
	root.AddCommand(p.topics()...)
	root.PersistentPreRunE = oneFormat
	help(root)
	completion(root)
	forAll(root, addJSON)
	forAll(root, explain)
	return root
}

// forAll calls do for a command and all below it.
func forAll(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		forAll(c, do)
	}
}

// plainWord matches what is safe to repeat to the user. Anything else may be a password,
// typed without its flag.
var plainWord = regexp.MustCompile(`^[A-Za-z-]{1,20}$`)

// unknownWord refuses a word that names none of the commands below one.
func unknownWord(cmd *cobra.Command, word string) error {
	if !plainWord.MatchString(word) {
		return badInput("unknown command (%s --help lists them)", cmd.CommandPath())
	}
	cmd.SuggestionsMinimumDistance = 2
	if like := cmd.SuggestionsFor(word); len(like) > 0 {
		return badInput("unknown command %q: did you mean %s?", word, strings.Join(like, " or "))
	}
	return badInput("unknown command %q (%s --help lists them)", word, cmd.CommandPath())
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

// ofCommands makes cmd one that does nothing itself.
func ofCommands(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
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

// newCommand returns a command that takes no arguments but flags, and its flags.
func newCommand(use, short string, run func(cmd *cobra.Command, args []string) error) (*cobra.Command, *pflag.FlagSet) {
	cmd := &cobra.Command{Use: use, Short: short, Args: noArgs, RunE: run}
	cmd.Flags().SortFlags = false
	return cmd, cmd.Flags()
}

// noArgs is cobra.NoArgs without the argument in its text.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return badInput("%s takes no arguments, only flags (%[1]s --help)", cmd.CommandPath())
	}
	return nil
}

// log returns the library's logger: warnings, and with -v everything.
func (p *program) log() *slog.Logger {
	level := slog.LevelWarn
	if p.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// note tells the user, on standard error, what is neither output nor an error.
func (p *program) note(format string, args ...any) {
	fmt.Fprintf(p.stderr, "uid: "+format+"\n", args...)
}
