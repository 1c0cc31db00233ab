package database

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
)

type stated string

func (s stated) Error() string    { return "hunter2" }
func (s stated) SQLState() string { return string(s) }

// A server that does not answer differs from one whose connection breaks later.
func TestNobodyAnswers(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, true},
		{&net.DNSError{Name: "hunter2", IsNotFound: true}, true},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, false},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, false},
		{io.EOF, false},
		{stated("25P04"), false},
	} {
		err := Failed("connect", tt.err)
		require.True(t, retry.IsTransient(err))
		nobody, is := errors.AsType[interface {
			error
			Unreachable() bool
		}](err)
		require.True(t, is)
		require.Equal(t, tt.want, nobody.Unreachable(), "%v", tt.err)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// The error of a pooler that mixes up prepared statements has the cure.
func TestPoolerMixesUp(t *testing.T) {
	for _, state := range []string{"42P05", "26000"} {
		err := Failed("read", stated(state))
		require.ErrorContains(t, err, "default_query_exec_mode=exec")
		require.False(t, retry.IsTransient(err))
		require.NotContains(t, err.Error(), "hunter2")
	}
}
