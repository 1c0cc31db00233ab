// Command uid makes UIDs and reads them, and takes dense numbers from a store:
//
//	uid gen -n 5                          five new UIDs, under a worker ID of its own
//	uid parse 962672698415128576          what is in one, with a picture of its bits
//	uid seal 962672698415128576           a text that tells nothing without a key; uid open reads it
//	uid plan --rate 2e6 --workers 500     the layouts that are large enough
//	uid plan --from uidgenerator          what it costs to leave a layout
//	uid range --from 2026-11-01           the UIDs of a time range, for SQL
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
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // for --zone on machines without a database of time zones
)

func main() {
	// When the output's reader goes away, a write then fails and ends the command in good
	// order; the signal would kill it.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// run is the command without its process. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, now: time.Now}
	return p.run(args)
}
