package sqlstore

import "github.com/jmoiron/sqlx"

// Database returns the database of the tables.
func Database(d *DB) *sqlx.DB { return d.db }

// DialectOf returns the database's dialect.
func DialectOf(d *DB) string { return string(d.dialect) }
