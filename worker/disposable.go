package worker

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
)

// workerNode is the table's name in UidGenerator, and in the schema files.
const workerNode = "WORKER_NODE"

// The values of the column TYPE, as UidGenerator numbers them.
const (
	typeContainer = 1 // HOST_NAME and PORT are an address
	typeActual    = 2 // PORT is a random text
)

// DisposableConfig holds the settings of a [Disposable]. The zero value works, for
// any database whose driver is called mysql, sqlite or sqlite3.
type DisposableConfig struct {
	// Table is the table's name, at most 64 letters, digits, _ and $. The default,
	// for "", is WORKER_NODE.
	Table string

	// Dialect is the SQL that the database speaks. The default, for "", is told by
	// the name of the database's driver; a driver of another name needs it set.
	Dialect Dialect

	// Timeout bounds the time that Acquire tries, all attempts together. The
	// default, for 0, is 30 s. A negative one is refused.
	Timeout time.Duration

	// Host and Port are what the row says about this process, at most 64 characters
	// each. They are for people: uniqueness does not rest on them. When Port is set
	// the row has TYPE 1 (CONTAINER), else TYPE 2 (ACTUAL) and a random text for a
	// port. Port without Host is refused.
	//
	// When Host is "", both are taken from the environment, see HostEnv; when that
	// has neither, Host is the operating system's host name. A name that is too
	// long is refused, never cut.
	Host, Port string

	// HostEnv and PortEnv name the environment variables that hold a container's
	// host and port, of which the first that is set and not empty counts. That only
	// one of the two is found is an error. The defaults, for nil, are UID_HOST,
	// JPAAS_HOST and UID_PORT, JPAAS_HTTP_PORT, JPAAS_HOST_PORT_8080; an empty slice
	// that is not nil looks at no variable.
	HostEnv, PortEnv []string

	// Logger gets one Info record with the ID that was assigned, a Warn record when
	// more than 80 % of the layout's IDs are gone, and one when the database is not
	// available at first. The default, for nil, is slog.Default at the time of
	// NewDisposable.
	Logger *slog.Logger
}

// Disposable is a [uid.Worker] that inserts a row into a table of a database each
// time a generator is made on it, and uses the row's generated key as the worker
// ID. No ID is used again as long as the table's counter only goes up, so that all
// ticks are free under it and no clock of the past matters; but each start uses one of the layout's IDs up. See the
// package's doc for what the database has to keep for that.
//
// Make it with [NewDisposable]. All methods may be called by any number of
// goroutines at once. It is not to be copied.
type Disposable struct {
	db      *sqlx.DB
	dialect Dialect
	table   string
	create  string // the statement that creates the table
	timeout time.Duration
	host    hostSource
	log     *slog.Logger

	bound atomic.Bool
	id    atomic.Int64 // of the generator that is bound
}

// NewDisposable returns a worker on db, which stays the caller's to close. It
// returns [uid.ErrConfig] or [uid.ErrRange] when a setting cannot be used. It does not
// touch the database; the first Acquire does.
func NewDisposable(db *sqlx.DB, cfg DisposableConfig) (*Disposable, error) {
	if db == nil || db.DB == nil {
		return nil, fmt.Errorf("%w: no database", uid.ErrConfig)
	}
	dialect, err := cfg.Dialect.resolve(db.DriverName())
	if err != nil {
		return nil, err
	}
	table, err := tableName(cfg.Table, workerNode)
	if err != nil {
		return nil, err
	}
	create, err := schema(workerNode, table, dialect)
	if err != nil {
		return nil, err
	}
	d := &Disposable{
		db: db, dialect: dialect, table: table, create: create, timeout: cfg.Timeout, log: cfg.Logger,
		host: hostSource{host: cfg.Host, port: cfg.Port, hostEnv: cfg.HostEnv, portEnv: cfg.PortEnv},
	}
	if d.timeout < 0 {
		return nil, fmt.Errorf("%w: Timeout %v is negative", uid.ErrConfig, d.timeout)
	}
	if d.timeout == 0 {
		d.timeout = retry.DefaultTimeout
	}
	if d.host.hostEnv == nil {
		d.host.hostEnv = defaultHostEnv
	}
	if d.host.portEnv == nil {
		d.host.portEnv = defaultPortEnv
	}
	if err := d.host.validate(); err != nil {
		return nil, err
	}
	if d.log == nil {
		d.log = slog.Default()
	}
	return d, nil
}

