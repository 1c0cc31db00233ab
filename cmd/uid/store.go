package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid/worker/sqlite"
)

// dsnEnv is the environment variable with a MySQL DSN.
const dsnEnv = "UID_MYSQL_DSN"

// storeHelp is the part of a command's help about its store.
const storeHelp = `Worker IDs come from a store: a table in a database. Every run adds a row, whose
generated key is the run's worker ID. The store is the first of these that is given:
  --store FILE    a SQLite database, created if it is missing
  --mysql DSN     MySQL or MariaDB: user:password@tcp(host:3306)/database.
                  Other users of the machine can read a command line: better
                  put the DSN into the environment variable ` + dsnEnv + `
  (neither)       a SQLite database in the user's data folder: uid/workers.db in
                  $XDG_DATA_HOME if that is set, or else in ~/.local/share
                  (macOS: ~/Library/Application Support, Windows: %LocalAppData%)
UIDs are unique among all runs that share one store and one layout. A SQLite file
serves one machine: processes on several machines need one MySQL.`

// store holds the flags that say where worker IDs come from.
type store struct {
	file, dsn       string
	fileSet, dsnSet bool
	existing        bool // do not create a missing SQLite file
	timeout         spanFlag
}

func (s *store) register(flags *pflag.FlagSet) {
	flags.Var(&setString{&s.file, &s.fileSet, "FILE"}, "store", "SQLite file with the worker IDs")
	flags.Var(&setString{&s.dsn, &s.dsnSet, "DSN"}, "mysql", "MySQL or MariaDB; prefer the environment variable "+dsnEnv)
	s.timeout = spanFlag(10 * time.Second)
	flags.Var(&s.timeout, "timeout", "how long to try to get a worker ID")
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

// open opens the database. It need not be reachable yet.
func (s *store) open(ctx context.Context, getenv func(string) string) (*sqlx.DB, error) {
	switch {
	case s.fileSet && s.dsnSet:
		return nil, badInput("--store and --mysql exclude each other")
	case s.fileSet:
		// SQLite would create a file of any name.
		if strings.Contains(s.file, "://") || strings.Contains(s.file, "@tcp(") || strings.Contains(s.file, "@unix(") {
			return nil, badInput("--store takes a file, and this is a DSN: use --mysql or %s", dsnEnv)
		}
		return s.openSQLite(ctx, s.file)
	case s.dsnSet:
		return openMySQL(s.dsn, "--mysql")
	}
	if dsn := getenv(dsnEnv); dsn != "" {
		return openMySQL(dsn, dsnEnv)
	}
	folder, err := dataFolder(getenv, runtime.GOOS)
	if err != nil {
		return nil, err
	}
	return s.openSQLite(ctx, filepath.Join(folder, "workers.db"))
}

func (s *store) openSQLite(ctx context.Context, file string) (*sqlx.DB, error) {
	if s.existing {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("no store of worker IDs: %w", err)
		}
	}
	db, err := sqlite.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// openMySQL hides the driver's texts, its errors as well as what it would print on
// standard error: they may quote the DSN.
func openMySQL(dsn, source string) (*sqlx.DB, error) {
	bad := func(why string) error {
		return badInput("the DSN of %s %s: it has to be user:password@tcp(host:3306)/database", source, why)
	}
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, bad("cannot be read")
	}
	if cfg.DBName == "" {
		return nil, bad("names no database")
	}
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, bad("cannot be used")
	}
	db := sqlx.NewDb(sql.OpenDB(connector), "mysql")
	db.SetMaxOpenConns(2)
	db.SetMaxIdleConns(1)
	db.SetConnMaxLifetime(3 * time.Minute) // servers and proxies close idle connections later
	return db, nil
}

// dataFolder returns the folder for this command's user data.
func dataFolder(getenv func(string) string, goos string) (string, error) {
	// The XDG specification says to ignore a relative path.
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "uid"), nil
	}
	home, below := "HOME", []string{".local", "share", "uid"}
	switch goos {
	case "windows":
		home, below = "LocalAppData", []string{"uid"}
	case "darwin", "ios":
		below = []string{"Library", "Application Support", "uid"}
	}
	dir := getenv(home)
	if dir == "" {
		return "", errors.New("no folder for the store of worker IDs: neither XDG_DATA_HOME nor " + home + " is set; use --store FILE")
	}
	return filepath.Join(append([]string{dir}, below...)...), nil
}
