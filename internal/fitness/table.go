package fitness

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

// A shape is a table as the database describes it.
type shape struct {
	columns             []column
	engine              string // of MySQL
	temporary, unlogged bool   // of PostgreSQL
}

type column struct {
	name      string
	kind      string // without its width
	width     sql.NullInt64
	collation sql.NullString
	key       bool // part of the primary key
	filled    bool // an insert can leave it out
	generated bool // AUTO_INCREMENT
}

// shapes ask for the columns of {table}, and with each for the rest of its shape. There are no rows if there is
// no such table, or the account has no right on it. PostgreSQL looks for the table that the name stands for
// without a schema, whose counter and partitions depend on it and can be UNLOGGED by themselves. MariaDB would read
// the definition once for each column of a join, and PostgreSQL's information_schema costs a new session 5 ms.
var shapes = map[database.Dialect]string{
	database.MySQL: `SELECT UPPER(COLUMN_NAME),
		CONCAT(LOWER(DATA_TYPE), IF(COLUMN_TYPE LIKE '%unsigned%', ' unsigned', '')),
		CHARACTER_MAXIMUM_LENGTH, COLLATION_NAME, COLUMN_KEY = 'PRI',
		IS_NULLABLE = 'YES' OR COLUMN_DEFAULT IS NOT NULL OR EXTRA <> '', EXTRA LIKE '%auto_increment%',
		COALESCE((SELECT ENGINE FROM information_schema.TABLES
		WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'), ''), 0, 0
		FROM information_schema.COLUMNS
		WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}' ORDER BY ORDINAL_POSITION`,
	database.Postgres: `SELECT UPPER(a.attname),
		CASE y.typnamespace WHEN CAST('pg_catalog' AS REGNAMESPACE) THEN format_type(y.oid, NULL) ELSE 'not known' END,
		CAST(information_schema._pg_char_max_length(y.oid,
		CASE WHEN d.typtype = 'd' THEN d.typtypmod ELSE a.atttypmod END) AS BIGINT),
		CAST((SELECT collname FROM pg_collation WHERE oid = a.attcollation) AS VARCHAR),
		EXISTS (SELECT 1 FROM pg_index i
		WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
		NOT a.attnotnull OR a.atthasdef OR a.attidentity <> '',
		a.attidentity <> '' OR EXISTS (SELECT 1 FROM pg_attrdef f WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum
		AND pg_get_expr(f.adbin, f.adrelid) LIKE 'nextval(%'), '',
		t.relpersistence = 't', EXISTS (SELECT 1 FROM pg_class r
		WHERE r.relpersistence = 'u' AND (r.oid = t.oid OR r.relkind IN ('r', 'p', 'S') AND r.oid IN
		(SELECT d.objid FROM pg_depend d
		WHERE d.refobjid = t.oid AND d.refclassid = t.tableoid AND d.classid = t.tableoid AND d.deptype IN ('a', 'i'))))
		FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid JOIN pg_type d ON d.oid = a.atttypid
		JOIN pg_type y ON y.oid = CASE d.typtype WHEN 'd' THEN d.typbasetype ELSE d.oid END
		WHERE t.relname = '{table}' AND pg_table_is_visible(t.oid) AND a.attnum > 0 AND NOT a.attisdropped
		AND (pg_has_role(t.relowner, 'USAGE')
		OR has_column_privilege(t.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES')) ORDER BY a.attnum`,
	database.SQLite: `SELECT UPPER(c.name), LOWER(c.type), NULL, NULL, c.pk > 0,
		c."notnull" = 0 OR c.dflt_value IS NOT NULL,
		UPPER(c.name) = 'ID' AND UPPER(COALESCE(t.sql, '')) LIKE '%AUTOINCREMENT%', '', 0, 0
		FROM pragma_table_info('{table}') c LEFT JOIN sqlite_master t ON t.type = 'table' AND t.name = '{table}'`,
}