// Acquire inserts a row, in a table that it creates if it is missing, and returns
// a reservation of all ticks under the row's ID.
//
// What may pass it tries again until the configured timeout or the end of ctx: a
// deadlock, a lock, a broken connection, a server that refuses connections, shuts
// down or has too many, a host name that does not resolve. Then its error wraps
// [context.DeadlineExceeded] or [context.Canceled] and tells the last failure.
//
// It fails at once with
//   - [uid.ErrWorkerInUse] while another generator is bound to d;
//   - [uid.ErrNoWorkerID] when the ID is above the layout's maximum;
//   - [ErrUnconfirmed] when the database tells no ID, or the row that it holds
//     under the ID is not the one that was written;
//   - [uid.ErrConfig] or [uid.ErrRange] when the host cannot be named, and [uid.ErrConfig] for
//     SQLite in memory, or with locking_mode EXCLUSIVE;
//   - [ErrState] when the file of SQLite is not in its place, or has another name;
//   - an error that tells the server's error number on all else: access denied, no
//     such database, a read-only server, a table of other columns.
//
// An attempt that fails after its insert leaves its row, and the ID unused.
func (d *Disposable) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if !d.bound.CompareAndSwap(false, true) {
		return uid.Reservation{}, fmt.Errorf("%w: the worker on table %s", uid.ErrWorkerInUse, d.table)
	}
	id, err := d.assign(ctx, t.MaxWorkerID)
	if err != nil {
		d.bound.Store(false)
		return uid.Reservation{}, fmt.Errorf("worker: assign an ID from table %s: %w", d.table, err)
	}
	return reservationOf(id), nil
}

// Extend returns the reservation again, which is of all ticks, and
// [uid.ErrNoReservation] when no generator is bound to d.
func (d *Disposable) Extend(context.Context, int64) (uid.Reservation, error) {
	if !d.bound.Load() {
		return uid.Reservation{}, fmt.Errorf("%w: the worker on table %s serves no generator", uid.ErrNoReservation, d.table)
	}
	return reservationOf(d.id.Load()), nil
}

// Release gives the ID up for ever. It leaves the row as it is. It returns
// [uid.ErrNoReservation] when no generator is bound to d.
func (d *Disposable) Release(context.Context, int64) error {
	if !d.bound.CompareAndSwap(true, false) {
		return fmt.Errorf("%w: the worker on table %s serves no generator", uid.ErrNoReservation, d.table)
	}
	return nil
}

func reservationOf(id int64) uid.Reservation {
	return uid.Reservation{WorkerID: id, Last: math.MaxInt64, Renew: math.MaxInt64}
}

func (d *Disposable) assign(ctx context.Context, maxID int64) (int64, error) {
	host, err := d.host.identify()
	if err != nil {
		return 0, err
	}
	var id int64
	err = retry.Do(ctx, d.timeout, d.log, func(ctx context.Context) (err error) {
		id, err = d.attempt(ctx, host, maxID)
		return err
	})
	if err != nil {
		return 0, err
	}
	d.id.Store(id)
	d.log.InfoContext(ctx, "worker ID assigned", "worker_id", id, "max_worker_id", maxID,
		"table", d.table, "host", host.name, "port", host.port)
	if id > maxID/5*4+maxID%5*4/5 { // 4/5 of maxID, which must not overflow
		d.log.WarnContext(ctx, "worker IDs are running out: more than 80 % of the layout's are used", "worker_id", id,
			"max_worker_id", maxID, "left", maxID-id, "table", d.table)
	}
	return id, nil
}

