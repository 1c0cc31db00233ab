package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	_ "github.com/uidgen/uid/connect/postgres"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/internal/scheme/mysql"
	_ "github.com/uidgen/uid/stores/etcd"
	_ "github.com/uidgen/uid/stores/redis"
	_ "github.com/uidgen/uid/stores/zookeeper"
	_ "github.com/uidgen/uid/worker/sqlite"
)

// The environment variables with a store: what --store takes, and a MySQL DSN.
const (
	storeEnv = "UID_STORE"
	dsnEnv   = "UID_MYSQL_DSN"
)

// store holds the flags that say where worker IDs and numbers come from.
type store struct {
	place, dsn string
	existing   bool          // do not create a missing SQLite file
	timeout    time.Duration // 0: not given
}

func (s *store) register(flags *pflag.FlagSet) {
	flags.Var(textVar(&s.place, "FILE|URL"), "store",
		"SQLite file or server; prefer the environment variable "+storeEnv)
	flags.Var(textVar(&s.dsn, "DSN"), "mysql", "MySQL or MariaDB; prefer the environment variable "+dsnEnv)
	flags.Var(spanVar(&s.timeout), "timeout", "how long to try (default 30s, up to 3s where no server answers)")
}

// release gives back what is in hand: not under the command's context, which a signal may have ended.
func (s *store) release(closing func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(s.timeout, 10*time.Second))
	defer cancel()
	return closing(ctx)
}

// onStore calls do with a store, under a context that a signal cancels.
func onStore(ctx context.Context, open func(context.Context) (*workerStore, error),
	do func(context.Context, *workerStore) error) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	s, err := open(ctx)
	if err == nil {
		defer func() { _ = s.Close() }()
		err = do(ctx, s)
	}
	if err != nil {
		return interrupted(ctx, err)
	}
	return nil
}

// A choice is the store that a user has named.
type choice struct {
	url    *scheme.URL
	dsn    string // instead of a URL
	source string // where it was given; "" for the file that is used without any
}

// file is the path of a SQLite file, "" for a server.
func (c choice) file() string {
	if c.url != nil && c.url.Scheme == "sqlite" {
		return c.url.Path
	}
	return ""
}

// namespace is that of the URL.
func (c choice) namespace() string {
	if c.url == nil {
		return ""
	}
	return c.url.Namespace
}

// String names the store without secrets: of a server it says no more than the kind.
func (c choice) String() string {
	switch {
	case c.url == nil:
		return "a MySQL or MariaDB server"
	case c.file() != "":
		return c.file()
	}
	return "a server of " + c.url.Driver.Schemes[0] + "://"
}

// choose returns the store that the flags and the environment name.
func (s *store) choose(getenv func(string) string) (choice, error) {
	place, dsn := getenv(storeEnv), getenv(dsnEnv)
	switch {
	case s.place != "" && s.dsn != "":
		return choice{}, badInput("--store and --mysql exclude each other")
	case s.place != "":
		return parsePlace(s.place, "--store")
	case s.dsn != "":
		return choice{dsn: s.dsn, source: "--mysql"}, nil
	case place != "":
		return parsePlace(place, storeEnv)
	case dsn != "":
		return choice{dsn: dsn, source: dsnEnv}, nil
	}
	folder, err := dataFolder(getenv, runtime.GOOS)
	if err != nil {
		return choice{}, err
	}
	u, err := scheme.File(filepath.Join(folder, "workers.db"))
	return choice{url: u}, err
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
		return "", fmt.Errorf("no folder for the store: neither XDG_DATA_HOME nor %s is set; use --store FILE", home)
	}
	return filepath.Join(append([]string{dir}, below...)...), nil
}

// parsePlace reads what --store takes. No error repeats the text, which may hold a password.
func parsePlace(text, source string) (choice, error) {
	u, err := scheme.Parse(text)
	switch {
	case err != nil && strings.Contains(text, "://"):
		return choice{}, unusable(source, err)
	case err != nil:
		return choice{}, badInput("%w; a DSN is for --mysql or %s", unusable(source, err), dsnEnv)
	}
	return choice{url: u, source: source}, nil
}

// unusable is the error of what was given by source and cannot be used: an [uid.ErrConfig], which says that too.
func unusable(source string, err error) error {
	return badInput("%s: %s", source, strings.TrimPrefix(err.Error(), uid.ErrConfig.Error()+": "))
}

// A workerStore is an open store, of worker IDs and of segments. Where it can say more of itself its Registry is a
// doctor.Examiner, too.
type workerStore struct {
	scheme.Store
	place choice // what it was opened by
}

// open opens the store. It need not be reachable yet; a file that is missing is made, which p says.
func (s *store) open(ctx context.Context, p *program, o scheme.Options) (*workerStore, error) {
	place, err := s.choose(p.getenv)
	if err != nil {
		return nil, err
	}
	var missing error
	if file := place.file(); file != "" {
		if _, missing = os.Stat(file); missing != nil && s.existing {
			return nil, fmt.Errorf("no store: %w", missing)
		}
	}
	o.Timeout, o.Logger = s.timeout, p.log()
	opened, err := place.open(ctx, o)
	if missing != nil {
		if _, still := os.Stat(place.file()); still == nil {
			p.note("worker IDs and numbers are kept in %s, a new file", place)
		}
	}
	if errors.Is(err, uid.ErrConfig) {
		return nil, unusable(cmp.Or(place.source, "the store"), err)
	}
	if err != nil {
		return nil, err
	}
	return &workerStore{*opened, place}, nil
}

func (c choice) open(ctx context.Context, o scheme.Options) (*scheme.Store, error) {
	if c.url == nil {
		return mysql.OpenDSN(c.dsn, o)
	}
	return c.url.Open(ctx, o)
}
