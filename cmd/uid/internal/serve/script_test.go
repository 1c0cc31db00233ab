package serve

import (
	"bytes"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A script is a connection whose other end has said all that it will say.
type script struct {
	in  []byte
	out []byte
}

func (s *script) Read(b []byte) (int, error) {
	if len(s.in) == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.in)
	s.in = s.in[n:]
	return n, nil
}

func (s *script) Write(b []byte) (int, error) {
	s.out = append(s.out, b...)
	return len(b), nil
}

func (*script) Close() error                     { return nil }
func (*script) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*script) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*script) SetDeadline(time.Time) error      { return nil }
func (*script) SetReadDeadline(time.Time) error  { return nil }
func (*script) SetWriteDeadline(time.Time) error { return nil }

// checkRESP reads answers of the protocol to their end.
func checkRESP(t *testing.T, text []byte) {
	for left := 0; len(text) > 0 || left > 0; {
		line, rest, ok := bytes.Cut(text, []byte("\r\n"))
		require.True(t, ok && len(line) > 0, "%q", text)
		require.NotContains(t, string(line), "\n")
		left = max(0, left-1)
		text = rest
		switch line[0] {
		case '+', '-':
		case ':':
			_, err := strconv.ParseInt(string(line[1:]), 10, 64)
			require.NoError(t, err)
		case '$', '*':
			n, err := strconv.Atoi(string(line[1:]))
			require.NoError(t, err)
			if line[0] == '*' {
				left += n
				continue
			}
			require.GreaterOrEqual(t, len(text), n+2)
			require.Equal(t, "\r\n", string(text[n:n+2]))
			text = text[n+2:]
		default:
			require.Fail(t, "no answer", "%q", line)
		}
	}
}
