package fitness

import (
	"testing"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

func TestTable(t *testing.T) {
	node := func(change func(map[string]*column) []column) shape {
		s := shape{engine: "InnoDB"}
		columns := map[string]*column{}
		for _, c := range []column{
			{name: "ID", kind: "bigint", key: true, generated: true, filled: true},
			{name: "HOST_NAME", kind: "varchar"}, {name: "PORT", kind: "varchar"}, {name: "TYPE", kind: "int"},
			{name: "LAUNCH_DATE", kind: "date"}, {name: "MODIFIED", kind: "timestamp"}, {name: "CREATED", kind: "datetime"},
		} {
			c.width.Int64, c.width.Valid = 64, c.kind == "varchar"
			columns[c.name] = &c
		}
		var extra []column
		if change != nil {
			extra = change(columns)
		}
		for _, name := range []string{"ID", "HOST_NAME", "PORT", "TYPE", "LAUNCH_DATE", "MODIFIED", "CREATED"} {
			if columns[name] != nil {
				s.columns = append(s.columns, *columns[name])
			}
		}
		s.columns = append(s.columns, extra...)
		return s
	}
	type columns = map[string]*column
	for name, tt := range map[string]struct {
		change func(columns) []column
		want   doctor.Level
		says   string
	}{
		"as it should be":      {nil, ok, "InnoDB, 7 columns"},
		"no PORT":              {func(c columns) []column { delete(c, "PORT"); return nil }, refused, "no column PORT"},
		"narrow":               {func(c columns) []column { c["PORT"].width.Int64 = 63; return nil }, refused, "column PORT holds 63"},
		"int":                  {func(c columns) []column { c["ID"].kind = "int"; return nil }, ok, ""},
		"smallint key":         {func(c columns) []column { c["ID"].kind = "smallint"; return nil }, refused, "of type smallint"},
		"not generated":        {func(c columns) []column { c["ID"].generated = false; return nil }, refused, "not AUTO_INCREMENT"},
		"no key":               {func(c columns) []column { c["ID"].key = false; return nil }, refused, "primary key"},
		"text for a date":      {func(c columns) []column { c["LAUNCH_DATE"].kind = "varchar"; return nil }, refused, "LAUNCH_DATE"},
		"number for a text":    {func(c columns) []column { c["PORT"].kind = "int"; return nil }, refused, "PORT"},
		"text for a number":    {func(c columns) []column { c["TYPE"].kind = "varchar"; return nil }, refused, "TYPE"},
		"smallint":             {func(c columns) []column { c["TYPE"].kind = "smallint"; return nil }, ok, ""},
		"further, to be given": {func(columns) []column { return []column{{name: "MORE"}} }, refused, "further column MORE"},
		"further":              {func(columns) []column { return []column{{name: "MORE", filled: true}} }, ok, "8 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			checkRows(t, node(tt.change).rows(database.MySQL, "table", Table{"WORKER_NODE", database.NodeColumns}, damage), "table", tt.want, tt.says)
		})
	}
	for _, engine := range []string{"MyISAM", "Aria", "MEMORY", ""} {
		s := node(nil)
		s.engine = engine
		checkRows(t, s.rows(database.MySQL, "table", Table{"WORKER_NODE", database.NodeColumns}, damage), "table", refused, "ENGINE = InnoDB")
	}
	// Affinities of SQLite hold anything.
	s := node(func(c columns) []column { c["ID"].kind, c["PORT"].width.Int64 = "integer", 1; return nil })
	checkRows(t, s.rows(database.SQLite, "table", Table{"WORKER_NODE", database.NodeColumns}, damage), "table", ok, "7 columns")

	lease := shape{engine: "innodb"}
	for _, c := range database.LeaseColumns {
		col := column{name: c.Name, kind: "bigint", key: c.IsKey()}
		if c.Chars > 0 {
			col.kind, col.width.Int64, col.width.Valid = "varchar", c.Chars, true
		}
		lease.columns = append(lease.columns, col)
	}
	checkRows(t, lease.rows(database.MySQL, "table", Table{"WORKER_LEASE", database.LeaseColumns}, damage), "table", ok)
	lease.columns[0].collation.String = "utf8mb4_general_ci"
	checkRows(t, lease.rows(database.MySQL, "table", Table{"WORKER_LEASE", database.LeaseColumns}, damage), "table", note, "utf8mb4_general_ci")
	lease.columns[1].key = false
	checkRows(t, lease.rows(database.MySQL, "table", Table{"WORKER_LEASE", database.LeaseColumns[1:]}, damage), "table", refused, "WORKER_ID is not in the primary key")
	lease.columns[0].collation.String = ""
	lease.columns[1].key = true
	lease.columns[3].kind = "bigint unsigned"
	checkRows(t, lease.rows(database.MySQL, "table", Table{"WORKER_LEASE", database.LeaseColumns}, damage), "table", refused, "HIGH is of type bigint unsigned")
	lease.columns[3].kind = "bigint"
	lease.unlogged = true
	checkRows(t, lease.rows(database.Postgres, "table", Table{"l", database.LeaseColumns}, warn), "table", warn, "ALTER TABLE l SET LOGGED")
	lease.temporary = true
	checkRows(t, lease.rows(database.Postgres, "table", Table{"l", database.LeaseColumns}, warn), "table", refused, "DROP TABLE pg_temp.l")
	lease.columns = lease.columns[:9]
	checkRows(t, lease.rows(database.MySQL, "table", Table{"l", database.LeaseColumns}, damage), "table", refused, "of an older version")
}
