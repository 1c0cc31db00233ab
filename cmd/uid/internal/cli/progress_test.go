package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		p := startProgress(&terminal, 4000)
		_ = p.Add(500)
		time.Sleep(progressDelay - time.Nanosecond)
		_ = p.Add(500)
		_ = p.Clear()
		require.Empty(t, terminal.String(), "a short run shows nothing")

		time.Sleep(100 * time.Millisecond)
		_ = p.Add(1000)
		require.Contains(t, terminal.String(), "50% ")
		require.Contains(t, terminal.String(), "(2000/4000) [1s:1s]")
		_ = p.Clear()
		require.Regexp(t, `\r +\r$`, terminal.String(), "it is removed")
	})
}
