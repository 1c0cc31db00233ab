package fitness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

func TestTable(t *testing.T) {
	type columns = map[string]*column
	node := func(change func(columns)) shape {
		s := shape{engine: "InnoDB"}
		all := columns{}
		for _, c := range []column{
			{name: "ID", kind: "bigint", key: true, generated: true, filled: true},
			{name: "HOST_NAME", kind: "varchar"}, {name: "PORT", kind: "varchar"}, {name: "TYPE", kind: "int"},
			{name: "LAUNCH_DATE", kind: "date"},
			{name: "MODIFIED", kind: "timestamp"}, {name: "CREATED", kind: "datetime"},
		} {
			c.width.Int64, c.width.Valid = 64, c.kind == "varchar"
			all[c.name] = &c
		}
		if change != nil {
			change(all)
		}
		for _, c := range all {
			s.columns = append(s.columns, *c)
		}
		return s
	}
	nodes := Table{"WORKER_NODE", database.NodeColumns}
	for name, tt := range map[string]struct {
		change func(columns)
		want   doctor.Level
		says   string
	}{
		"as it should be":      {nil, ok, "InnoDB, 7 columns"},
		"no PORT":              {func(c columns) { delete(c, "PORT") }, refused, "no column PORT"},
		"narrow":               {func(c columns) { c["PORT"].width.Int64 = 63 }, refused, "column PORT holds 63"},
		"int":                  {func(c columns) { c["ID"].kind = "int" }, ok, ""},
		"smallint key":         {func(c columns) { c["ID"].kind = "smallint" }, refused, "of type smallint"},
		"not generated":        {func(c columns) { c["ID"].generated = false }, refused, "not AUTO_INCREMENT"},
		"no key":               {func(c columns) { c["ID"].key = false }, refused, "primary key"},
		"text for a date":      {func(c columns) { c["LAUNCH_DATE"].kind = "varchar" }, refused, "LAUNCH_DATE"},
		"number for a text":    {func(c columns) { c["PORT"].kind = "int" }, refused, "PORT"},
		"text for a number":    {func(c columns) { c["TYPE"].kind = "varchar" }, refused, "TYPE"},
		"smallint":             {func(c columns) { c["TYPE"].kind = "smallint" }, ok, ""},
		"further, to be given": {func(c columns) { c["MORE"] = &column{name: "MORE"} }, refused, "further column MORE"},
		"further":              {func(c columns) { c["MORE"] = &column{name: "MORE", filled: true} }, ok, "8 columns"},
	} {
		f := node(tt.change).judge(database.MySQL, "table", nodes, damage)
		require.Equal(t, tt.want, f.Level, name)
		checkFinding(t, f, tt.want, tt.says)
	}
	for _, engine := range []string{"MyISAM", "Aria", "MEMORY", ""} {
		s := node(nil)
		s.engine = engine
		checkFinding(t, s.judge(database.MySQL, "table", nodes, damage), refused, "ENGINE = InnoDB")
	}
	// Affinities of SQLite hold anything.
	s := node(func(c columns) { c["ID"].kind, c["PORT"].width.Int64 = "integer", 1 })
	checkFinding(t, s.judge(database.SQLite, "table", nodes, damage), ok, "7 columns")

	lease := shape{engine: "innodb"}
	for _, c := range database.LeaseColumns {
		col := column{name: c.Name, kind: "bigint", key: c.IsKey()}
		if c.Chars > 0 {
			col.kind, col.width.Int64, col.width.Valid = "varchar", c.Chars, true
		}
		lease.columns = append(lease.columns, col)
	}
	is := func(d database.Dialect, lost doctor.Level) doctor.Finding {
		return lease.judge(d, "table", Table{"l", database.LeaseColumns}, lost)
	}
	checkFinding(t, is(database.MySQL, damage), ok)
	lease.columns[0].collation.String = "utf8mb4_general_ci"
	checkFinding(t, is(database.MySQL, damage), note, "utf8mb4_general_ci")
	lease.columns[1].key = false
	narrower := Table{"l", database.LeaseColumns[1:]}
	checkFinding(t, lease.judge(database.MySQL, "table", narrower, damage), refused, "WORKER_ID is not in the primary")
	lease.columns[0].collation.String = ""
	lease.columns[1].key = true
	lease.columns[3].kind = "bigint unsigned"
	checkFinding(t, is(database.MySQL, damage), refused, "HIGH is of type bigint unsigned")
	lease.columns[3].kind = "bigint"
	lease.unlogged = true
	checkFinding(t, is(database.Postgres, warn), warn, "ALTER TABLE l SET LOGGED")
	lease.temporary = true
	checkFinding(t, is(database.Postgres, warn), refused, "DROP TABLE pg_temp.l")
	lease.columns = lease.columns[:9]
	checkFinding(t, is(database.MySQL, damage), refused, "of an older version")
}
