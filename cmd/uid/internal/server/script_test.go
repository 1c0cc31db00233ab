package server

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/clitest"
)

// A script is a connection whose other end has said all that it will say.
type script struct {
	net.Conn // nil: nobody calls its other methods
	in       *strings.Reader
	out      bytes.Buffer
}

func newScript(in string) *script { return &script{in: strings.NewReader(in)} }

func (s *script) Read(b []byte) (int, error)     { return s.in.Read(b) }
func (s *script) Write(b []byte) (int, error)    { return s.out.Write(b) }
func (*script) Close() error                     { return nil }
func (*script) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
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
			n := clitest.Must(strconv.Atoi(string(line[1:])))
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
