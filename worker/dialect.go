package worker

import "fmt"

// A Dialect is the kind of SQL that a database speaks.
type Dialect string

// The dialects. MySQL stands for MariaDB too.
const (
	MySQL  Dialect = "mysql"
	SQLite Dialect = "sqlite"
)

// resolve returns d itself, or the driver's dialect when d is empty.
func (d Dialect) resolve(driver string) (Dialect, error) {
	switch d {
	case MySQL, SQLite:
		return d, nil
	case "":
	default:
		return "", fmt.Errorf("%w: unknown dialect %q (%q and %q are known)", ErrConfig, string(d), MySQL, SQLite)
	}
	switch driver {
	case "mysql":
		return MySQL, nil
	case "sqlite", "sqlite3":
		return SQLite, nil
	}
	return "", fmt.Errorf("%w: the dialect of the database driver %q is not known; set Dialect to %q or %q", ErrConfig, driver, MySQL, SQLite)
}
