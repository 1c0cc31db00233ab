// Command benchmarks shows results of go test -bench, which package measure has: generators of
// github.com/uidgen/uid, other libraries, servers that hand out IDs, and the limits. It draws the
// charts, fills in the tables of the documents, and prints all tables:
//
//	go run . results/full.txt
//
// The Makefile of the parent folder has the usual calls.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/uidgen/uid/benchmarks/report"
)

func main() {
	charts := flag.String("charts", "charts", "`folder` of the charts")
	documents := flag.String("documents", "README.md ../README.md ../docs/performance.md",
		"`files` whose marked parts are written anew")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: benchmarks [flags] FILE")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := show(os.Stdout, flag.Arg(0), *charts, strings.Fields(*documents)); err != nil {
		fmt.Fprintf(os.Stderr, "benchmarks: %v\n", err)
		os.Exit(1)
	}
}

func show(out io.Writer, file, charts string, documents []string) error {
	results, err := report.Read(file)
	if err != nil {
		return err
	}
	if err := report.Draw(results, charts); err != nil {
		return err
	}
	for _, d := range documents {
		if err := report.FillIn(results, d); err != nil {
			return err
		}
	}
	for _, t := range report.Tables {
		fmt.Fprintf(out, "%s\n%s\n\n", t.Title, t.Text(results))
	}
	return nil
}
