package main

import (
	"bytes"
	"errors"
	"fmt"
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
	number := must(unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN))
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	slave := must(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0))
	t.Cleanup(func() { slave.Close() })
	return slave
}

func TestProgressOnATerminal(t *testing.T) {
	terminal := newTerminal(t)
	var file bytes.Buffer
	require.NotNil(t, newProgress(&file, terminal, 10))
	require.Nil(t, newProgress(terminal, terminal, 10), "the output shows how it goes")
	require.Nil(t, newProgress(terminal, &file, 10))
	require.Nil(t, newProgress(&file, os.Stdin, 10))
}

func TestWidthOfATerminal(t *testing.T) {
	terminal := newTerminal(t)
	p := &program{stdout: terminal, getenv: noEnv}
	require.Equal(t, usualWidth, p.width(), "it does not know")
	require.NoError(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 123}))
	require.Equal(t, 123, p.width())
	p.getenv = func(string) string { return "77" }
	require.Equal(t, 77, p.width(), "the user's word comes first")
}
