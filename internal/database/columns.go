package database

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// A Column is a column that a table needs. A table may have more columns if an insert can leave
// them out.
type Column struct {
	name  string
	kind  columnKind
	chars int64 // minimum width of a text
}

type columnKind int

const (
	key    columnKind = iota // an integer of more bits than a worker ID has by default: 32
	signed                   // bigint that holds negative numbers
	count                    // bigint
	number                   // any integer
	text
	date
)

// generated is the column whose values the database generates.
const generated = "ID"

// NodeColumns are the columns of the table of disposable IDs.
var NodeColumns = []Column{
	{generated, key, 0}, {"HOST_NAME", text, 64}, {"PORT", text, 64}, {"TYPE", number, 0},
	{"LAUNCH_DATE", date, 0}, {"MODIFIED", date, 0}, {"CREATED", date, 0},
}

// LeaseColumns are the columns of the table of leased IDs.
var LeaseColumns = []Column{
	{"NAMESPACE", text, 64}, {"WORKER_ID", signed, 0}, {"NONCE", text, 32}, {"HIGH", signed, 0}, {"LEASE_UNTIL", signed, 0},
	{"LAYOUT", text, 255}, {"HOLDER", text, 128}, {"ACQUIRED", signed, 0}, {"RENEWED", signed, 0}, {historyColumn, text, 190},
}

// historyColumn came later than the others, in the place of REACH.
const historyColumn = "HISTORY"

// SegmentColumns are the columns of Leaf's table of segments, and TakerColumns those of the table
// beside it.
var (
	SegmentColumns = []Column{
		{segmentKey, text, 128}, {"max_id", count, 0}, {"step", key, 0}, {"description", text, 256}, {"update_time", date, 0},
	}
	TakerColumns = []Column{{segmentKey, text, 128}, {"nonce", text, 26}, {"takers", text, takersLen}}
)

// segmentKey is the column that both tables have for a key.
const segmentKey = "biz_tag"

// takersLen is the length of the longest text of takers, segmentjson.MaxTakersLen.
const takersLen = 14155

// A Shape is a table as the database describes it.
type Shape struct {
	Engine  string // of MySQL
	Columns []ShapeColumn

	temporary, unlogged bool // of PostgreSQL
}

// A ShapeColumn is a column as the database describes it.
type ShapeColumn struct {
	Name      string
	Type      string // without its width
	Width     sql.NullInt64
	Unsigned  bool
	Collation sql.NullString
	Key       bool // part of the primary key
	Filled    bool // an insert can leave it out
	Generated bool // AUTO_INCREMENT
}

func (c *ShapeColumn) fields() []any {
	return []any{&c.Name, &c.Type, &c.Width, &c.Unsigned, &c.Collation, &c.Key, &c.Filled, &c.Generated}
}

// ReadShape reads the shape of a table. It returns no columns if there is no such table, or the
// account has no right on it.
func ReadShape(ctx context.Context, from Reader, dialect Dialect, name string) (Shape, error) {
	switch dialect {
	case SQLite:
		return sqliteShape(ctx, from, name)
	case Postgres:
		return postgresShape(ctx, from, name)
	}
	var s Shape
	if err := from.GetContext(ctx, &s.Engine, "SELECT COALESCE(ENGINE, '') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", name); err != nil {
		if err == sql.ErrNoRows {
			return s, nil
		}
		return s, Failed("read the engine of table "+name, err)
	}
	var err error
	s.Columns, err = SelectRows(ctx, from, (*ShapeColumn).fields, `SELECT UPPER(COLUMN_NAME), LOWER(DATA_TYPE), CHARACTER_MAXIMUM_LENGTH,
		COLUMN_TYPE LIKE '%unsigned%', COLLATION_NAME, COLUMN_KEY = 'PRI',
		IS_NULLABLE = 'YES' OR COLUMN_DEFAULT IS NOT NULL OR EXTRA <> '', EXTRA LIKE '%auto_increment%'
		FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`, name)
	if err != nil {
		return s, Failed("read the columns of table "+name, err)
	}
	return s, nil
}

// JudgeKept judges whether the rows of a table outlive a crash of the server.
func JudgeKept(what, name string, s Shape) Verdict {
	if !s.unlogged {
		return Verdict{What: what, Value: "logged"}
	}
	return Verdict{Wrong, what, "UNLOGGED",
		"A crash of the server empties the table and sets its counter back: IDs and numbers come again.",
		"ALTER TABLE " + name + " SET LOGGED"}
}

