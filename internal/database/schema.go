package database

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
)

// The default names of the tables. WORKER_NODE is UidGenerator's, leaf_alloc is Leaf's.
const (
	NodeTable    = "WORKER_NODE"       // disposable IDs
	LeaseTable   = "WORKER_LEASE"      // leased IDs
	SegmentTable = "leaf_alloc"        // of Leaf: the next number of each tag
	TakerTable   = "leaf_alloc_takers" // the owners of each tag's last numbers
)

// plainName matches names that need no escaping inside backquotes, of MySQL's length.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]{0,63}$`)

// TableName returns a table's name or, for "", its default name: on PostgreSQL in lower case, which people can write
// without quotes. It returns [uid.ErrConfig] for a name that is not plain, since statements are built with it, or that
// PostgreSQL would cut.
func (d Dialect) TableName(name, defaultName string) (string, error) {
	switch {
	case name == "" && d == Postgres:
		return strings.ToLower(defaultName), nil
	case name == "":
		return defaultName, nil
	case !plainName.MatchString(name):
		return "", fmt.Errorf("%w: table name %.100q: a letter or _, then letters, digits, _ or $, at most 64 in all",
			uid.ErrConfig, name)
	case d == Postgres && len(name) > 63:
		return "", fmt.Errorf("%w: table name %q has %d characters; PostgreSQL cuts names after 63",
			uid.ErrConfig, name, len(name))
	}
	return name, nil
}

// The statements that create the tables: NAME.DIALECT.sql, with the default name in backquotes; see [Dialect.SQL].
//
//go:embed schema/*.sql
var schemaFiles embed.FS

// schema returns the statement that creates a table if it is missing.
func (d Dialect) schema(defaultName, name string) (string, error) {
	text, err := schemaFiles.ReadFile(fmt.Sprintf("schema/%s.%s.sql", strings.ToLower(defaultName), d))
	if err != nil {
		return "", fmt.Errorf("no schema of %s for %s: %w", defaultName, d, err)
	}
	if d == Postgres {
		defaultName = strings.ToLower(defaultName)
	}
	return d.SQL(strings.ReplaceAll(string(text), "`"+defaultName+"`", "`"+name+"`")), nil
}

// CreateTable creates a missing table, by the schema of its default name, and reports whether it did. It returns
// [uid.ErrConfig] where there is a table whose name differs in case only: that table has the numbers in use.
func (d Dialect) CreateTable(ctx context.Context, conn Session, defaultName, name string) (made bool, _ error) {
	alike, err := d.Alike(ctx, conn, name)
	if err != nil || slices.Contains(alike, name) {
		return false, err
	}
	if len(alike) > 0 {
		return false, fmt.Errorf("%w: there is no table %s, and none is made beside %s, whose name differs in case "+
			"only: its numbers would come again. Name that one (NodeTable, LeaseTable or SegmentTable of "+
			"sqlstore.Config), or rename it; if both are meant, make %[2]s by hand", uid.ErrConfig, name, alike[0])
	}
	statement, err := d.schema(defaultName, name)
	if err != nil {
		return false, err
	}
	_, err = conn.ExecContext(ctx, statement)
	if isMadeMeanwhile(err) { // now it is there
		_, err = conn.ExecContext(ctx, statement)
	}
	return err == nil, Failed("create the table", err)
}

// Alike returns the names of tables that are names, or differ from one in case only, as far as this account may see.
// A table whose name the database takes for one of names has that name.
func (d Dialect) Alike(ctx context.Context, from sqlx.QueryerContext, names ...string) (alike []string, err error) {
	type table struct {
		name  string
		cased bool // the database has another table under a name in another case
	}
	among := strings.ToLower("'" + strings.Join(names, "', '") + "'")
	found, err := SelectRows(ctx, from, func(t *table) []any { return []any{&t.name, &t.cased} },
		strings.ReplaceAll(expressions[d].alike, "{names}", among))
	for _, t := range found {
		for _, name := range names {
			if !t.cased && strings.EqualFold(t.name, name) {
				t.name = name
			}
		}
		alike = append(alike, t.name)
	}
	return alike, Failed("look for tables by name", err)
}
