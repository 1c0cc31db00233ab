package sqldoctor

import (
	"math"
	"testing"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
	"github.com/uidgen/uid/worker/registry"
)

func TestJudgeCounter(t *testing.T) {
	for _, tt := range []struct {
		n       registry.NodeInfo
		dialect database.Dialect
		want    doctor.Level
		says    string
	}{
		{registry.NodeInfo{Next: 1}, database.MySQL, doctor.LevelOK, "next ID 1, largest ID 0"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 10}, database.MySQL, doctor.LevelOK, "next ID 10"},
		{registry.NodeInfo{Rows: 9, Last: 9}, database.MySQL, doctor.LevelOK, "not told"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 9}, database.MySQL, doctor.LevelError, "ALTER TABLE NODES AUTO_INCREMENT = 10"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 5}, database.MySQL, doctor.LevelError, "where the row of ID 5 is gone"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 9}, database.SQLite, doctor.LevelError, "UPDATE sqlite_sequence SET seq = 9 WHERE name = 'NODES'"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 9}, database.Postgres, doctor.LevelError, "ALTER TABLE NODES ALTER COLUMN ID RESTART WITH 10"},
		{registry.NodeInfo{Rows: 1, Last: math.MaxInt64, Next: math.MaxInt64}, database.MySQL, doctor.LevelError, "not above"},
	} {
		checkFinding(t, judgeCounter(tt.n, tt.dialect, "NODES"), tt.want, tt.says)
	}
}
