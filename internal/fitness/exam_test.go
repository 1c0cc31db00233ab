package fitness

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/registry"
)

// checkFinding requires a complete finding of the level, or none if that is "", with the words in its texts.
func checkFinding(t *testing.T, f doctor.Finding, level doctor.Level, words ...string) {
	t.Helper()
	require.Equal(t, level, f.Level, "%+v", f)
	require.NotEmpty(t, f.What)
	require.Equal(t, level == "", f.Value == "", "%+v", f)
	require.Equal(t, level == ok || level == "", f.Why == "", "%+v", f)
	require.Equal(t, level == ok || level == "", f.Do == "", "%+v", f)
	for _, w := range words {
		require.Contains(t, f.Value+"\n"+f.Why+"\n"+f.Do, w)
	}
}

// find returns the finding with a What.
func find(t *testing.T, all []doctor.Finding, what string) doctor.Finding {
	t.Helper()
	i := slices.IndexFunc(all, func(f doctor.Finding) bool { return f.What == what })
	require.GreaterOrEqual(t, i, 0, what)
	return all[i]
}

// with returns the settings with some of them changed.
func (s settings) with(changed settings) settings {
	s = maps.Clone(s)
	maps.Copy(s, changed)
	return s
}

// The level of a loss depends on the use of the database.
func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		e                           exam
		crashed, taken, damaged, no doctor.Level
	}{
		{exam{}, bad, warn, bad, bad}, // nobody knows what will be used
		{exam{hasNodes: true}, bad, warn, bad, bad},
		{exam{hasNodes: true, hasLease: true}, bad, warn, bad, bad},
		{exam{hasLease: true}, note, note, bad, bad},
		{exam{hasLease: true, Config: doctor.Config{Never: true}}, bad, bad, bad, bad},
		{exam{hasNodes: true, Config: doctor.Config{Never: true}}, bad, bad, bad, bad},
	} {
		require.Equal(t, tt.crashed, tt.e.level(crash), "%+v", tt.e)
		require.Equal(t, tt.taken, tt.e.level(takeover), "%+v", tt.e)
		require.Equal(t, tt.damaged, tt.e.level(damage))
		require.Equal(t, tt.no, tt.e.level(refused))
		require.Equal(t, note, tt.e.level(note))
	}
}

func TestCounter(t *testing.T) {
	type node = registry.NodeInfo
	for _, tt := range []struct {
		n       node
		dialect database.Dialect
		want    doctor.Level
		says    string
	}{
		{node{Next: 1}, database.MySQL, ok, "next ID 1, largest ID 0"},
		{node{Rows: 9, Last: 9, Next: 10}, database.MySQL, ok, "next ID 10"},
		{node{Rows: 9, Last: 9}, database.MySQL, ok, "unknown"},
		{node{Rows: 9, Last: 9, Next: 9}, database.MySQL, bad, "ALTER TABLE NODES AUTO_INCREMENT = 10"},
		{node{Rows: 9, Last: 9, Next: 5}, database.MySQL, bad, "if the row of ID 5 is gone"},
		{node{Rows: 9, Last: 9, Next: 9}, database.SQLite, bad,
			"UPDATE sqlite_sequence SET seq = 9 WHERE name = 'NODES'"},
		{node{Rows: 9, Last: 9, Next: 9}, database.Postgres, bad,
			"ALTER TABLE NODES ALTER COLUMN ID RESTART WITH 10"},
		{node{Rows: 1, Last: math.MaxInt64, Next: math.MaxInt64}, database.MySQL, bad, "not above"},
	} {
		e := &exam{dialect: tt.dialect, Tables: Tables{Nodes: "NODES"}, Config: doctor.Config{Disposable: &tt.n}}
		require.NoError(t, e.counter(t.Context()))
		require.Len(t, e.findings, 1)
		checkFinding(t, e.findings[0], tt.want, tt.says)
	}
}
