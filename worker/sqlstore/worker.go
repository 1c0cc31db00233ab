package sqlstore

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/lazy"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
)

// Lease returns a worker that leases a worker ID of a namespace in db (see [DB.Leases]). A first start makes a missing
// namespace, and the table.
//
// A generator returns the errors of [New], [DB.Leases] and [lease.New] when it is made, and [uid.ErrConfig] for a
// second Config. Close it, which gives the ID back, before db.
func Lease[Database *sql.DB | *sqlx.DB](db Database, namespace string, cfg ...lease.Config) uid.Worker {
	return lazy.Lease(cfg, func() (lease.Store, error) {
		tables, err := New(db, Config{})
		if err != nil {
			return nil, err
		}
		return tables.Leases(namespace)
	})
}

// Disposable returns a worker that takes a new worker ID from the table of UidGenerator in db at each start. It makes a
// missing table. Its errors are those of [New] and [disposable.New], and [uid.ErrConfig] for a second Config. Close the
// generator before db.
func Disposable[Database *sql.DB | *sqlx.DB](db Database, cfg ...disposable.Config) uid.Worker {
	return lazy.New(func(context.Context) (uid.Worker, func() error, error) {
		c, err := lazy.One(cfg)
		if err != nil {
			return nil, nil, err
		}
		tables, err := New(db, Config{})
		if err != nil {
			return nil, nil, err
		}
		w, err := disposable.New(tables.Numbers(), c)
		return w, nil, err
	})
}

// Segment returns a generator of dense numbers of a tag, from the table of Leaf in db under its default name. It
// returns the errors of [New] and of [segment.New]. Close the generator before db.
func Segment[Database *sql.DB | *sqlx.DB](db Database, tag string, cfg segment.Config) (*segment.Generator, error) {
	tables, err := New(db, Config{})
	if err != nil {
		return nil, err
	}
	return segment.New(tables.Segments(), tag, cfg)
}