// table judges a table, and reports whether there is one that this account may see.
func (e *exam) table(ctx context.Context, what string, t Table) (there bool, err error) {
	var s shape
	s.columns, err = database.SelectRows(ctx, e.conn, func(c *column) []any {
		return []any{&c.name, &c.kind, &c.width, &c.collation, &c.key, &c.filled, &c.generated, &s.engine,
			&s.temporary, &s.unlogged}
	}, strings.ReplaceAll(shapes[e.dialect], "{table}", t.Name))
	if err != nil || len(s.columns) == 0 {
		return false, database.Failed("read the columns of table "+t.Name, err)
	}
	lost := damage
	if t.Name == e.Leases && !e.Never {
		lost = warn // the namespace is made anew, and rests
	}
	e.judge(s.rows(e.dialect, what, t, lost)...)
	return true, nil
}

// rows say what is wrong with a table; lost says how bad it is that a crash empties it.
func (s shape) rows(d database.Dialect, what string, t Table, lost doctor.Level) (rows []row) {
	const compare = "Compare the table with the statement that creates it, in internal/database/schema."
	wrong := func(is bool, value, why, do string) {
		rows = append(rows, row{is, refused, what, value, why, do})
	}
	alter := "ALTER TABLE " + t.Name
	value, counted := fmt.Sprintf("%d columns as expected", len(s.columns)), "AUTO_INCREMENT"
	switch d {
	case database.MySQL:
		value = "InnoDB, " + value
		wrong(!strings.EqualFold(s.engine, "InnoDB"), "engine "+s.engine,
			"Only InnoDB rolls back, locks rows and is safe in a crash.", alter+" ENGINE = InnoDB")
	case database.Postgres:
		counted = "an identity column"
		wrong(s.temporary, "a TEMPORARY table", "Each session has its own, and hands out the same IDs and numbers.",
			"DROP TABLE pg_temp."+t.Name)
	}
	have := map[string]column{}
	for _, col := range s.columns {
		have[col.name] = col
	}
	var mixed string
	for _, w := range t.Columns {
		col, is := have[strings.ToUpper(w.Name)]
		delete(have, strings.ToUpper(w.Name))
		named := "column " + w.Name
		wrong(!is && w.Name == database.HistoryColumn, "no "+named,
			"The table is of an older version, which had REACH.", "Stop all programs of that version, and then: "+
				alter+" ADD COLUMN HISTORY VARCHAR(190) NOT NULL DEFAULT ''; "+alter+" DROP COLUMN REACH")
		wrong(!is, "no "+named, "It is read and written.", compare)
		if d != database.SQLite {
			wrong(!regexp.MustCompile(w.Types).MatchString(strings.ToLower(col.kind)), named+" is of type "+col.kind,
				"It cannot hold all that is written to it.", compare)
			wrong(col.width.Valid && col.width.Int64 < w.Chars,
				fmt.Sprintf("%s holds %d characters", named, col.width.Int64),
				fmt.Sprintf("Up to %d are written to it.", w.Chars), compare)
		}
		wrong(w.Name == database.CountedColumn && !col.generated, named+" is not "+counted,
			"The database has to make IDs that were never used, also after rows were deleted.", compare)
		wrong(w.IsKey() && !col.key, named+" is not in the primary key",
			"Nothing keeps two rows from having one key.", compare)
		if w.Name == "NAMESPACE" && strings.HasSuffix(col.collation.String, "_ci") {
			mixed = col.collation.String
		}
	}
	for _, col := range s.columns {
		_, extra := have[col.name]
		wrong(extra && !col.filled, "further column "+col.name, "It has no default, so that inserts fail.", compare)
	}
	return append(rows, []row{
		{s.unlogged, lost, what, "UNLOGGED (" + alter + " SET LOGGED)",
			"A crash of the server empties the table and sets its counter back: IDs and numbers come again.",
			alter + " SET LOGGED"},
		{mixed != "", note, what, "namespaces are compared with " + mixed,
			"Names that differ by case only are one namespace.", compare},
		fine(what, value),
	}...)
}
