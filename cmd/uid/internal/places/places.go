// Package places opens what the flags --store and --mysql name: the places of worker IDs and of numbers.
package places

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	_ "github.com/uidgen/uid/connect/postgres"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/internal/scheme/mysql"
	"github.com/uidgen/uid/internal/settings"
	_ "github.com/uidgen/uid/stores/etcd"
	_ "github.com/uidgen/uid/stores/kubernetes"
	_ "github.com/uidgen/uid/stores/redis"
	_ "github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	_ "github.com/uidgen/uid/worker/sqlite"
)

// The environment variables with a store: what --store takes, and a MySQL DSN.
const (
	StoreEnv = "UID_STORE"
	DSNEnv   = "UID_MYSQL_DSN"
)

// The default names of tables.
const (
	NodeTable    = "WORKER_NODE"
	LeaseTable   = "WORKER_LEASE"
	segmentTable = "leaf_alloc"
)

// A Store holds the flags that say where worker IDs and numbers come from.
type Store struct {
	Place, DSN string
	Existing   bool          // do not create a missing SQLite file
	Timeout    time.Duration // 0: not given

	Nodes, Leases, Segments string // names of tables, where the store has some
}

// Register registers the flags that all stores have.
func (s *Store) Register(flags *pflag.FlagSet) {
	flags.Var(cli.TextVar(&s.Place, "FILE|URL"), "store",
		"SQLite file or server; prefer the environment variable "+StoreEnv)
	flags.Var(cli.TextVar(&s.DSN, "DSN"), "mysql", "MySQL or MariaDB; prefer the environment variable "+DSNEnv)
	flags.Var(cli.SpanVar(&s.Timeout), "timeout", "how long to try (default 30s, and 3s where no server answers)")
}

// RegisterNodes, RegisterLeases and RegisterSegments register the names of tables.
func (s *Store) RegisterNodes(flags *pflag.FlagSet) {
	flags.StringVar(&s.Nodes, "node-table", NodeTable, "table of disposable IDs, in a database")
}

func (s *Store) RegisterLeases(flags *pflag.FlagSet) {
	flags.StringVar(&s.Leases, "lease-table", LeaseTable, "table of leased IDs, in a database")
}

func (s *Store) RegisterSegments(flags *pflag.FlagSet) {
	flags.StringVar(&s.Segments, "segment-table", segmentTable, "table of segments, in a database")
}

// LossyFlag is --lossy-store.
const (
	LossyFlag  = "lossy-store"
	LossyUsage = "use a store that can lose what it has given out, so that numbers come twice"
)

// Release gives back what is in hand: not under the command's context, which a signal may have ended.
func (s *Store) Release(closing func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(s.Timeout, 10*time.Second))
	defer cancel()
	return closing(ctx)
}

// Try calls attempt until it succeeds, fails finally, or the time is up.
func (s *Store) Try(ctx context.Context, p *cli.Program, attempt func(context.Context) error) error {
	return retry.Do(ctx, s.Timeout, p.Log(), attempt)
}

// With calls do with the store, under a context that a signal cancels.
func (s *Store) With(ctx context.Context, p *cli.Program, do func(context.Context, *Opened) error) error {
	ctx, stop := cli.UntilSignal(ctx)
	defer stop()
	opened, err := s.Open(ctx, p)
	if err == nil {
		defer func() { _ = opened.Close() }()
		err = do(ctx, opened)
	}
	if err != nil {
		return cli.Interrupted(ctx, err)
	}
	return nil
}

// A Choice is the store that a user has named.
type Choice struct {
	url    *scheme.URL
	dsn    string // to open in place of the URL, of which only the scheme is known
	Source string // where it was given: a flag, or a variable of the environment
}

// File is the path of a SQLite file, "" for a server.
func (c Choice) File() string {
	if c.url.Scheme == "sqlite" {
		return c.url.Path
	}
	return ""
}

// Namespace is that of the URL.
func (c Choice) Namespace() string { return c.url.Namespace }

// String names the store without secrets: of a server it says no more than the kind.
func (c Choice) String() string { return cmp.Or(c.File(), "a server of "+c.url.Scheme+"://") }

// Choose returns the store that the flags or the environment name. There is no default: on a host that has lost its
// settings it would be a new file, in which worker IDs begin with 1.
func (s *Store) Choose(getenv func(string) string) (Choice, error) {
	place, dsn := getenv(StoreEnv), getenv(DSNEnv)
	switch {
	case s.Place != "" && s.DSN != "":
		return Choice{}, cli.BadInput("--store and --mysql exclude each other")
	case s.Place != "":
		return parsePlace(s.Place, "--store")
	case s.DSN != "":
		return ofDSN(s.DSN, "--mysql"), nil
	case place != "":
		return parsePlace(place, StoreEnv)
	case dsn != "":
		return ofDSN(dsn, DSNEnv), nil
	}
	return Choice{}, cli.BadInput("no store is named: give --store, or set %s or %s (uid help stores)",
		StoreEnv, DSNEnv)
}

func ofDSN(dsn, source string) Choice {
	return Choice{url: &scheme.URL{Scheme: "mysql"}, dsn: dsn, Source: source}
}

// parsePlace reads what --store takes. No error repeats the text, which may hold a password.
func parsePlace(text, source string) (Choice, error) {
	u, err := scheme.Parse(text)
	switch {
	case err != nil && strings.Contains(text, "://"):
		return Choice{}, unusable(source, err)
	case err != nil:
		return Choice{}, cli.BadInput("%w; a DSN is for --mysql or %s", unusable(source, err), DSNEnv)
	}
	return Choice{url: u, Source: source}, nil
}

