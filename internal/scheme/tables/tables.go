// Package tables is what the drivers of SQL databases share.
package tables

import (
	"database/sql"
	"errors"
	"time"

	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/worker/sqlstore"
)

// Of returns the tables of a database, which is closed with the store, and when they cannot be used.
func Of(db *sql.DB, o scheme.Options) (*scheme.Store, error) {
	tables, err := sqlstore.New(db, sqlstore.Config{
		NodeTable: o.NodeTable, LeaseTable: o.LeaseTable, SegmentTable: o.SegmentTable, Logger: o.Logger,
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &scheme.Store{Registry: tables.Registry(), Numbers: tables.Numbers(), Segments: tables.Segments(),
		Close: db.Close}, nil
}

// OfServer is Of for a database on a server, to which a worker holds few connections.
func OfServer(db *sql.DB, o scheme.Options) (*scheme.Store, error) {
	db.SetMaxOpenConns(2)
	db.SetMaxIdleConns(1)
	db.SetConnMaxLifetime(3 * time.Minute) // servers and proxies close idle connections later
	return Of(db, o)
}
