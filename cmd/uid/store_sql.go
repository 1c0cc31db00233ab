package main

import (
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/worker/doctor/sqldoctor"
	"github.com/uidgen/uid/worker/sqlstore"
)

// sqlStore returns the tables of a database, which it closes when they cannot be used.
func sqlStore(db *sqlx.DB, s settings) (*workerStore, error) {
	tables, err := sqlstore.New(db, sqlstore.Config{NodeTable: s.nodes, LeaseTable: s.leases, SegmentTable: s.segments, Logger: s.log})
	if err == nil {
		var examined *sqldoctor.DB
		if examined, err = sqldoctor.New(tables); err == nil {
			return &workerStore{all: examined, numbers: tables.Numbers(), segments: tables.Segments(), close: func() { _ = db.Close() }}, nil
		}
	}
	_ = db.Close()
	return nil, inputError{err}
}

// pooled sets how many connections to a server a command holds.
func pooled(db *sqlx.DB) *sqlx.DB {
	db.SetMaxOpenConns(2)
	db.SetMaxIdleConns(1)
	db.SetConnMaxLifetime(3 * time.Minute) // servers and proxies close idle connections later
	return db
}