// unusable is the error of what was given by source and cannot be used: an [uid.ErrConfig], which says that too.
func unusable(source string, err error) error {
	return cli.BadInput("%s: %s", source, strings.TrimPrefix(err.Error(), uid.ErrConfig.Error()+": "))
}

// An Opened is an open store, of worker IDs and of segments. Where it can say more of itself its Registry is a
// doctor.Examiner, too.
type Opened struct {
	scheme.Store
	Choice Choice // it was opened by this
}

// Open opens the store. It need not be reachable yet; a file that is missing is made, which p says.
func (s *Store) Open(ctx context.Context, p *cli.Program) (*Opened, error) {
	place, err := s.Choose(p.Getenv)
	if err != nil {
		return nil, err
	}
	var missing error
	if file := place.File(); file != "" {
		if _, missing = os.Stat(file); missing != nil && s.Existing {
			return nil, fmt.Errorf("no store: %w", missing)
		}
	}
	opened, err := place.open(ctx, scheme.Options{
		NodeTable: unless(NodeTable, s.Nodes), LeaseTable: unless(LeaseTable, s.Leases),
		SegmentTable: unless(segmentTable, s.Segments), Timeout: s.Timeout, Logger: p.Log(),
	})
	if missing != nil {
		if _, still := os.Stat(place.File()); still == nil {
			p.Note("worker IDs and numbers are kept in %s, a new file", place)
		}
	}
	if errors.Is(err, uid.ErrConfig) {
		return nil, unusable(place.Source, err)
	}
	if err != nil {
		return nil, err
	}
	return &Opened{*opened, place}, nil
}

func (c Choice) open(ctx context.Context, o scheme.Options) (*scheme.Store, error) {
	if c.dsn != "" {
		return mysql.OpenDSN(c.dsn, o)
	}
	return c.url.Open(ctx, o)
}

// unless returns "" for the default name of a table: PostgreSQL's is in lower case.
func unless(byDefault, name string) string {
	if name == byDefault {
		return ""
	}
	return name
}

// Flag names the store again in a command line. It repeats no text that may hold a password.
func (c Choice) Flag() string {
	switch {
	case c.Source == "--store" && c.File() != "":
		return " --store " + shellWord(c.File())
	case strings.HasPrefix(c.Source, "--"):
		return " " + c.Source + " ..."
	}
	return "" // the environment's
}

// shellWord quotes a text for a shell if it needs that.
func shellWord(text string) string {
	if regexp.MustCompile(`^[\w./:@%+,-]+$`).MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// A Worker holds the flags that say under which worker ID a run makes UIDs.
type Worker struct {
	Store     Store
	Layout    cli.LayoutFlag
	Namespace string // of leases; "" if not given
	Lossy     bool
}

// Register registers the flags.
func (w *Worker) Register(flags *pflag.FlagSet) {
	w.Layout = cli.NewLayoutFlag()
	w.Store.Register(flags)
	flags.Var(cli.TextVar(&w.Namespace, "NAME"), "namespace", `namespace of a leased ID (default "default")`)
	flags.Var(&w.Layout, "layout", cli.LayoutUsage)
}

// RegisterSegments registers the flags for numbers.
func (w *Worker) RegisterSegments(flags *pflag.FlagSet) {
	flags.BoolVar(&w.Lossy, LossyFlag, false, LossyUsage)
	w.Store.RegisterSegments(flags)
}

// Choose has a URL that names a namespace lease there, in a database, too.
func (w *Worker) Choose(s *Opened) {
	if named := s.Choice.Namespace(); named != "" && w.Namespace == "" {
		w.Namespace, s.Numbers = named, nil
	}
}

// Of returns the worker of a run: a disposable ID where the store has them, and else a lease.
func (w *Worker) Of(p *cli.Program, s *Opened) (uid.Worker, error) {
	if s.Numbers != nil {
		if w.Namespace != "" {
			return nil, cli.BadInput(
				"--namespace is for stores that lease IDs; this one gives each run an ID of its own")
		}
		return disposable.New(s.Numbers, disposable.Config{
			Timeout: w.Store.Timeout, LossyStore: w.Lossy, Logger: p.Log(), Now: p.Now})
	}
	leases, err := s.Registry.Namespace(w.Namespace)
	if err != nil {
		return nil, cli.InputError{Err: err}
	}
	return lease.New(leases, lease.Config{Timeout: w.Store.Timeout, MustExist: true, Logger: p.Log()})
}

// Explain adds a remedy to the error of a store without a namespace or a free worker ID, or of one that can forget IDs.
func (w *Worker) Explain(s *Opened, err error) error {
	switch {
	case errors.Is(err, worker.ErrNoNamespace):
		layout := ""
		if w.Layout.Given {
			layout = " --layout " + shellWord(w.Layout.Layout.String())
		}
		return fmt.Errorf("%w: this makes it, once: uid worker init --namespace %s%s%s", worker.ErrNoNamespace,
			shellWord(cmp.Or(w.Namespace, settings.DefaultNamespace)), layout, s.Choice.Flag())
	case errors.Is(err, uid.ErrLossy):
		return fmt.Errorf("%w, here with --%s", err, LossyFlag)
	case !errors.Is(err, uid.ErrNoWorkerID):
		return err
	case s.Numbers == nil:
		return fmt.Errorf("%w; IDs come back five minutes after their runs have ended; "+
			"a layout with more worker bits, in a namespace of its own, has more", err)
	}
	return fmt.Errorf("%w; take a layout with more worker bits (uid help layouts), or a store that leases IDs "+
		"and gets them back: etcd, ZooKeeper, Redis, Kubernetes (uid help stores); "+
		"a new store of this kind begins with ID 1 again, and its UIDs can be equal to these", err)
}
