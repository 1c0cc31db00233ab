package doctor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/registry"
)

func TestJudgeNodes(t *testing.T) {
	const most = 1000
	for _, tt := range []struct {
		n    registry.NodeInfo
		most int64
		want Level
		says string
	}{
		{registry.NodeInfo{}, most, LevelOK, "0 rows"},
		{registry.NodeInfo{Rows: 0, Last: 0, Next: 1}, most, LevelOK, "next ID 1, of 1000"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 10}, most, LevelOK, ""},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 0}, most, LevelOK, "next ID not told"},
		{registry.NodeInfo{Rows: 10, Last: 1001, Next: 1002}, most, LevelError, "above the layout's maximum"},
		{registry.NodeInfo{Rows: 10, Last: 1001, Next: 1002}, 0, LevelNote, "jumps"},
		{registry.NodeInfo{Rows: 1000, Last: 1000, Next: 1001}, most, LevelError, "No ID is left"},
		{registry.NodeInfo{Rows: 800, Last: 800, Next: 1001}, most, LevelError, "No ID is left"},
		{registry.NodeInfo{Rows: 800, Last: 800, Next: 801}, most, LevelOK, ""},
		{registry.NodeInfo{Rows: 801, Last: 801, Next: 802}, most, LevelWarn, "199 are left"},
		{registry.NodeInfo{Rows: 10, Last: 70, Next: 77}, most, LevelNote, "jumps"},
		{registry.NodeInfo{Rows: 10, Last: 70, Next: 71, Skipped: 31}, most, LevelOK, "of 1000, 31 left out after"},
		{registry.NodeInfo{Rows: 10, Last: 75, Next: 76, Skipped: 31}, most, LevelNote, "44 IDs were given and 10"},
		{registry.NodeInfo{Rows: 10, Last: 801, Next: 802, Skipped: 700}, most, LevelWarn, "199 are left"},
		{registry.NodeInfo{Rows: 1, Last: math.MaxInt64, Next: math.MaxInt64}, math.MaxInt64, LevelError,
			"No ID is left"},
	} {
		c := &check{Config: Config{MaxWorkerID: tt.most}}
		c.nodesLeft(registry.Overview{Nodes: &tt.n})
		require.Len(t, c.findings, 1)
		checkFinding(t, c.findings[0], tt.want, tt.says)
	}
	c := &check{}
	c.nodesLeft(registry.Overview{})
	require.Empty(t, c.findings)
}
