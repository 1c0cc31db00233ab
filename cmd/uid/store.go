package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// The environment variables with a store: what --store takes, and a MySQL DSN.
const (
	storeEnv = "UID_STORE"
	dsnEnv   = "UID_MYSQL_DSN"
)

// storeHelp returns the part of a command's help about its store: file says what becomes of a
// file, and none what the store is when none is given.
func storeHelp(file, none string) string {
	var forms strings.Builder
	for _, e := range allEngines() {
		fmt.Fprintf(&forms, "                      %s%s\n", e.form, e.secure)
	}
	return `The store is the first of these that is given:
  --store FILE      a SQLite database` + file + `
  --store URL       servers that the machines share (with TLS, as the examples have it):
` + forms.String() + `  --mysql DSN       MySQL or MariaDB, as its Go driver names it:
                    user:password@tcp(host:3306)/database
  $` + storeEnv + `        what --store takes
  $` + dsnEnv + `    what --mysql takes
Other users of the machine can read a command line: better put a password into the
environment. Without any, the store is ` + none + `.`
}

// store holds the flags that say where worker IDs and numbers come from.
type store struct {
	place, dsn       string
	placeSet, dsnSet bool
	existing         bool // do not create a missing SQLite file
	timeout          spanFlag
}

func (s *store) register(flags *pflag.FlagSet) {
	flags.Var(&setString{&s.place, &s.placeSet, "FILE|URL"}, "store", "SQLite file or server; prefer the environment variable "+storeEnv)
	flags.Var(&setString{&s.dsn, &s.dsnSet, "DSN"}, "mysql", "MySQL or MariaDB; prefer the environment variable "+dsnEnv)
	s.timeout = spanFlag(10 * time.Second)
	flags.Var(&s.timeout, "timeout", "how long to try")
}

// setString is a string flag that records whether it was given.
type setString struct {
	value *string
	set   *bool
	kind  string
}

func (f *setString) Set(text string) error {
	if text == "" {
		return errors.New("it is empty")
	}
	*f.value, *f.set = text, true
	return nil
}

func (f *setString) String() string { return "" }
func (f *setString) Type() string   { return f.kind }

// open opens the store. It need not be reachable yet.
func (s *store) open(ctx context.Context, getenv func(string) string, with settings) (*workerStore, error) {
	with.timeout = time.Duration(s.timeout)
	switch {
	case s.placeSet && s.dsnSet:
		return nil, badInput("--store and --mysql exclude each other")
	case s.placeSet:
		return s.openPlace(ctx, s.place, "--store", with)
	case s.dsnSet:
		return openDSN(s.dsn, "--mysql", with)
	}
	if place := getenv(storeEnv); place != "" {
		return s.openPlace(ctx, place, storeEnv, with)
	}
	if dsn := getenv(dsnEnv); dsn != "" {
		return openDSN(dsn, dsnEnv, with)
	}
	folder, err := dataFolder(getenv, runtime.GOOS)
	if err != nil {
		return nil, err
	}
	return openSQLite(ctx, filepath.Join(folder, "workers.db"), !s.existing, with)
}

// openPlace opens a file or what a URL names.
func (s *store) openPlace(ctx context.Context, place, source string, with settings) (*workerStore, error) {
	switch {
	case strings.Contains(place, "://"):
		u, err := parseStoreURL(place, source)
		if err != nil {
			return nil, err
		}
		if !u.engine.sql && with.nodes+with.leases+with.segments != "" {
			return nil, badInput("--node-table, --lease-table and --segment-table are for databases that speak SQL")
		}
		return u.engine.open(ctx, u, with)
	case strings.Contains(place, "@tcp(") || strings.Contains(place, "@unix("):
		// SQLite would create a file of any name.
		return nil, badInput("%s takes a file or a URL, and this is a DSN: use --mysql or %s", source, dsnEnv)
	}
	return openSQLite(ctx, place, !s.existing, with)
}
