package main

import (
	"embed"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/presets"
	"github.com/uidgen/uid/internal/scheme"
)

// helpTexts say all of each command and topic. After a line "Examples:" come commands to copy.
//
//go:embed help/*.txt
var helpTexts embed.FS

// topics are what uid help knows besides commands.
func (p *program) topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "layouts", Short: "The preset layouts, and how layouts are written"},
		{Use: "stores", Short: "Where worker IDs and numbers are kept, and how to name the place"},
		{Use: "times", Short: "How to write times and durations, and what a UID's time is"},
	}
}

// explain gives a command, or a topic, what there is to say of it.
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
const storeHelp = `The store is what --store or --mysql names, or else $` + storeEnv + ` or
$` + dsnEnv + `, or else a SQLite file in the user's data folder. uid help stores
says what can be named.`

func storeURLs() (all string) {
	for _, d := range scheme.All() {
		all += fmt.Sprintf("    %s%s\n", d.Form, d.Secure)
	}
	return all
}

func listPresets() (all string) {
	for _, p := range presets.Layouts() {
		l := bits.MustParseLayout(p.Name)
		all += fmt.Sprintf("  %-14s%s, %s to %s: %s UIDs a second, of each of %s workers\n", p.Name, short(l),
			l.Epoch().Format(time.DateOnly), l.Expires().Format(time.DateOnly),
			number(perSecond(l)).text, number(float64(l.MaxWorkerID()+1)).text)
	}
	return all
}
