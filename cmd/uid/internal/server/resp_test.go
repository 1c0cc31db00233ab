package server

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/internal/segmentstore"
)

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

func TestRESP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.store.SetRow(segmentstore.Row{Tag: "order no. 1", Next: 5, Step: 1})
		l := h.serving(t)[overRESP]
		for _, tt := range []struct{ says, want string }{
			{command("INCR", "uid") + command("incr", "uid"), ":1\r\n:2\r\n"},
			{command("UIDS", "2"), "*2\r\n$1\r\n3\r\n$1\r\n4\r\n"},
			{command("INCRBY", "uid", "1"), ":5\r\n"},
			{command("INCR", "invoice") + command("INCR", "invoice"), ":1\r\n:2\r\n"},
			{command("INCRBY", "invoice", "10"), ":12\r\n"},
			{command("INCR", "invoice"), ":13\r\n"},
			{command("INCR", "order no. 1"), ":5\r\n"},
			{"INCR uid\r\nPING\r\n\r\n\nping\n", ":6\r\n+PONG\r\n+PONG\r\n"},
			{command("PING", "a\r\nb"), "$4\r\na\r\nb\r\n"},
			{command("ECHO", ""), "$0\r\n\r\n"},
			{command("SELECT", "0") + command("SELECT", "1"), "+OK\r\n-ERR DB index is out of range\r\n"},
			{command("CLIENT", "SETINFO", "LIB-NAME", "x") + command("CLIENT", "SETNAME", "x"), "+OK\r\n+OK\r\n"},
			{command("CLIENT", "ID"), ":1\r\n"},
			{command("COMMAND", "DOCS") + command("COMMAND") + command("COMMAND", "COUNT"), "*0\r\n*0\r\n:0\r\n"},
			{command("HELLO", "3"), "-NOPROTO unsupported protocol version\r\n"},
			{command("HELLO", "2", "SETNAME", "x"),
				"*14\r\n$6\r\nserver\r\n$3\r\nuid\r\n$7\r\nversion\r\n$4\r\ntest\r\n$5\r\nproto\r\n:2\r\n$2\r\nid\r\n" +
					":1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n"},
			{command("INCR", "nosuch"), "-ERR the store has no such tag: \"nosuch\"\r\n"},
		} {
			require.Equal(t, tt.want+"+OK\r\n", over(t, l, tt.says+bye), tt.says)
		}
		require.Contains(t, over(t, l, command("INFO")+bye), "loading:0\r\n")
	})
}

