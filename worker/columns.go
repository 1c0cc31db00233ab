package worker

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// A columnSpec is what a table has to have. Columns beyond these are allowed if an
// insert can leave them out.
type columnSpec struct {
	name  string
	kind  columnKind
	chars int64 // least width of a text
}

type columnKind int

const (
	key    columnKind = iota // a whole number of more bits than a worker ID has by default
	signed                   // bigint that holds negative numbers
	number                   // any whole number
	text
	date
)

// generated is the column whose values the database makes.
const generated = "ID"

var nodeColumns = []columnSpec{
	{generated, key, 0}, {"HOST_NAME", text, maxNameLen}, {"PORT", text, maxNameLen}, {"TYPE", number, 0},
	{"LAUNCH_DATE", date, 0}, {"MODIFIED", date, 0}, {"CREATED", date, 0},
}

var leaseTableColumns = []columnSpec{
	{"NAMESPACE", text, maxNamespaceLen}, {"WORKER_ID", signed, 0}, {"NONCE", text, 32}, {"HIGH", signed, 0}, {"LEASE_UNTIL", signed, 0},
	{"LAYOUT", text, 255}, {"HOLDER", text, maxHolderLen}, {"ACQUIRED", signed, 0}, {"RENEWED", signed, 0}, {"REACH", signed, 0},
}

// tableShape is what the database says of a table.
type tableShape struct {
	engine  string // of MySQL
	columns []tableColumn
}

type tableColumn struct {
	Name      string
	Type      string // without its width
	Width     sql.NullInt64
	Unsigned  bool
	Collation sql.NullString
	Key       bool // part of the primary key
	Filled    bool // an insert can leave it out
	Generated bool // AUTO_INCREMENT
}

func (c *tableColumn) fields() []any {
	return []any{&c.Name, &c.Type, &c.Width, &c.Unsigned, &c.Collation, &c.Key, &c.Filled, &c.Generated}
}

// columns compares a table with what workers expect of it.
func (c *check) columns(ctx context.Context, what, name string, want []columnSpec) error {
	shape, err := readShape(ctx, c.conn, c.dialect, name)
	if err != nil {
		return c.told(what, err)
	}
	if len(shape.columns) == 0 {
		return nil // not this account's to see
	}
	c.add(judgeTable(what, name, c.dialect, shape, want))
	return nil
}

// readShape returns no columns where there is no such table, or the account has no right on
// it.
func readShape(ctx context.Context, from reader, dialect Dialect, name string) (tableShape, error) {
	if dialect == SQLite {
		return sqliteShape(ctx, from, name)
	}
	var s tableShape
	if err := from.GetContext(ctx, &s.engine, "SELECT COALESCE(ENGINE, '') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", name); err != nil {
		if err == sql.ErrNoRows {
			return s, nil
		}
		return s, failed("read the engine of table "+name, err)
	}
	var err error
	s.columns, err = selectRows(ctx, from, (*tableColumn).fields, `SELECT UPPER(COLUMN_NAME), LOWER(DATA_TYPE), CHARACTER_MAXIMUM_LENGTH,
		COLUMN_TYPE LIKE '%unsigned%', COLLATION_NAME, COLUMN_KEY = 'PRI',
		IS_NULLABLE = 'YES' OR COLUMN_DEFAULT IS NOT NULL OR EXTRA <> '', EXTRA LIKE '%auto_increment%'
		FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`, name)
	if err != nil {
		return s, failed("read the columns of table "+name, err)
	}
	return s, nil
}

// judgeTable tells the worst that is wrong with a table.
func judgeTable(what, name string, d Dialect, s tableShape, want []columnSpec) Finding {
	const compare = "Compare the table with the statement that creates it, in worker/schema."
	bad := func(value, why string) Finding { return Finding{LevelError, what, value, why, compare} }
	if d == MySQL && !strings.EqualFold(s.engine, "InnoDB") {
		return Finding{LevelError, what, "engine " + s.engine, "Only InnoDB rolls back, locks rows and is safe in a crash.", "ALTER TABLE " + name + " ENGINE = InnoDB"}
	}
	have := map[string]tableColumn{}
	for _, col := range s.columns {
		have[col.Name] = col
	}
	for _, w := range want {
		col, ok := have[w.name]
		delete(have, w.name)
		switch {
		case !ok:
			return bad("no column "+w.name, "Workers read and write it.")
		case !w.kind.fits(col, d):
			kind := col.Type
			if col.Unsigned {
				kind += " unsigned"
			}
			return bad(fmt.Sprintf("column %s is of type %s", w.name, kind), "It cannot hold all that workers write.")
		case w.chars > 0 && col.Width.Valid && col.Width.Int64 < w.chars && d == MySQL:
			return bad(fmt.Sprintf("column %s holds %d characters", w.name, col.Width.Int64), fmt.Sprintf("Workers write up to %d.", w.chars))
		case w.name == generated && !col.Generated:
			return bad("column ID is not AUTO_INCREMENT", "The database has to make IDs that were never used, also after rows were deleted.")
		case w.name == generated && !col.Key, (w.name == "NAMESPACE" || w.name == "WORKER_ID") && !col.Key:
			return bad(fmt.Sprintf("column %s is not in the primary key", w.name), "Nothing keeps two rows from having one ID.")
		case w.name == "NAMESPACE" && strings.HasSuffix(col.Collation.String, "_ci"):
			return Finding{LevelNote, what, "namespaces are compared with " + col.Collation.String, "Names that differ by case only are one namespace.", compare}
		}
	}
	for _, col := range s.columns {
		if extra, ok := have[col.Name]; ok && !extra.Filled {
			return bad("further column "+col.Name, "It has no default, so that the workers' inserts fail.")
		}
	}
	value := fmt.Sprintf("%d columns", len(s.columns))
	if d == MySQL {
		value = "InnoDB, " + value
	}
	return Finding{Level: LevelOK, What: what, Value: value + " as expected"}
}

func (k columnKind) fits(c tableColumn, d Dialect) bool {
	kind := strings.ToLower(c.Type)
	if d == SQLite {
		return true // any column of SQLite holds any value
	}
	switch k {
	case key:
		return kind == "bigint" || kind == "int"
	case signed:
		return kind == "bigint" && !c.Unsigned
	case number:
		return strings.HasSuffix(kind, "int")
	case text:
		return strings.HasSuffix(kind, "char") || strings.HasSuffix(kind, "text") || strings.HasSuffix(kind, "binary")
	default:
		return kind == "date" || kind == "timestamp" || kind == "datetime"
	}
}
