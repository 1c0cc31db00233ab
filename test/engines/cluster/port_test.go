package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFreePort(t *testing.T) {
	seen := map[int]bool{}
	for range 3 * portBlock {
		port := must(freePort())
		require.False(t, seen[port], "%d a second time", port)
		seen[port] = true
		require.False(t, seen[port-port%portBlock], "%d of a block that is not kept", port)
		_, err := listen(port - port%portBlock)
		require.Error(t, err, "another process can take the block of %d", port)
		require.NoError(t, must(listen(port)).Close())
	}
}
