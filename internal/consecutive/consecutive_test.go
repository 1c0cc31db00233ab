package consecutive

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestFill(t *testing.T) {
	for length := range 40 {
		const first uid.UID = 1<<40 - 9 // carries on the way
		room := make([]uid.UID, length+9)
		Fill(room[:length], first)
		for i, u := range room {
			if i < length {
				require.Equal(t, first+uid.UID(i), u, "UID %d of %d", i, length)
			} else {
				require.Zero(t, u, "beyond %d", length)
			}
		}
	}
}
