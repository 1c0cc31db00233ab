// Imports checks which packages each part of the library imports, and prints how many bytes
// each way of getting a worker ID adds to a binary.
//
//	go run ./internal/proof/imports
//
// It fails if a part imports a package that it must not (see rules), or if the root go.mod
// requires a module that users would download without using it (see required).
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"
)

const module = "github.com/uidgen/uid/"

// A rule says what packages must not import, directly or indirectly.
type rule struct {
	packages  []string // below module; "" is the root
	forbidden string   // a regular expression over import paths
}

const (
	sql     = `^database/sql$|jmoiron/sqlx|go-sql-driver|modernc\.org|sqlite`
	locks   = `flock|golang\.org/x/sys/(unix|windows)|uid/internal/state`
	helpers = `spf13|schollz|go-pretty|testify|pgregory|porcupine|goleak`
)

var rules = []rule{
	{[]string{"", "bits", "foreign", "form", "opaque", "plan", "ringbuffer", "cached", "default", "worker", "health", "metrics", "uidtest", "internal/proof/imports/ways/static"}, sql + "|" + locks + "|" + helpers + `|^net/http$`},
	{[]string{"backfill", "worker/lease", "worker/disposable", "worker/statefile", "worker/registry", "worker/doctor", "debug", "internal/tenure", "internal/retry", "internal/state"}, sql + "|" + helpers},
	{[]string{"segment", "health/readyz", "metrics/expvars"}, sql + "|" + helpers},
	{[]string{"metrics/otel"}, sql + "|" + helpers + `|^net/http$|otel/sdk|prometheus`},
	{[]string{"metrics/prometheus"}, sql + "|" + helpers + `|opentelemetry`},
	{[]string{"worker/sqlstore", "worker/doctor/sqldoctor"}, `modernc\.org|worker/sqlite|` + helpers},
	{[]string{"worker/sqlite"}, `go-sql-driver|` + helpers},
}

// required are the modules that the root go.mod may require, for the library or its tests.
var required = []string{
	"github.com/jmoiron/sqlx", "github.com/go-sql-driver/mysql", "golang.org/x/sys",
	"github.com/stretchr/testify", "github.com/anishathalye/porcupine", "go.uber.org/goleak", "pgregory.net/rapid",
}

// ways are the programs in the folder ways. Each comes after the one it is compared with.
var ways = []struct{ name, than, what string }{
	{"none", "", "a program that only prints a UID"},
	{"static", "none", "worker.Static and package cached"},
	{"statefile", "static", "worker/statefile instead"},
	{"disposable", "static", "worker/disposable on MySQL instead"},
	{"lease", "static", "worker/lease on MySQL instead"},
	{"sqlite", "static", "worker/lease on the embedded SQLite instead"},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "imports:", err)
		os.Exit(1)
	}
}

func run() error {
	for _, r := range rules {
		for _, p := range r.packages {
			if err := r.check(strings.TrimSuffix(module+p, "/")); err != nil {
				return err
			}
		}
	}
	direct, err := output("go", "mod", "edit", "-print")
	if err != nil {
		return err
	}
	if extra := unasked(direct); len(extra) > 0 {
		return fmt.Errorf("the root go.mod requires %s, which only some users need: give it a module of its own", strings.Join(extra, ", "))
	}
	return weigh()
}

// check returns an error when a package imports what the rule forbids.
func (r rule) check(pkg string) error {
	deps, err := output("go", "list", "-deps", pkg)
	if err != nil {
		return err
	}
	forbidden := regexp.MustCompile(r.forbidden)
	for _, dep := range strings.Fields(deps) {
		if dep != pkg && forbidden.MatchString(dep) {
			return fmt.Errorf("%s imports %s", pkg, dep)
		}
	}
	return nil
}

// direct matches a line of go.mod with a direct requirement.
var direct = regexp.MustCompile(`(?m)^(?:require\s+|\t)(\S+) v\S+$`)

// unasked returns the modules that a go.mod requires directly and that required lacks.
func unasked(gomod string) (extra []string) {
	for _, found := range direct.FindAllStringSubmatch(gomod, -1) {
		allowed := false
		for _, r := range required {
			allowed = allowed || found[1] == r
		}
		if !allowed {
			extra = append(extra, found[1])
		}
	}
	return extra
}

// weigh builds a program for each way of getting a worker ID, and prints their sizes.
func weigh() error {
	dir, err := os.MkdirTemp("", "uid-imports-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sizes := map[string]int64{}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "MB\tadds\tto\t a program with")
	for _, w := range ways {
		exe := filepath.Join(dir, w.name)
		if _, err := output("go", "build", "-trimpath", "-ldflags=-s -w", "-o", exe, module+"internal/proof/imports/ways/"+w.name); err != nil {
			return err
		}
		info, err := os.Stat(exe)
		if err != nil {
			return err
		}
		sizes[w.name] = info.Size()
		adds, to := "", ""
		if w.than != "" {
			adds, to = fmt.Sprintf("%+.2f", megabytes(info.Size()-sizes[w.than])), w.than
		}
		fmt.Fprintf(out, "%.2f\t%s\t%s\t %s\n", megabytes(info.Size()), adds, to, w.what)
	}
	return out.Flush()
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

// output runs a command and returns its output. An error holds the command's messages.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return string(out), nil
}
