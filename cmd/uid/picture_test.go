package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/picture"
)

func TestPictureIsNoWiderThanATerminal(t *testing.T) {
	for _, layout := range []string{"default", "twitter", "js", "63ns/0/0", "1/1/1", "1/62/0",
		"41ms/10/12 fields=datacenter:5,worker:5", "1/61/1 fields=abcdefghijklmnop:61",
		"9/8/46 fields=aaaaaaaaaaaaaaaa:1,bbbbbbbbbbbbbbbb:1,cccccccccccccccc:1,dddddddddddddddd:1," +
			"eeeeeeeeeeeeeeee:1,ffffffffffffffff:1,gggggggggggggggg:1,hhhhhhhhhhhhhhhh:1"} {
		out := call{args: []string{"parse", "--layout", layout, "1"}}.run().out
		require.Contains(t, out, "\n")
		for line := range strings.Lines(out) {
			require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), picture.Width, out)
			require.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "trailing space")
		}
	}
}
