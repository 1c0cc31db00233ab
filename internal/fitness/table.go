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

// shapes ask for the columns of a table, and with each for the rest of its shape. There are no rows if there is
// no such table, or the account has no right on it. PostgreSQL looks for the table that the name stands for
// without a schema, whose counter and partitions depend on it and can be UNLOGGED by themselves.
var shapes = map[database.Dialect]string{
	database.MySQL: `SELECT UPPER(c.COLUMN_NAME),
		CONCAT(LOWER(c.DATA_TYPE), IF(c.COLUMN_TYPE LIKE '%unsigned%', ' unsigned', '')),
		c.CHARACTER_MAXIMUM_LENGTH, c.COLLATION_NAME, c.COLUMN_KEY = 'PRI',
		c.IS_NULLABLE = 'YES' OR c.COLUMN_DEFAULT IS NOT NULL OR c.EXTRA <> '', c.EXTRA LIKE '%auto_increment%',
		COALESCE(t.ENGINE, ''), 0, 0 FROM information_schema.COLUMNS c
		JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
		WHERE c.TABLE_SCHEMA = DATABASE() AND c.TABLE_NAME = ? ORDER BY c.ORDINAL_POSITION`,
	database.Postgres: `SELECT UPPER(c.column_name), c.data_type, CAST(c.character_maximum_length AS BIGINT),
		CAST(c.collation_name AS VARCHAR),
		EXISTS (SELECT 1 FROM pg_index i
		WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
		c.is_nullable = 'YES' OR c.column_default IS NOT NULL OR c.is_identity = 'YES' OR c.is_generated <> 'NEVER',
		c.is_identity = 'YES' OR COALESCE(c.column_default, '') LIKE 'nextval(%', '',
		t.relpersistence = 't', EXISTS (SELECT 1 FROM pg_class r
		WHERE r.relpersistence = 'u' AND (r.oid = t.oid OR r.relkind IN ('r', 'p', 'S') AND r.oid IN
		(SELECT d.objid FROM pg_depend d
		WHERE d.refobjid = t.oid AND d.refclassid = t.tableoid AND d.classid = t.tableoid AND d.deptype IN ('a', 'i'))))
		FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace JOIN pg_attribute a ON a.attrelid = t.oid
		JOIN information_schema.columns c
		ON c.table_schema = n.nspname AND c.table_name = t.relname AND c.column_name = a.attname
		WHERE t.relname = $1 AND pg_table_is_visible(t.oid) ORDER BY a.attnum`,
	database.SQLite: `SELECT UPPER(c.name), LOWER(c.type), NULL, NULL, c.pk > 0,
		c."notnull" = 0 OR c.dflt_value IS NOT NULL,
		UPPER(c.name) = 'ID' AND UPPER(COALESCE(t.sql, '')) LIKE '%AUTOINCREMENT%', '', 0, 0
		FROM pragma_table_info(?1) c LEFT JOIN sqlite_master t ON t.type = 'table' AND t.name = ?1`,
}

// table judges a table, and reports whether there is one that this account may see.
func (e *exam) table(ctx context.Context, what string, t Table) (there bool, err error) {
	var s shape
	s.columns, err = database.SelectRows(ctx, e.conn, func(c *column) []any {
		return []any{&c.name, &c.kind, &c.width, &c.collation, &c.key, &c.filled, &c.generated, &s.engine,
			&s.temporary, &s.unlogged}
	}, shapes[e.dialect], t.Name)
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