// JudgeTable returns the worst that is wrong with a table. what is the verdict's What.
func JudgeTable(what, name string, d Dialect, s Shape, want []Column) Verdict {
	const compare = "Compare the table with the statement that creates it, in internal/database/schema."
	bad := func(value, why string) Verdict { return Verdict{Wrong, what, value, why, compare} }
	if d == MySQL && !strings.EqualFold(s.Engine, "InnoDB") {
		return Verdict{Wrong, what, "engine " + s.Engine, "Only InnoDB rolls back, locks rows and is safe in a crash.", "ALTER TABLE " + name + " ENGINE = InnoDB"}
	}
	if s.temporary {
		return Verdict{Wrong, what, "a TEMPORARY table",
			"Each session has its own, and hands out the same IDs and numbers.", "DROP TABLE pg_temp." + name}
	}
	have := map[string]ShapeColumn{}
	for _, col := range s.Columns {
		have[col.Name] = col
	}
	for _, w := range want {
		col, ok := have[strings.ToUpper(w.name)]
		delete(have, strings.ToUpper(w.name))
		switch {
		case !ok && w.name == historyColumn:
			return Verdict{Wrong, what, "no column " + w.name, "The table is of an older version, which had REACH.", "Stop all programs of that version, and then: ALTER TABLE " + name +
				" ADD COLUMN HISTORY VARCHAR(190) NOT NULL DEFAULT ''; ALTER TABLE " + name + " DROP COLUMN REACH"}
		case !ok:
			return bad("no column "+w.name, "It is read and written.")
		case !w.kind.fits(col, d):
			kind := col.Type
			if col.Unsigned {
				kind += " unsigned"
			}
			return bad(fmt.Sprintf("column %s is of type %s", w.name, kind), "It cannot hold all that is written to it.")
		case w.chars > 0 && col.Width.Valid && col.Width.Int64 < w.chars && d != SQLite:
			return bad(fmt.Sprintf("column %s holds %d characters", w.name, col.Width.Int64), fmt.Sprintf("Up to %d are written to it.", w.chars))
		case w.name == generated && !col.Generated:
			return bad("column ID is not "+d.counted(), "The database has to make IDs that were never used, also after rows were deleted.")
		case w.name == generated && !col.Key, (w.name == "NAMESPACE" || w.name == "WORKER_ID" || w.name == segmentKey) && !col.Key:
			return bad(fmt.Sprintf("column %s is not in the primary key", w.name), "Nothing keeps two rows from having one key.")
		case w.name == "NAMESPACE" && strings.HasSuffix(col.Collation.String, "_ci"):
			return Verdict{Note, what, "namespaces are compared with " + col.Collation.String, "Names that differ by case only are one namespace.", compare}
		}
	}
	for _, col := range s.Columns {
		if extra, ok := have[col.Name]; ok && !extra.Filled {
			return bad("further column "+col.Name, "It has no default, so that inserts fail.")
		}
	}
	value := fmt.Sprintf("%d columns", len(s.Columns))
	if d == MySQL {
		value = "InnoDB, " + value
	}
	return Verdict{What: what, Value: value + " as expected"}
}

// counted is what a column is whose values the database counts up.
func (d Dialect) counted() string {
	if d == Postgres {
		return "an identity column"
	}
	return "AUTO_INCREMENT"
}

func (k columnKind) fits(c ShapeColumn, d Dialect) bool {
	kind := strings.ToLower(c.Type)
	if d == SQLite {
		return true // any column of SQLite holds any value
	}
	switch k {
	case key:
		return kind == "bigint" || kind == "int" || kind == "integer"
	case signed:
		return kind == "bigint" && !c.Unsigned
	case count:
		return kind == "bigint"
	case number:
		return strings.HasSuffix(kind, "int") || kind == "integer"
	case text:
		return strings.HasSuffix(kind, "char") || kind == "character varying" || strings.HasSuffix(kind, "text") || strings.HasSuffix(kind, "binary")
	default:
		return strings.HasPrefix(kind, "timestamp ") || kind == "date" || kind == "timestamp" || kind == "datetime"
	}
}

// postgresShape reads the shape of the table that a name without a schema stands for. Its counter and
// its partitions depend on it, and can be UNLOGGED by themselves.
func postgresShape(ctx context.Context, from Reader, name string) (Shape, error) {
	var s Shape
	var err error
	fields := func(c *ShapeColumn) []any { return append(c.fields(), &s.temporary, &s.unlogged) }
	s.Columns, err = SelectRows(ctx, from, fields, `SELECT UPPER(c.column_name), c.data_type,
		CAST(c.character_maximum_length AS BIGINT), FALSE,
		CAST(c.collation_name AS VARCHAR), EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
		c.is_nullable = 'YES' OR c.column_default IS NOT NULL OR c.is_identity = 'YES' OR c.is_generated <> 'NEVER',
		c.is_identity = 'YES' OR COALESCE(c.column_default, '') LIKE 'nextval(%',
		t.relpersistence = 't', EXISTS (SELECT 1 FROM pg_class r
		WHERE r.relpersistence = 'u' AND (r.oid = t.oid OR r.relkind IN ('r', 'p', 'S') AND r.oid IN
		(SELECT d.objid FROM pg_depend d
		WHERE d.refobjid = t.oid AND d.refclassid = t.tableoid AND d.classid = t.tableoid AND d.deptype IN ('a', 'i'))))
		FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace JOIN pg_attribute a ON a.attrelid = t.oid
		JOIN information_schema.columns c ON c.table_schema = n.nspname AND c.table_name = t.relname AND c.column_name = a.attname
		WHERE t.relname = $1 AND pg_table_is_visible(t.oid) ORDER BY a.attnum`, name)
	if err != nil {
		return s, Failed("read the columns of table "+name, err)
	}
	return s, nil
}

func sqliteShape(ctx context.Context, from Reader, name string) (Shape, error) {
	var s Shape
	var err error
	s.Columns, err = SelectRows(ctx, from, (*ShapeColumn).fields, "SELECT UPPER(name), LOWER(type), NULL, 0, NULL,"+
		" pk > 0, \"notnull\" = 0 OR dflt_value IS NOT NULL, 0 FROM pragma_table_info(?)", name)
	if err != nil {
		return s, Failed("read the columns of table "+name, err)
	}
	var create sql.NullString
	if err := from.GetContext(ctx, &create, "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", name); err != nil && err != sql.ErrNoRows {
		return s, Failed("read the definition of table "+name, err)
	}
	for i := range s.Columns {
		if s.Columns[i].Name == generated {
			s.Columns[i].Generated = strings.Contains(strings.ToUpper(create.String), "AUTOINCREMENT")
		}
	}
	return s, nil
}
