package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// newTerminal returns the slave side of a pseudo-terminal.
func newTerminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no /dev/ptmx, which makes terminals")
	}
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { slave.Close() })
	return slave
}

func TestProgressOnATerminal(t *testing.T) {
	terminal := newTerminal(t)
	var file bytes.Buffer
	progress := func(stdout, stderr io.Writer) io.Writer {
		return (&Program{Stdout: stdout, Stderr: stderr}).progressTo()
	}
	require.Equal(t, terminal, progress(&file, terminal))
	require.Equal(t, io.Discard, progress(terminal, terminal), "the output shows how it goes")
	require.Equal(t, io.Discard, progress(terminal, &file))
	require.Equal(t, io.Discard, progress(&file, os.Stdin))
}

func TestWidthOfATerminal(t *testing.T) {
	terminal := newTerminal(t)
	p := &Program{Stdout: terminal, Getenv: func(string) string { return "" }}
	require.Equal(t, usualWidth, p.width(), "it does not know")
	require.NoError(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 123}))
	require.Equal(t, 123, p.width())
	p.Getenv = func(string) string { return "77" }
	require.Equal(t, 77, p.width(), "the user's word comes first")
}
