package database

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/uidgen/uid"
)

// The default names of the tables. WORKER_NODE is UidGenerator's, leaf_alloc is Leaf's.
const (
	NodeTable  = "WORKER_NODE"  // disposable IDs
	LeaseTable = "WORKER_LEASE" // leased IDs

	SegmentTable = "leaf_alloc"                // Leaf's: how far the numbers of each tag have been given out
	TakerTable   = SegmentTable + TakersSuffix // who has taken them last
)

// TakersSuffix ends the name of the table beside that of segments, whatever its name.
const TakersSuffix = "_takers"

// DefaultName returns a table's default name in the dialect. PostgreSQL takes a name without quotes
// for one in lower case: with such a name people need none.
func (d Dialect) DefaultName(name string) string {
	if d == Postgres {
		return strings.ToLower(name)
	}
	return name
}

// The tables, one file for each table and dialect: NAME.DIALECT.sql. The table's default name
// stands in it in backquotes; see [Dialect.SQL].
//
//go:embed schema/*.sql
var schemaFiles embed.FS

// Schema returns the statement that creates a table, under the given name, if it is missing. Its
// default name selects the file.
func Schema(defaultName, name string, d Dialect) (string, error) {
	text, err := schemaFiles.ReadFile(fmt.Sprintf("schema/%s.%s.sql", strings.ToLower(defaultName), d))
	if err != nil {
		return "", fmt.Errorf("no schema of %s for %s: %w", defaultName, d, err)
	}
	return d.SQL(strings.ReplaceAll(string(text), "`"+d.DefaultName(defaultName)+"`", "`"+name+"`")), nil
}

// An Alike is a table whose name is one that was asked for, but for its case.
type Alike struct {
	Name string
	Case bool // the database takes a name in another case for another table's
}

// Alike returns the tables whose names are among those given, but for their case, as far as this account may see. The
// names are of [TableName].
func (d Dialect) Alike(ctx context.Context, from Querier, names ...string) ([]Alike, error) {
	among := strings.ToLower("'" + strings.Join(names, "', '") + "'")
	found, err := SelectRows(ctx, from, func(a *Alike) []any { return []any{&a.Name, &a.Case} },
		strings.ReplaceAll(expressions[d].alike, "{names}", among))
	return found, Failed("look for tables by name", err)
}

// plainName matches names that need no escaping inside backquotes, of MySQL's length.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]{0,63}$`)

// TableName returns name, or its default. It refuses everything that is not a plain name, since
// statements are built with it.
func TableName(name, defaultName string) (string, error) {
	if name == "" {
		return defaultName, nil
	}
	if !plainName.MatchString(name) {
		return "", fmt.Errorf("%w: table name %.100q: a letter or _, then letters, digits, _ or $, at most 64 in all",
			uid.ErrConfig, name)
	}
	return name, nil
}
