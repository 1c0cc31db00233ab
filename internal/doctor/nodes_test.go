package doctor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/registry"
)

func TestJudgeNodes(t *testing.T) {
	const most = 1000
	type node = registry.NodeInfo
	for _, tt := range []struct {
		n    node
		most int64
		want Level
		says string
	}{
		{node{}, most, LevelOK, "0 rows"},
		{node{Rows: 0, Last: 0, Next: 1}, most, LevelOK, "next ID 1, of 1000"},
		{node{Rows: 9, Last: 9, Next: 10}, most, LevelOK, ""},
		{node{Rows: 9, Last: 9, Next: 0}, most, LevelOK, "next ID unknown"},
		{node{Rows: 10, Last: 1001, Next: 1002}, most, LevelError, "above the layout's maximum"},
		{node{Rows: 10, Last: 1001, Next: 1002}, 0, LevelNote, "jumps"},
		{node{Rows: 1000, Last: 1000, Next: 1001}, most, LevelError, "No ID is left"},
		{node{Rows: 800, Last: 800, Next: 1001}, most, LevelError, "No ID is left"},
		{node{Rows: 800, Last: 800, Next: 801}, most, LevelOK, ""},
		{node{Rows: 801, Last: 801, Next: 802}, most, LevelWarn, "199 are left"},
		{node{Rows: 10, Last: 70, Next: 77}, most, LevelNote, "jumps"},
		{node{Rows: 10, Last: 70, Next: 71, Skipped: 31}, most, LevelOK, "of 1000, 31 skipped after"},
		{node{Rows: 10, Last: 75, Next: 76, Skipped: 31}, most, LevelNote, "44 IDs were given out and there are 10"},
		{node{Rows: 10, Last: 801, Next: 802, Skipped: 700}, most, LevelWarn, "199 are left"},
		{node{Rows: 1, Last: math.MaxInt64, Next: math.MaxInt64}, math.MaxInt64, LevelError, "No ID is left"},
	} {
		c := &check{Config: Config{MaxWorkerID: tt.most, Disposable: &tt.n}}
		checkFinding(t, c.nodesLeft(), tt.want, tt.says)
	}
	require.Zero(t, (&check{}).nodesLeft())
}
