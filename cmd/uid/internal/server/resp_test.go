package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/internal/storage"
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

// command writes a command as clients do.
func command(args ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b.String()
}

// over returns what a server says to a text on a connection of its own.
func over(t *testing.T, l *pipeListener, text string) string { return say(t, l.dial(t), text) }

var bye = command("QUIT")

// The files have commands of clients, and the answers. Refused commands draw nothing.
func TestRESP(t *testing.T) {
	for file, change := range map[string]func(*Config){"resp.txt": func(*Config) {}, "resp_token.txt": withToken} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(change)
			h.store.SetRow(storage.Segment{Tag: "order no. 1", Next: 5, Step: 1})
			l := h.serving(t)[overRESP]
			transcript(t, file, func(says string) string {
				answer := strconv.Quote(over(t, l, commands(t, says)))
				return answer[1 : len(answer)-1]
			})
			require.Zero(t, testutil.ToFloat64(h.metrics.connections[overRESP].open))
		})
	}
}

// commands is what a line of a transcript says: commands, and then QUIT; or, if it has a line end, itself.
func commands(t *testing.T, line string) (text string) {
	if strings.Contains(line, `\n`) {
		return unquoted(t, line)
	}
	for words := range strings.SplitSeq(line, " | ") {
		var args []string
		for word := range strings.SplitSeq(words, " ") {
			args = append(args, unquoted(t, word))
		}
		text += command(args...)
	}
	return text + bye
}

// Commands of a pipeline make no garbage, for whose collection others would wait: what is left is the connection's own.
func TestPipelineMakesNoGarbage(t *testing.T) {
	h := newHouse()
	for _, words := range [][]string{{"INCR", "uid"}, {"incr", "uid"}} {
		text := strings.Repeat(command(words...), 1000)
		require.Less(t, testing.AllocsPerRun(5, func() { h.serveConn(newScript(text)) }), 100.0)
	}
}

// A command may come in any pieces, and answers leave before the next is awaited.
func TestRESPInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		l := h.serving(t)[overRESP]
		c := l.dial(t)
		in := bufio.NewReader(c)
		for i := range 3 {
			for _, b := range []byte(command("INCR", "uid")) {
				_, err := c.Write([]byte{b})
				require.NoError(t, err)
				time.Sleep(100 * time.Millisecond) // of fake time
			}
			line, err := in.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf(":%d\r\n", i+1), line)
		}
	})
}

// Idle connections live longer than those within a command, and neither for ever.
func TestRESPSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		l := h.serving(t)[overRESP]
		for text, lasts := range map[string]time.Duration{"": 2 * time.Minute, "*2\r\n$4\r\nIN": 10 * time.Second,
			"I": 10 * time.Second, "*2\r\n": 10 * time.Second} {
			began := time.Now()
			require.Empty(t, over(t, l, text))
			require.Equal(t, lasts, time.Since(began), text)
		}

		// A byte every 9 s makes a command no longer.
		c := l.dial(t)
		began := time.Now()
		var writer sync.WaitGroup
		writer.Go(func() {
			for _, b := range []byte(command("INCR", "uid")) {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(9 * time.Second)
			}
		})
		all, err := io.ReadAll(c)
		require.NoError(t, err)
		require.Empty(t, all)
		require.Equal(t, 10*time.Second, time.Since(began))
		writer.Wait()

		// The server does not wait for a client that reads nothing.
		c = l.dial(t)
		_, err = io.WriteString(c, strings.Repeat(command("UIDS", "10000"), 100))
		require.NoError(t, err)
		time.Sleep(10*time.Second - 1)
		synctest.Wait()
		require.EqualValues(t, 1, testutil.ToFloat64(h.metrics.connections[overRESP].open))
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Zero(t, testutil.ToFloat64(h.metrics.connections[overRESP].open))
		require.EqualValues(t, 10_000, h.uids.Drawn(), "nothing more was drawn for it")
	})
}

// The limits hold on a connection that is in use, if not to the last second. What it has drawn is counted before the
// answer leaves.
func TestRESPInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		l := h.serving(t)[overRESP]
		for text, lasts := range map[string]time.Duration{"": 2 * time.Minute, "I": 10 * time.Second} {
			c := l.dial(t)
			for range 3 {
				before := testutil.ToFloat64(h.metrics.commands)
				_, err := io.WriteString(c, command("PING"))
				require.NoError(t, err)
				answer := make([]byte, len("+PONG\r\n"))
				_, err = io.ReadFull(c, answer)
				require.NoError(t, err)
				require.Equal(t, before+1, testutil.ToFloat64(h.metrics.commands))
				time.Sleep(400 * time.Millisecond)
			}
			_, err := io.WriteString(c, text)
			require.NoError(t, err)
			began := time.Now()
			_, err = io.ReadAll(c)
			require.NoError(t, err)
			require.InDelta(t, lasts, time.Since(began), float64(time.Second))
		}
	})
}

// A command waits for a UID as long as the limit says, and no longer.
func TestWaitsWithinLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(func(c *Config) { c.RequestTimeout = 3 * time.Second })
		h.cfg.UIDs = stalled{h.uids}
		all := h.serving(t)
		for _, says := range []string{command("INCR", "uid"), command("UIDS", "7")} {
			began := time.Now()
			require.Equal(t, "-ERR none was to be had in time\r\n+OK\r\n", over(t, all[overRESP], says+bye))
			require.Equal(t, 3*time.Second, time.Since(began))
		}
		for _, target := range []string{"/v1/uid", "/v1/uids?n=7"} {
			began := time.Now()
			said := over(t, all[overHTTP], raw("GET", target, "Connection: close"))
			require.Contains(t, said, "503 Service Unavailable")
			require.Contains(t, said, "Retry-After: 1\r\n")
			require.Contains(t, said, `{"error":"none was to be had in time"}`)
			require.Equal(t, 3*time.Second, time.Since(began))
		}
		// A header has to end.
		for _, half := range []string{"G", "GET /v1/uid HTTP/1.1\r\nHost: loc"} {
			began := time.Now()
			_ = over(t, all[overHTTP], half)
			require.Equal(t, headerTime, time.Since(began))
		}
	})
}

// FuzzRESP throws bytes at the reader of the protocol: it neither fails, nor holds more than it may, and
// what it says is of the protocol.
func FuzzRESP(f *testing.F) {
	for _, seed := range []string{
		command("INCR", "uid"), command("UIDS", "3") + bye, command("INCRBY", "invoice", "3"), "INCR uid\r\n",
		"*1\r\n$9223372036854775807\r\nINCR\r\n", "*0\r\n*-1\r\n", command("HELLO", "3", "AUTH", "a", "b"),
		"GET / HTTP/1.1\r\n", command("CLIENT", "SETNAME"), "\r\n\n*",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		pipe := newScript(string(text))
		newHouse().serveConn(pipe)
		checkRESP(t, pipe.out.Bytes())
	})
}
