package main

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/pflag"
)

// The environment variables with a store: what --store takes, and a MySQL DSN.
const (
	storeEnv = "UID_STORE"
	dsnEnv   = "UID_MYSQL_DSN"
)

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

// A choice is the store that a user has named, in one of three ways.
type choice struct {
	file   string
	url    *storeURL
	dsn    string
	source string // where it was given; "" for the file that is used without any
}

// String names the store without secrets: of a server it says no more than the kind.
func (c choice) String() string {
	switch {
	case c.file != "":
		return c.file
	case c.dsn != "":
		return "a MySQL or MariaDB server"
	}
	return "a server of " + c.url.engine.schemes[0] + "://"
}

// choose returns the store that the flags and the environment name.
func (s *store) choose(getenv func(string) string) (choice, error) {
	place, dsn := getenv(storeEnv), getenv(dsnEnv)
	switch {
	case s.placeSet && s.dsnSet:
		return choice{}, badInput("--store and --mysql exclude each other")
	case s.placeSet:
		return parsePlace(s.place, "--store")
	case s.dsnSet:
		return choice{dsn: s.dsn, source: "--mysql"}, nil
	case place != "":
		return parsePlace(place, storeEnv)
	case dsn != "":
		return choice{dsn: dsn, source: dsnEnv}, nil
	}
	folder, err := dataFolder(getenv, runtime.GOOS)
	return choice{file: filepath.Join(folder, "workers.db")}, err
}

// open opens the store. It need not be reachable yet; a file that is missing is made, which p says.
func (s *store) open(ctx context.Context, p *program, with settings) (*workerStore, error) {
	place, err := s.choose(p.getenv)
	if err != nil {
		return nil, err
	}
	with.timeout, with.log, with.note = time.Duration(s.timeout), p.log(), p.note
	w, err := s.openPlace(ctx, place, with)
	if err != nil {
		return nil, err
	}
	w.place = place
	return w, nil
}

func (s *store) openPlace(ctx context.Context, place choice, with settings) (*workerStore, error) {
	switch u := place.url; {
	case place.dsn != "":
		return openDSN(place.dsn, place.source, with)
	case u == nil:
		return openSQLite(ctx, place.file, !s.existing, with)
	case !u.engine.sql && with.nodes+with.leases+with.segments != "":
		return nil, badInput("--node-table, --lease-table and --segment-table are for databases that speak SQL")
	default:
		return u.engine.open(ctx, u, with)
	}
}
