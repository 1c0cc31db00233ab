package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/forms"
)

// readers are the commands that read words from the input, each with a word that it takes, and what it calls one.
var readers = []struct{ command, good, what string }{
	{"parse", "180363646902239241", "UID"}, {"seal", "180363646902239241", "UID"}, {"open", "1387aqd7r9xwke", "text"},
}

func withKey(name string) string { return map[string]string{forms.KeysEnv: oldKey}[name] }

func TestStopsAtBadInput(t *testing.T) {
	for _, r := range readers {
		c := call{args: []string{r.command, "--json"}, getenv: withKey}
		c.stdin = r.good + "\n" + strings.Repeat("1", 1<<20)
		require.Equal(t, "uid: "+r.what+" 2 of the input: syntax error: it has more than 65536 bytes\n", c.run().Err)
		c.stdin = r.good + "\n" + r.good + " oops\n" + r.good
		o := c.run()
		require.Equal(t, cli.ExitBadInput, o.Code)
		require.Equal(t, 2, strings.Count(o.Out, "\n"), "what came before it is shown")
		require.Contains(t, o.Err, "uid: "+r.what+" 3 of the input: syntax error: \"oops\" ")
	}
}

// turns gives one word a Read, and records how much had been written by then.
type turns struct {
	words   []string
	out     *bytes.Buffer
	written []int
}

func (r *turns) Read(b []byte) (int, error) {
	r.written = append(r.written, r.out.Len())
	if len(r.words) == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.words[0]+"\n")
	r.words = r.words[1:]
	return n, nil
}

func TestAnswersBeforeItReadsOn(t *testing.T) {
	for _, r := range readers {
		var out bytes.Buffer
		in := &turns{words: []string{r.good, r.good}, out: &out}
		require.Zero(t, call{args: []string{r.command, "--format", "json"}, in: in, to: &out, getenv: withKey}.run())
		require.Zero(t, in.written[0])
		require.Less(t, in.written[0], in.written[1])
		require.Less(t, in.written[1], in.written[2])
	}
}
