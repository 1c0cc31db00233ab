package fitness

import (
	"cmp"
	"testing"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

func TestTable(t *testing.T) {
	type cols = map[string]*column
	type sh = *shape
	kinds := map[string]string{"TYPE": "int", "LAUNCH_DATE": "date", "MODIFIED": "timestamp", "CREATED": "datetime"}
	nodes, leases := Table{"n", database.NodeTable}, Table{"l", database.LeaseTable}
	const mysql, postgres, sqlite = database.MySQL, database.Postgres, database.SQLite
	for name, tt := range map[string]struct {
		table   Table
		dialect database.Dialect
		change  func(sh, cols)
		want    doctor.Level
		says    string
	}{
		"as it should be":   {nodes, mysql, func(sh, cols) {}, ok, "InnoDB, 7 columns"},
		"of leases":         {leases, mysql, func(s sh, _ cols) { s.engine = "innodb" }, ok, "10 columns"},
		"no PORT":           {nodes, mysql, func(_ sh, c cols) { delete(c, "PORT") }, refused, "no column PORT"},
		"narrow":            {nodes, mysql, func(_ sh, c cols) { c["PORT"].width.Int64-- }, refused, "PORT holds 63"},
		"int":               {nodes, mysql, func(_ sh, c cols) { c["ID"].kind = "int" }, ok, ""},
		"small key":         {nodes, mysql, func(_ sh, c cols) { c["ID"].kind = "smallint" }, refused, "type smallint"},
		"not generated":     {nodes, mysql, func(_ sh, c cols) { c["ID"].generated = false }, refused, "not AUTO_"},
		"no key":            {nodes, mysql, func(_ sh, c cols) { c["ID"].key = false }, refused, "primary key"},
		"text for a date":   {nodes, mysql, func(_ sh, c cols) { c["CREATED"].kind = "varchar" }, refused, "CREATED"},
		"number for a text": {nodes, mysql, func(_ sh, c cols) { c["PORT"].kind = "int" }, refused, "PORT"},
		"text for a number": {nodes, mysql, func(_ sh, c cols) { c["TYPE"].kind = "varchar" }, refused, "TYPE"},
		"smallint":          {nodes, mysql, func(_ sh, c cols) { c["TYPE"].kind = "smallint" }, ok, ""},
		"further, to be given": {nodes, mysql, func(_ sh, c cols) { c["MORE"] = &column{name: "MORE"} }, refused,
			"further column MORE"},
		"further": {nodes, mysql, func(_ sh, c cols) { c["MORE"] = &column{filled: true} }, ok, "8 columns"},
		"MyISAM":  {nodes, mysql, func(s sh, _ cols) { s.engine = "MyISAM" }, refused, "ENGINE = InnoDB"},
		"a view":  {nodes, mysql, func(s sh, _ cols) { s.engine = "" }, refused, "rename its columns"},
		"affinities of SQLite, which hold anything": {nodes, sqlite, func(_ sh, c cols) {
			c["ID"].kind, c["PORT"].width.Int64 = "integer", 1
		}, ok, "7 columns"},
		"mixed case": {leases, mysql, func(_ sh, c cols) { c["NAMESPACE"].collation.String = "utf8mb4_general_ci" },
			note, "utf8mb4_general_ci"},
		"a second key": {leases, mysql, func(_ sh, c cols) { c["WORKER_ID"].key = false }, refused,
			"WORKER_ID is not in the primary"},
		"unsigned": {leases, mysql, func(_ sh, c cols) { c["HIGH"].kind = "bigint unsigned" }, refused,
			"HIGH is of type bigint unsigned"},
		"UNLOGGED": {leases, postgres, func(s sh, _ cols) { s.unlogged = true }, warn, "ALTER TABLE l SET LOGGED"},
		"TEMPORARY": {leases, postgres, func(s sh, _ cols) { s.unlogged, s.temporary = true, true }, refused,
			"DROP TABLE pg_temp.l"},
		"older": {leases, mysql, func(_ sh, c cols) { delete(c, historyColumn) }, refused,
			"of an older version"},
	} {
		t.Run(name, func(t *testing.T) {
			s, all := shape{engine: "InnoDB"}, cols{}
			for _, c := range columns[tt.table.Default] {
				is := &column{name: c.name, kind: cmp.Or(kinds[c.name], "bigint"), key: c.key}
				if is.generated = c.name == countedColumn; c.chars > 0 {
					is.kind, is.width.Int64, is.width.Valid = "varchar", c.chars, true
				}
				all[c.name] = is
			}
			tt.change(&s, all)
			for _, c := range all {
				s.columns = append(s.columns, *c)
			}
			checkFinding(t, s.judge(tt.dialect, "table", tt.table, warn), tt.want, tt.says)
		})
	}
}
