// Command uid makes UIDs and reads them, and takes dense numbers from a store:
//
//	uid gen -n 5                          five new UIDs, under a worker ID of its own
//	uid parse 962672698415128576          what is in one, with a picture of its bits
//	uid seal 962672698415128576           a text that tells nothing without a key; uid open reads it
//	uid plan --rate 2e6 --workers 500     the layouts that are large enough
//	uid plan --from uidgenerator          what it costs to leave a layout
//	uid range --from 2026-11-01           the UIDs of a time range, for SQL
//	uid code --for js                     the lines that take a UID apart elsewhere
//	uid gen --segment invoice             dense numbers without time: 1, 2, 3
//	uid gen --segment order --daily       order numbers: 20261122-000001
//	uid segment ls                        the tags of such numbers, and how far they are
//	uid segment next invoice              the next number of a tag
//	uid serve                             answer for all of these over HTTP and the Redis protocol
//	uid worker ls                         who holds which worker ID
//	uid worker check                      whether a database of worker IDs is set up safely
//	uid help stores                       how to name a store; also: help times, help layouts
//
// Each command's --help says the rest. Exit codes: 0 on success, and when the reader of
// the output has gone away; 1 on failure; 2 on bad input; 130 when interrupted. An error
// is one line on standard error.
package main

import (
	"embed"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // for --zone on machines without a database of time zones

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/code"
	"github.com/uidgen/uid/cmd/uid/internal/forms"
	"github.com/uidgen/uid/cmd/uid/internal/gen"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/cmd/uid/internal/plan"
	"github.com/uidgen/uid/cmd/uid/internal/segment"
	"github.com/uidgen/uid/cmd/uid/internal/serve"
	"github.com/uidgen/uid/cmd/uid/internal/worker"
	"github.com/uidgen/uid/internal/presets"
	"github.com/uidgen/uid/internal/scheme"
)

func main() {
	// When the output's reader goes away, a write then fails and ends the command in good
	// order; the signal would kill it.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// run is the command without its process. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	p := &cli.Program{Stdin: stdin, Stdout: stdout, Stderr: stderr, Getenv: getenv, Now: time.Now}
	return p.Run(args, root)
}

// root returns the command with all below it, and the topics of its help.
func root(p *cli.Program) *cobra.Command {
	version, _ := cli.NewCommand("version", "Show the version", func(*cobra.Command, []string) error {
		fmt.Fprintln(p.Out, "uid", cli.Version())
		return nil
	})
	cmd := p.Root(gen.Command(p), forms.Parse(p), forms.Range(p), code.Command(p), forms.Seal(p), forms.Open(p),
		plan.Command(p), worker.Command(p), segment.Command(p), serve.Command(p), version,
		&cobra.Command{Use: "layouts", Short: "The preset layouts, and how layouts are written"},
		&cobra.Command{Use: "stores", Short: "Where worker IDs and numbers are kept, and how to name it"},
		&cobra.Command{Use: "times", Short: "How to write times and durations, and what a UID's time is"})
	cli.ForAll(cmd, explain)
	return cmd
}

// helpTexts say all of each command and topic. After a line "Examples:" come commands to copy.
//
//go:embed help/*.txt
var helpTexts embed.FS

// explain sets the help text of a command or a topic.
func explain(cmd *cobra.Command) {
	name := strings.ReplaceAll(strings.TrimPrefix(cmd.CommandPath(), "uid "), " ", "-")
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		return
	}
	fill := strings.NewReplacer("{store}", storeHelp, "{urls}\n", storeURLs(), "{presets}\n", listPresets())
	long := fill.Replace(string(text))
	cmd.Long, cmd.Example, _ = strings.Cut(strings.TrimSpace(long), "\n\nExamples:\n")
}

// storeHelp is the part of a command's help about its store.
const storeHelp = `The store is what --store or --mysql names, or else $` + places.StoreEnv + ` or
$` + places.DSNEnv + `. uid help stores says what can be named.`

func storeURLs() (all string) {
	for _, d := range scheme.All() {
		all += fmt.Sprintf("    %s%s\n", d.Form, d.Secure)
	}
	return all
}

func listPresets() (all string) {
	all = "                                 begins      full        UIDs/s    workers\n"
	for _, p := range presets.Layouts() {
		l := bits.MustParseLayout(p.Name)
		all += fmt.Sprintf("  %-19s  %-10s  %s  %s  %9s  %9s\n", p.Name, cli.Short(l),
			l.Epoch().Format(time.DateOnly), l.Expires().Format(time.DateOnly),
			cli.Number(cli.PerSecond(l)).Text, cli.Count(l.MaxWorkerID()+1).Text)
	}
	return all
}
