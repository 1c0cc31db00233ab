package fitness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A setting is good if each standby that it lists must have a commit.
func TestLackingStandby(t *testing.T) {
	both, lacks := []string{"s1", "s2"}, "another one lacks the newest commits"
	for _, c := range []struct {
		setting   string
		connected []string
		says      string
	}{
		{"", nil, ""},
		{"", []string{"walreceiver"}, "1 standbys are connected asynchronously"},
		{"s1", both, ""},
		{"S1", []string{"s1"}, ""},
		{"s1, s2", both, "lists 2 standbys, and 1 of them must have a commit: " + lacks},
		{"1 (s1, s2)", both, "lists 2 standbys, and 1 of them"},
		{"FIRST 1 (s1, s2)", both, "lists 2 standbys, and 1 of them"},
		{"ANY 1 (s1,s2)", both, "lists 2 standbys, and 1 of them"},
		{"ANY 1 (s1,s2)", nil, "lists 2 standbys, and 1 of them"},
		{"any 2(s1,s2)", both, ""},
		{"FIRST 2 (s1, \"s2\")", both, ""},
		{"ANY 2 (s1, s2, s3)", both, "lists 3 standbys, and 2 of them"},
		{"1 (s1, S1)", []string{"s1"}, ""},
		{"ANY 1 (s1)", []string{"s1", "s1"}, "2 standbys are connected under the names"},
		{"walreceiver", []string{"walreceiver", "WalReceiver", "other"}, "2 standbys are connected under the names"},
		{"*", []string{"s1"}, "names no standby but * (any), and 1 of them"},
		{"ANY 2 (s1, \"*\")", both, "names no standby but *"},
		{"1 (\"a \"\"b\"\", (c)\")", []string{"a \"b\", (c)"}, ""},
	} {
		if why := lackingStandby(c.setting, c.connected); c.says == "" {
			require.Empty(t, why, c.setting)
		} else {
			require.Contains(t, why, c.says, c.setting)
		}
	}
}
