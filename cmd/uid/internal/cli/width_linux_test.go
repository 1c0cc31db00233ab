package cli

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestWidthOfATerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no /dev/ptmx, which makes terminals")
	}
	require.NoError(t, err)
	defer terminal.Close()
	p := &Program{Stdout: terminal, Getenv: func(string) string { return "" }}
	require.Equal(t, usualWidth, p.width(), "it does not know")
	require.NoError(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 123}))
	require.Equal(t, 123, p.width())
	p.Getenv = func(string) string { return "77" }
	require.Equal(t, 77, p.width(), "the user's word comes first")
}
