package main

import (
	"context"
	"errors"
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

// A choice is the store that a user has named.
type choice struct {
	text   string // a file, a URL or a DSN
	dsn    bool   // it is a DSN
	source string // where it was given; "" for the file that is used without any
}

// choose returns the store that the flags and the environment name.
func (s *store) choose(getenv func(string) string) (choice, error) {
	place, dsn := getenv(storeEnv), getenv(dsnEnv)
	switch {
	case s.placeSet && s.dsnSet:
		return choice{}, badInput("--store and --mysql exclude each other")
	case s.placeSet:
		return choice{text: s.place, source: "--store"}, nil
	case s.dsnSet:
		return choice{text: s.dsn, dsn: true, source: "--mysql"}, nil
	case place != "":
		return choice{text: place, source: storeEnv}, nil
	case dsn != "":
		return choice{text: dsn, dsn: true, source: dsnEnv}, nil
	}
	folder, err := dataFolder(getenv, runtime.GOOS)
	return choice{text: filepath.Join(folder, "workers.db")}, err
}

// isFile reports whether it is a file, and no server.
func (c choice) isFile() bool { return !c.dsn && !strings.Contains(c.text, "://") }

// open opens the store. It need not be reachable yet.
func (s *store) open(ctx context.Context, getenv func(string) string, with settings) (*workerStore, error) {
	c, err := s.choose(getenv)
	if err != nil {
		return nil, err
	}
	return s.openChoice(ctx, c, with)
}

func (s *store) openChoice(ctx context.Context, c choice, with settings) (*workerStore, error) {
	with.timeout = time.Duration(s.timeout)
	switch {
	case c.dsn:
		return openDSN(c.text, c.source, with)
	case !c.isFile():
		u, err := parseStoreURL(c.text, c.source)
		if err != nil {
			return nil, err
		}
		if !u.engine.sql && with.nodes+with.leases+with.segments != "" {
			return nil, badInput("--node-table, --lease-table and --segment-table are for databases that speak SQL")
		}
		return u.engine.open(ctx, u, with)
	case strings.Contains(c.text, "@tcp(") || strings.Contains(c.text, "@unix("):
		// SQLite would create a file of any name.
		return nil, badInput("%s takes a file or a URL, and this is a DSN: use --mysql or %s", c.source, dsnEnv)
	}
	w, err := openSQLite(ctx, c.text, !s.existing, with)
	if w != nil && c.source != "" {
		w.made = "" // who named the file knows of it
	}
	return w, err
}
