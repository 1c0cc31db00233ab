package database

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// judged wants a verdict of the severity, with the words in its texts, and complete.
func judged(t *testing.T, v Verdict, severity Severity, words ...string) {
	t.Helper()
	require.Equal(t, severity, v.Severity, "%+v", v)
	require.NotEmpty(t, v.What)
	require.NotEmpty(t, v.Value)
	require.Equal(t, severity == Fine, v.Why == "", "%+v", v)
	require.Equal(t, severity == Fine, v.Do == "", "%+v", v)
	for _, w := range words {
		require.Contains(t, v.Value+"\n"+v.Why+"\n"+v.Do, w)
	}
}

func TestJudgeTable(t *testing.T) {
	node := func(change func(map[string]*ShapeColumn) []ShapeColumn) Shape {
		s := Shape{Engine: "InnoDB"}
		columns := map[string]*ShapeColumn{}
		for _, c := range []ShapeColumn{
			{Name: "ID", Type: "bigint", Key: true, Generated: true, Filled: true},
			{Name: "HOST_NAME", Type: "varchar"}, {Name: "PORT", Type: "varchar"}, {Name: "TYPE", Type: "int"},
			{Name: "LAUNCH_DATE", Type: "date"}, {Name: "MODIFIED", Type: "timestamp"}, {Name: "CREATED", Type: "datetime"},
		} {
			c.Width.Int64, c.Width.Valid = 64, c.Type == "varchar"
			columns[c.Name] = &c
		}
		var extra []ShapeColumn
		if change != nil {
			extra = change(columns)
		}
		for _, name := range []string{"ID", "HOST_NAME", "PORT", "TYPE", "LAUNCH_DATE", "MODIFIED", "CREATED"} {
			if columns[name] != nil {
				s.Columns = append(s.Columns, *columns[name])
			}
		}
		s.Columns = append(s.Columns, extra...)
		return s
	}
	type columns = map[string]*ShapeColumn
	for name, tt := range map[string]struct {
		change func(columns) []ShapeColumn
		want   Severity
		says   string
	}{
		"as it should be":      {nil, Fine, "InnoDB, 7 columns"},
		"no PORT":              {func(c columns) []ShapeColumn { delete(c, "PORT"); return nil }, Wrong, "no column PORT"},
		"narrow":               {func(c columns) []ShapeColumn { c["PORT"].Width.Int64 = 63; return nil }, Wrong, "column PORT holds 63"},
		"int":                  {func(c columns) []ShapeColumn { c["ID"].Type = "int"; return nil }, Fine, ""},
		"smallint key":         {func(c columns) []ShapeColumn { c["ID"].Type = "smallint"; return nil }, Wrong, "of type smallint"},
		"not generated":        {func(c columns) []ShapeColumn { c["ID"].Generated = false; return nil }, Wrong, "not AUTO_INCREMENT"},
		"no key":               {func(c columns) []ShapeColumn { c["ID"].Key = false; return nil }, Wrong, "primary key"},
		"text for a date":      {func(c columns) []ShapeColumn { c["LAUNCH_DATE"].Type = "varchar"; return nil }, Wrong, "LAUNCH_DATE"},
		"number for a text":    {func(c columns) []ShapeColumn { c["PORT"].Type = "int"; return nil }, Wrong, "PORT"},
		"text for a number":    {func(c columns) []ShapeColumn { c["TYPE"].Type = "varchar"; return nil }, Wrong, "TYPE"},
		"smallint":             {func(c columns) []ShapeColumn { c["TYPE"].Type = "smallint"; return nil }, Fine, ""},
		"further, to be given": {func(columns) []ShapeColumn { return []ShapeColumn{{Name: "MORE"}} }, Wrong, "further column MORE"},
		"further":              {func(columns) []ShapeColumn { return []ShapeColumn{{Name: "MORE", Filled: true}} }, Fine, "8 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			judged(t, JudgeTable("table", "WORKER_NODE", MySQL, node(tt.change), NodeColumns), tt.want, tt.says)
		})
	}
	for _, engine := range []string{"MyISAM", "Aria", "MEMORY", ""} {
		s := node(nil)
		s.Engine = engine
		judged(t, JudgeTable("table", "WORKER_NODE", MySQL, s, NodeColumns), Wrong, "ENGINE = InnoDB")
	}
	// Affinities of SQLite hold anything.
	s := node(func(c columns) []ShapeColumn { c["ID"].Type, c["PORT"].Width.Int64 = "integer", 1; return nil })
	judged(t, JudgeTable("table", "WORKER_NODE", SQLite, s, NodeColumns), Fine, "7 columns")

	lease := Shape{Engine: "innodb"}
	for _, c := range LeaseColumns {
		col := ShapeColumn{Name: c.name, Type: map[columnKind]string{signed: "bigint", text: "varchar"}[c.kind], Key: c.name == "NAMESPACE" || c.name == "WORKER_ID"}
		col.Width.Int64, col.Width.Valid = c.chars, c.kind == text
		lease.Columns = append(lease.Columns, col)
	}
	judged(t, JudgeTable("table", "WORKER_LEASE", MySQL, lease, LeaseColumns), Fine)
	lease.Columns[0].Collation.String = "utf8mb4_general_ci"
	judged(t, JudgeTable("table", "WORKER_LEASE", MySQL, lease, LeaseColumns), Note, "utf8mb4_general_ci")
	lease.Columns[1].Key = false
	judged(t, JudgeTable("table", "WORKER_LEASE", MySQL, lease, LeaseColumns[1:]), Wrong, "WORKER_ID is not in the primary key")
}

func TestJudgeSettingsOfSQLite(t *testing.T) {
	for mode, want := range map[string]Severity{"delete": Fine, "wal": Note, "truncate": Fine, "persist": Fine, "memory": Wrong, "off": Wrong} {
		judged(t, JudgeJournal(mode), want)
	}
	for _, tt := range []struct {
		level   int
		journal string
		want    Severity
		says    string
	}{
		{3, "delete", Fine, "EXTRA"}, {2, "delete", Warn, "FULL"}, {2, "wal", Fine, "FULL"}, {1, "wal", Wrong, "NORMAL"}, {0, "delete", Wrong, "OFF"}, {9, "wal", Fine, "9"},
	} {
		judged(t, JudgeSynchronous(tt.level, tt.journal), tt.want, tt.says)
	}
}
