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

// A Table is one that is written to: its name, and its default name, which selects the columns that it needs.
type Table struct{ Name, Default string }

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

// table judges a table, and reports whether there is one that this account may see. There are no rows if there is no
// such table, or the account has no right on it. One query reads the columns and, with each, the rest of the shape:
// MariaDB would read the definition once for each column of a join, and PostgreSQL's information_schema costs a new
// session 5 ms. On PostgreSQL it is the table that the search path finds, with the counter and the partitions that
// depend on it, each of which can be UNLOGGED.
func (e *exam) table(ctx context.Context, what string, t Table) (there bool, err error) {
	var s shape
	s.columns, err = database.SelectRows(ctx, e.conn, func(c *column) []any {
		return []any{&c.name, &c.kind, &c.width, &c.collation, &c.key, &c.filled, &c.generated, &s.engine,
			&s.temporary, &s.unlogged}
	}, e.query("table", "{table}", t.Name))
	if err != nil || len(s.columns) == 0 {
		return false, database.Failed("read the columns of table "+t.Name, err)
	}
	lost := damage
	if t.Name == e.Leases && !e.Never {
		lost = warn // the next start makes the namespace anew, ahead of the clock
	}
	e.add(s.judge(e.dialect, what, t, lost))
	return true, nil
}

// judge returns the first fault of a table; lost is the level if a crash of the server empties it.
func (s shape) judge(d database.Dialect, what string, t Table, lost doctor.Level) doctor.Finding {
	const compare = "Compare the table with the statement that creates it, in internal/database/schema."
	f, counted := doctor.Fine(what, fmt.Sprintf("%d columns as expected", len(s.columns))), "AUTO_INCREMENT"
	wrong := func(is bool, value, why, do string) { f = f.But(is, refused, value, why, do) }
	alter := "ALTER TABLE " + t.Name
	switch d {
	case database.MySQL:
		f.Value = "InnoDB, " + f.Value
		wrong(s.engine == "", "a view", "Only a table counts by itself.", "Name the table, and rename its columns.")
		wrong(!strings.EqualFold(s.engine, "InnoDB"), "engine "+s.engine,
			"Only InnoDB rolls back, locks rows and survives a crash.", alter+" ENGINE = InnoDB")
	case database.Postgres:
		counted = "an identity column"
		wrong(s.temporary, "a TEMPORARY table", "Each session has its own, and gives out the same IDs and numbers.",
			"DROP TABLE pg_temp."+t.Name)
	}
	rest := map[string]column{}
	for _, col := range s.columns {
		rest[col.name] = col
	}
	var mixed string
	for _, w := range columns[t.Default] {
		col, is := rest[strings.ToUpper(w.name)]
		delete(rest, strings.ToUpper(w.name))
		named := "column " + w.name
		wrong(!is && w.name == historyColumn, "no "+named,
			"The table is of an older version, which had REACH.", "Stop all programs of that version, and then: "+
				alter+" ADD COLUMN HISTORY VARCHAR(190) NOT NULL DEFAULT ''; "+alter+" DROP COLUMN REACH")
		wrong(!is, "no "+named, "Workers read and write it.", compare)
		if d != database.SQLite {
			wrong(!regexp.MustCompile(w.types).MatchString(strings.ToLower(col.kind)), named+" is of type "+col.kind,
				"It cannot hold all that is written to it.", compare)
			wrong(col.width.Valid && col.width.Int64 < w.chars,
				fmt.Sprintf("%s holds %d characters", named, col.width.Int64),
				fmt.Sprintf("Up to %d are written to it.", w.chars), compare)
		}
		wrong(w.name == countedColumn && !col.generated, named+" is not "+counted,
			"The database has to make IDs that were never used, also after rows were deleted.", compare)
		wrong(w.key && !col.key, named+" is not in the primary key", "Two rows can have the same key.", compare)
		if w.name == "NAMESPACE" && strings.HasSuffix(col.collation.String, "_ci") {
			mixed = col.collation.String
		}
	}
	for _, col := range s.columns {
		_, extra := rest[col.name]
		wrong(extra && !col.filled, "further column "+col.name, "It has no default, so that inserts fail.", compare)
	}
	return f.
		But(s.unlogged, lost, "UNLOGGED ("+alter+" SET LOGGED)",
			"A crash empties the table and resets its counter: IDs and numbers come again.", alter+" SET LOGGED").
		But(mixed != "", note, "namespaces are compared with "+mixed,
			"Names that differ in case only are one namespace.", compare)
}
