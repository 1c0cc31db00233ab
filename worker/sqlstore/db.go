package sqlstore

import (
	"database/sql"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/settings"
)

// Config holds the settings of a [DB]. The zero value works with the drivers that Dialect lists.
type Config struct {
	// Dialect is the database's SQL: "mysql" (MariaDB's, too), "postgres" or "sqlite". The default follows from the
	// driver: the name that a [sqlx.DB] has (mysql, pgx, postgres, sqlite, sqlite3), or the type for a [sql.DB] (of
	// go-sql-driver/mysql, pgx/v5/stdlib, lib/pq, modernc.org/sqlite, mattn/go-sqlite3). Any other driver needs it set.
	Dialect string

	// NodeTable, LeaseTable and SegmentTable name the tables of disposable IDs, of leased IDs and of Leaf's segments,
	// with at most 64 letters, digits, _ and $, on PostgreSQL 63; SegmentTable with _takers at its end, too. The
	// defaults, for "", are WORKER_NODE, WORKER_LEASE and leaf_alloc, on PostgreSQL in lower case.
	NodeTable, LeaseTable, SegmentTable string

	// Skip is how many starts the database may have lost, when the table's history has changed, without giving an ID
	// out twice: a start then skips at least so many IDs, and at most four times as many, at random. If a second
	// failover loses that start, too, its ID comes again with a chance of one in three times Skip. The default, for 0,
	// is 255, or for layouts of less than 20 worker bits a 4,096th of their IDs, at least one. A negative Skip skips
	// none.
	Skip int64

	// Follows lets workers start on a server of MySQL or MariaDB that applies another server's writes. Set it only if
	// no client reaches a server before it has applied all that it had received: the rest would overwrite newer rows.
	Follows bool

	// Logger gets an Info record for each table that is made, and a Warn record when the table of disposable IDs
	// refuses a process's port. The default is slog.Default at the time of New.
	Logger *slog.Logger
}

// A DB is a database with the tables of worker IDs and of segments. Make it with [New]. Any number of goroutines may
// call all methods at once; none touches the database.
type DB struct{ tables }

// tables are the tables of a database.
type tables struct {
	db      *sqlx.DB
	dialect database.Dialect
	// Names of the tables.
	nodes, leases, segments, takers string

	skip  int64
	leads bool // the server must follow no other server
	log   *slog.Logger
	begin *atomic.Pointer[string] // the first words of a query on a MySQL server; nil until they are known
}

// New returns the tables in db, a [sql.DB] or a [sqlx.DB], which the caller closes. It returns
// [uid.ErrConfig] when a setting cannot be used. It does not touch the database.
func New[Database *sql.DB | *sqlx.DB](db Database, cfg Config) (*DB, error) {
	switch db := any(db).(type) {
	case *sqlx.DB:
		return open(db, cfg)
	case *sql.DB:
		if db != nil {
			return open(sqlx.NewDb(db, ""), cfg)
		}
	}
	return open(nil, cfg)
}

func open(db *sqlx.DB, cfg Config) (*DB, error) {
	if db == nil || db.DB == nil {
		return nil, fmt.Errorf("%w: no database", uid.ErrConfig)
	}
	d := &DB{tables{db: db, skip: cfg.Skip, leads: !cfg.Follows, log: settings.Logger(cfg.Logger),
		begin: new(atomic.Pointer[string])}}
	var err error
	if d.dialect, err = database.Resolve(cfg.Dialect, db); err != nil {
		return nil, err
	}
	for _, t := range []struct {
		name                 *string
		configured, standard string
	}{
		{&d.nodes, cfg.NodeTable, database.NodeTable},
		{&d.leases, cfg.LeaseTable, database.LeaseTable},
		{&d.segments, cfg.SegmentTable, database.SegmentTable},
	} {
		if *t.name, err = d.dialect.TableName(t.configured, t.standard); err != nil {
			return nil, err
		}
	}
	if d.takers, err = d.dialect.TableName(d.segments+"_takers", database.TakerTable); err != nil {
		return nil, fmt.Errorf("the table beside %s: %w", d.segments, err)
	}
	return d, nil
}
