package database

import "github.com/jmoiron/sqlx"

// Tables are a database and the names of its tables.
type Tables struct {
	DB                      *sqlx.DB
	Dialect                 Dialect
	Nodes, Leases, Segments string
}
