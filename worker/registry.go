package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
)

// RegistryConfig holds the settings of a [Registry]. The zero value works, for any
// database whose driver is called mysql, sqlite or sqlite3.
type RegistryConfig struct {
	// NodeTable and LeaseTable are the names of the tables of disposable and of
	// leased IDs. The defaults, for "", are WORKER_NODE and WORKER_LEASE.
	NodeTable, LeaseTable string

	// Dialect is the SQL that the database speaks. The default, for "", is told by
	// the name of the database's driver; a driver of another name needs it set.
	Dialect Dialect

	// Timeout bounds each call, all attempts together. The default, for 0, is 30 s.
	// A negative one is refused.
	Timeout time.Duration

	// Logger gets a Warn record when the database is not available at first. The
	// default, for nil, is slog.Default at the time of NewRegistry.
	Logger *slog.Logger

	// Now is the clock that Check compares with the database's. The default, for
	// nil, is time.Now.
	Now func() time.Time
}

// Registry is the tables in which workers keep their IDs, for those who look after
// them: who holds what, and what would bite. Only Init creates a table; each method
// reads and writes only what it says.
//
// A database call that may pass is tried again until the configured timeout or the
// end of the context, as Acquire of [Disposable] does; other failures are returned
// in the words that the package's doc describes.
//
// Make it with [NewRegistry]. All methods may be called by any number of goroutines
// at once, while workers are at work.
type Registry struct {
	db            *sqlx.DB
	dialect       Dialect
	nodes, leases string // names of the tables
	timeout       time.Duration
	log           *slog.Logger
	now           func() time.Time
	clockQuery    string // for the database's time
}

// NewRegistry returns the registry in db, which stays the caller's to close. It
// returns [uid.ErrConfig] when a setting cannot be used. It does not touch the
// database.
func NewRegistry(db *sqlx.DB, cfg RegistryConfig) (*Registry, error) {
	if db == nil || db.DB == nil {
		return nil, fmt.Errorf("%w: no database", uid.ErrConfig)
	}
	r := &Registry{db: db, timeout: cfg.Timeout, log: cfg.Logger, now: cfg.Now}
	var err error
	if r.dialect, err = cfg.Dialect.resolve(db.DriverName()); err != nil {
		return nil, err
	}
	r.clockQuery = r.dialect.clock()
	if r.nodes, err = tableName(cfg.NodeTable, workerNode); err != nil {
		return nil, err
	}
	if r.leases, err = tableName(cfg.LeaseTable, workerLease); err != nil {
		return nil, err
	}
	if r.timeout < 0 {
		return nil, fmt.Errorf("%w: Timeout %v is negative", uid.ErrConfig, r.timeout)
	}
	if r.timeout == 0 {
		r.timeout = retry.DefaultTimeout
	}
	if r.log == nil {
		r.log = slog.Default()
	}
	if r.now == nil {
		r.now = time.Now
	}
	return r, nil
}

// do calls attempt with a connection until it succeeds, fails for good, or the time
// is up.
func (r *Registry) do(ctx context.Context, doing string, attempt func(context.Context, *sqlx.Conn) error) error {
	err := retry.Do(ctx, r.timeout, r.log, func(ctx context.Context) error {
		conn, err := r.db.Connx(ctx)
		if err != nil {
			return failed("connect", err)
		}
		defer conn.Close()
		return attempt(ctx, conn)
	})
	if err != nil {
		return fmt.Errorf("worker: %s: %w", doing, err)
	}
	return nil
}

// reader is what both a connection and a transaction can do.
type reader interface {
	querier
	GetContext(ctx context.Context, to any, query string, args ...any) error
	SelectContext(ctx context.Context, to any, query string, args ...any) error
}

// clock reads the database's clock.
func (r *Registry) clock(ctx context.Context, from reader) (time.Time, error) {
	var now micros
	if err := from.GetContext(ctx, &now, r.clockQuery); err != nil {
		return time.Time{}, failed("ask for the database's time", err)
	}
	return now.time(), nil
}

func isMissingTable(err error) bool { return kindOf(err) == missingTable }

// The errors of a Registry.
var (
	// ErrNoLease is returned by Release when the namespace has no row of that
	// worker ID.
	ErrNoLease = errors.New("no such lease")

	// ErrLive is returned by Release when the lease has not run out yet and it was
	// not forced.
	ErrLive = errors.New("the lease is live")
)
