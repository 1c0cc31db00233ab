package database

import (
	"database/sql"
	"reflect"
)

// drivers are the names of drivers, as resolve knows them, by the packages of their types.
var drivers = map[string]string{
	"github.com/go-sql-driver/mysql": "mysql",
	"github.com/jackc/pgx/v5/stdlib": "pgx",
	"github.com/lib/pq":              "postgres",
	"modernc.org/sqlite":             "sqlite",
	"github.com/mattn/go-sqlite3":    "sqlite3",
}

// driverName returns the name of a database's driver, by its type: a sql.DB does not know the name under which it was
// opened. For an unknown driver, such as one that wraps another, it is the type, which has no dialect.
func driverName(db *sql.DB) string {
	driver := reflect.TypeOf(db.Driver())
	if driver == nil {
		return "<nil>" // of a connector that has none
	}
	named := driver
	if named.Kind() == reflect.Pointer {
		named = named.Elem()
	}
	if name, ok := drivers[named.PkgPath()]; ok {
		return name
	}
	return driver.String()
}