// attempt gets one ID, all on one connection. Nothing of it is taken up by a later
// attempt: that one inserts a row of its own, with a nonce of its own.
func (d *Disposable) attempt(ctx context.Context, host hostID, maxID int64) (int64, error) {
	conn, err := d.db.Connx(ctx)
	if err != nil {
		return 0, failed("connect", err)
	}
	defer conn.Close()

	var place filePlace
	if err := d.look(ctx, conn, &place); err != nil {
		return 0, err
	}
	nonce := rand.Text()
	id, err := d.insert(ctx, conn, host, nonce, maxID)
	if kindOf(err) == missingTable {
		if _, err := conn.ExecContext(ctx, d.create); err != nil {
			return 0, failed("create the table", err)
		}
		id, err = d.insert(ctx, conn, host, nonce, maxID)
	}
	if err != nil {
		return 0, err
	}
	if d.dialect == SQLite {
		if err := d.confirm(ctx, conn, id, nonce, ""); err != nil {
			return 0, err
		}
		if err := place.confirm(ctx, conn, nonce, "SELECT PORT FROM "+placeSchema+".`"+d.table+"` WHERE ID = ?", id); err != nil {
			return 0, err
		}
	}
	if err := d.confirm(ctx, conn, id, nonce, host.port); err != nil {
		return 0, err
	}
	return id, d.look(ctx, conn, &place)
}

// look looks at the place of a SQLite file.
func (d *Disposable) look(ctx context.Context, conn *sqlx.Conn, place *filePlace) error {
	if d.dialect != SQLite {
		return nil
	}
	return place.look(ctx, conn)
}

// insert commits a row whose PORT is the nonce, and returns the ID that the
// insert's own result tells.
func (d *Disposable) insert(ctx context.Context, conn *sqlx.Conn, host hostID, nonce string, maxID int64) (id int64, err error) {
	kind := typeActual
	if host.port != "" {
		kind = typeContainer
	}
	err = transact(ctx, conn, d.dialect, func(tx session) error {
		res, err := tx.ExecContext(ctx, "INSERT INTO `"+d.table+"` (HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED)"+
			" VALUES (?, ?, ?, CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)", host.name, nonce, kind)
		if err != nil {
			return failed("insert a row", err)
		}
		if id, err = res.LastInsertId(); err != nil {
			return failed("read the insert's ID", err)
		}
		if id <= 0 {
			return fmt.Errorf("%w: the database reported ID %d for the new row; is the column ID an AUTO_INCREMENT key?", ErrUnconfirmed, id)
		}
		if id > maxID {
			return fmt.Errorf("%w: the table's next ID is %d, the layout's maximum is %d", uid.ErrNoWorkerID, id, maxID)
		}
		return nil
	})
	return id, err
}

// confirm reads the row back after its commit, and then puts the port, if one is
// known, where the nonce has done its work. It does so in a transaction, which a
// proxy that spreads reads over replicas leaves with the server that writes.
func (d *Disposable) confirm(ctx context.Context, conn *sqlx.Conn, id int64, nonce, port string) error {
	return transact(ctx, conn, d.dialect, func(tx session) error {
		var found string
		err := tx.GetContext(ctx, &found, "SELECT PORT FROM `"+d.table+"` WHERE ID = ?", id)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("%w: the row just inserted, ID %d, is not there; did the read go to another server?", ErrUnconfirmed, id)
		case err != nil:
			return failed("read the new row back", err)
		case found != nonce:
			return fmt.Errorf("%w: the row with ID %d does not bear the random text just written: it is another's, or was changed", ErrUnconfirmed, id)
		}
		if port == "" {
			return nil
		}
		res, err := tx.ExecContext(ctx, "UPDATE `"+d.table+"` SET PORT = ?, MODIFIED = CURRENT_TIMESTAMP WHERE ID = ? AND PORT = ?", port, id, nonce)
		if isDuplicate(err) {
			// A key over both names: the one before has ended, or also uses the port. It keeps
			// its row, and this one the random text.
			d.log.WarnContext(ctx, "the table of worker IDs takes no second row with this host and port, whose row therefore keeps a random text for the port",
				"worker_id", id, "table", d.table, "port", port)
			return nil
		}
		if err != nil {
			return failed("write the port", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return failed("write the port", err)
		}
		if n != 1 {
			return fmt.Errorf("%w: writing the port changed %d rows with ID %d, not 1", ErrUnconfirmed, n, id)
		}
		return nil
	})
}