// What is no number in a row is refused, whether it could be had or not.
func TestRefusedRESP(t *testing.T) {
	type refusal struct{ says, want string }
	errors := []refusal{ // beside those of the file
		{command("EVAL", "return 1", "0"), "ERR unknown command EVAL"},
		{command("\r\n-ERR"), "ERR unknown command of 6 bytes"},
		{command(""), "ERR unknown command "},
		{command(strings.Repeat("A", 1000)), "ERR unknown command of 1000 bytes"},
		{command("INCR", ""), "ERR value out of range: the tag"},
		{command("INCR", " a"), "ERR unusable configuration: the tag"},
		{command("INCR", "a\r\nb"), "ERR unusable configuration: the tag"},
		{command("INCR", strings.Repeat("a", 129)), "ERR value out of range: the tag \"aaa"},
		{command("INCRBY", "invoice", ""), `ERR the increment is ""`},
	}
	ends := []refusal{
		{strings.Repeat("a", 20_000), "a line has more than 1024 bytes"},
		{strings.Repeat("a", 2000) + "\r\n", "a line has more than 1024 bytes"},
		{strings.Repeat("a ", 17) + "\r\n", "17 arguments, want 16"},
		{"*1" + strings.Repeat("1", 2000) + "\r\n", "a line has more than 1024 bytes"},
	}
	for line := range strings.Lines(string(clitest.Must(os.ReadFile("testdata/refused_resp.txt")))) {
		says, want, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		raw, err := strconv.Unquote(`"` + says + `"`)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.Contains(says, `\n`):
			require.NoError(t, err)
			ends = append(ends, refusal{raw, want})
		default:
			require.True(t, found, line)
			errors = append(errors, refusal{command(strings.Split(says, " ")...), want})
		}
	}
	require.Len(t, append(errors, ends...), 53)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		l := h.serving(t)[overRESP]
		for _, tt := range errors {
			said := over(t, l, tt.says+bye)
			first, rest, _ := strings.Cut(said, "\r\n")
			require.Equal(t, "+OK\r\n", rest, "%q: one line, and then the answer to QUIT", tt.says)
			require.Contains(t, first, "-"+tt.want[:3], tt.says)
			require.Contains(t, first, tt.want, tt.says)
		}
		for _, tt := range ends {
			said := over(t, l, tt.says)
			require.Regexp(t, `^-ERR Protocol error: [^\r\n]*\r\n$`, said, tt.says)
			require.Contains(t, said, tt.want, tt.says)
		}
		require.Zero(t, h.uids.next, "something was drawn")
		require.EqualValues(t, 1, h.store.Row("invoice").Next)
		require.Zero(t, testutil.ToFloat64(h.metrics.connections[overRESP].open))
	})
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

		// Who reads nothing is not waited for.
		c = l.dial(t)
		_, err = io.WriteString(c, strings.Repeat(command("UIDS", "10000"), 100))
		require.NoError(t, err)
		time.Sleep(10*time.Second - 1)
		synctest.Wait()
		require.EqualValues(t, 1, testutil.ToFloat64(h.metrics.connections[overRESP].open))
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Zero(t, testutil.ToFloat64(h.metrics.connections[overRESP].open))
		require.EqualValues(t, 10_000, h.uids.next, "nothing more was drawn for it")
	})
}

func TestRESPToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(withToken)
		l := h.serving(t)[overRESP]
		const wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n"
		const noAuth = "-NOAUTH Authentication required.\r\n"
		const fill = (respBuffer - 4*len(wrong)) / len(noAuth) // the fifth wrong one then writes the buffer out
		for _, tt := range []struct{ says, want string }{
			{command("INCR", "uid") + command("PING") + bye, noAuth + noAuth + "+OK\r\n"},
			{command("AUTH", secret) + command("INCR", "uid") + bye, "+OK\r\n:1\r\n+OK\r\n"},
			{command("AUTH", "anybody", secret) + command("INCR", "uid") + bye, "+OK\r\n:2\r\n+OK\r\n"},
			{command("AUTH", secret+"x") + command("INCR", "uid") + bye, wrong + noAuth + "+OK\r\n"},
			{command("AUTH", secret) + command("AUTH", "x") + command("INCR", "uid") + bye,
				"+OK\r\n" + wrong + noAuth + "+OK\r\n"},
			{command("HELLO", "2", "AUTH", "default", "x") + bye, wrong + "+OK\r\n"},
			{strings.Repeat(command("AUTH", "x"), 6), strings.Repeat(wrong, 5)}, // the fifth ends it
			{strings.Repeat("PING\r\n", fill) + strings.Repeat(command("AUTH", "x"), 6),
				strings.Repeat(noAuth, fill) + strings.Repeat(wrong, 5)},
		} {
			require.Equal(t, tt.want, over(t, l, tt.says), tt.says)
		}
		hello := command("HELLO", "2", "AUTH", "default", secret)
		require.Contains(t, over(t, l, hello+command("INCR", "uid")+bye), "$5\r\nproto\r\n:2\r\n")
		require.EqualValues(t, 3, h.uids.next)
		require.Contains(t, over(t, l, command("HELLO")+bye), "-NOAUTH HELLO must be called")
	})
}

// A command waits for a UID as long as the limit says, and no longer.
func TestWaitsWithinLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(func(c *Config) { c.Limits.Request = 3 * time.Second })
		h.uids.blocks = true
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
		// A header has to come to its end.
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
