package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/opaque"
)

// Two keys, in the form of a file.
const (
	oldKey = "1:000102030405060708090a0b0c0d0e0f"
	newKey = "2:101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
)

func sealCall(keys string, args ...string) call {
	return call{args: args, env: map[string]string{keysEnv: keys}}
}

// What seal makes, open takes back, in each form, from arguments and from the input.
func TestSealAndOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var uids []string
		for _, n := range rapid.SliceOfN(rapid.Int64Min(0), 1, 5).Draw(t, "UIDs") {
			uids = append(uids, uid.UID(n).String())
		}
		keys := rapid.SampledFrom([]string{oldKey, newKey, newKey + " " + oldKey}).Draw(t, "keys")
		flags := []string{"--tweak=" + rapid.SampledFrom([]string{"", "orders"}).Draw(t, "tweak")}
		if !strings.Contains(keys, " ") && rapid.Bool().Draw(t, "numbers") {
			flags = append(flags, "--numbers")
		}
		turn := func(command string, words []string) []string {
			c := sealCall(keys, append([]string{command}, flags...)...)
			if rapid.Bool().Draw(t, "input") {
				c.stdin = strings.Join(words, "\n")
			} else {
				c.args = append(c.args, words...)
			}
			o := c.run()
			require.Zero(t, o.code, o.err)
			require.Empty(t, o.err)
			return strings.Fields(o.out)
		}
		sealed := turn("seal", uids)
		require.NotEqual(t, uids, sealed)
		require.Equal(t, uids, turn("open", sealed))
	})
}

func TestNewKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	made := call{args: []string{"seal", "--new-key", file, "-v"}}.run()
	require.Zero(t, made.code, made.err)
	require.Empty(t, made.out)
	require.Equal(t, "uid: "+file+" has a new key: keep a copy, without it nothing that it seals can be opened\n", made.err)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Regexp(t, `^1:[0-9a-f]{64}\n$`, string(b))
	keys, err := opaque.ParseKeys(string(b))
	require.NoError(t, err)
	_, err = opaque.New(opaque.Config{Keys: keys, Current: 1})
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}

	sealed := strings.TrimSpace(ok(t, "seal", "--keys", file, "42"))
	require.Equal(t, "42\n", ok(t, "open", "--keys", file, sealed))
	// The file counts, not the environment.
	require.Equal(t, outcome{0, "42\n", ""}, sealCall(oldKey, "open", "--keys", file, sealed).run())

	says := call{args: []string{"seal", "--new-key", file}}.fails(t, exitFailure)
	require.Contains(t, says, file)
	again, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b, again, "a key is not overwritten")

	other := file + "2"
	ok2 := call{args: []string{"seal", "--new-key", other}}.run()
	require.Zero(t, ok2.code, ok2.err)
	c, err := os.ReadFile(other)
	require.NoError(t, err)
	require.NotEqual(t, b, c)
	require.Contains(t, call{args: []string{"seal", "--new-key", filepath.Join(file, "x")}}.fails(t, exitFailure), "make a key: ")
}

func TestSealStopsAtBadInput(t *testing.T) {
	for _, tt := range []struct {
		command, good, what string
	}{{"seal", "180363646902239241", "UID"}, {"open", "1387aqd7r9xwke", "text"}} {
		c := sealCall(oldKey, tt.command, "--tweak", "orders")
		c.stdin = tt.good + "\n" + tt.good + " oops\n" + tt.good
		o := c.run()
		require.Equal(t, exitBadInput, o.code)
		require.Equal(t, 2, strings.Count(o.out, "\n"), "what came before it is shown")
		require.Contains(t, o.err, "uid: "+tt.what+" 3 of the input: syntax error: \"oops\" ")

		c.stdin = tt.good + "\n" + strings.Repeat("g", 1<<20)
		o = c.run()
		require.Equal(t, exitBadInput, o.code)
		require.Equal(t, "uid: "+tt.what+" 2 of the input: syntax error: it has more than 65536 bytes\n", o.err)

		c.stdin = ""
		require.Equal(t, outcome{}, c.run(), "nothing in, nothing out")
	}
}

func TestSealAnswersBeforeItReadsOn(t *testing.T) {
	for _, command := range []string{"seal", "open"} {
		var out, stderr bytes.Buffer
		in := &turns{words: []string{"1387aqd7r9xwke", "1387aqd7r9xwke"}, out: &out}
		if command == "seal" {
			in.words = []string{"1", "2"}
		}
		require.Zero(t, run([]string{command}, in, &out, &stderr, func(string) string { return oldKey }))
		require.Zero(t, in.written[0])
		require.Less(t, in.written[0], in.written[1])
		require.Less(t, in.written[1], in.written[2])
	}
}

func TestSealPipesThatFail(t *testing.T) {
	const good = "1387aqd7r9xwke\n"
	p := func(stdin io.Reader, stdout io.Writer, args ...string) (int, string) {
		var stderr bytes.Buffer
		p := &program{
			stdin: stdin, stdout: stdout, stderr: &stderr,
			getenv: func(string) string { return oldKey }, now: func() time.Time { return today },
		}
		return p.run(args), stderr.String()
	}
	for _, args := range [][]string{{"open"}, {"open", "--format", "json"}, {"open", "--format", "table"}, {"open", strings.TrimSpace(good)}} {
		code, text := p(strings.NewReader(strings.Repeat(good, 5000)), &failingWriter{n: 3, err: syscall.EPIPE}, args...)
		require.Zero(t, code, args)
		require.Empty(t, text)
		code, text = p(strings.NewReader(strings.Repeat(good, 5000)), &failingWriter{n: 3, err: errors.New("disk full")}, args...)
		require.Equal(t, exitFailure, code, args)
		require.Equal(t, "uid: writing the output: disk full\n", text)
	}
	// In the midst of a UID, which is not to be taken for a whole one.
	var out bytes.Buffer
	code, text := p(io.MultiReader(strings.NewReader("18036364690223924"), iotest.ErrReader(errors.New("bad sector"))), &out, "seal")
	require.Equal(t, exitFailure, code)
	require.Equal(t, "uid: reading the input: bad sector\n", text)
	require.Empty(t, out.String())
}
