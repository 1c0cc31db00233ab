package main

import (
	"bytes"
	"encoding/hex"
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

func TestSealGolden(t *testing.T) {
	const known = "180363646902239241"
	withInput := func(c call, stdin string) call {
		c.stdin = stdin
		return c
	}
	for name, c := range map[string]call{
		"seal":         sealCall(oldKey, "seal", "--tweak", "orders", known, "0", "9223372036854775807"),
		"seal_json":    withInput(sealCall(newKey+"\n"+oldKey+"\n", "seal", "--tweak", "orders", "--format", "json"), known+" 0\n"),
		"seal_table":   sealCall(oldKey, "seal", "--tweak", "orders", "--format", "table", known, "0"),
		"seal_numbers": sealCall(oldKey, "seal", "--tweak", "orders", "--numbers", "--format", "json", known, "0"),
		"open":         sealCall(newKey+" "+oldKey, "open", "--tweak", "orders", "1387aqd7r9xwke"),
		"open_json":    withInput(sealCall(oldKey, "open", "--tweak", "orders", "--format", "json"), "1387aqd7r9xwke\n"),
		"open_table":   sealCall(oldKey, "open", "--tweak", "orders", "--format", "table", "1387aqd7r9xwke"),
		"open_numbers": sealCall(oldKey, "open", "--tweak", "orders", "--numbers", "3755253776816992878"),
		"open_forged":  sealCall(oldKey, "open", "--tweak", "orders", "12345678912345"),
		"open_bad":     withInput(sealCall(oldKey, "open", "--tweak", "orders"), "1387aqd7r9xwke 2387aqd7r9xwke 1387aqd7r9xwke"),
		"help_seal":    {args: []string{"help", "seal"}},
		"help_open":    {args: []string{"help", "open"}},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, c.run()) })
	}
}

// The numbers are those of FF1 elsewhere (see TestKnown of package opaque), and the texts hold them.
func TestKnownSeals(t *testing.T) {
	o := sealCall(oldKey, "seal", "--tweak", "orders", "--numbers", "180363646902239241").run()
	require.Equal(t, outcome{0, "3755253776816992878\n", ""}, o)
	o = sealCall(oldKey, "seal", "--tweak", "orders", "180363646902239241").run()
	require.Equal(t, outcome{0, "1387aqd7r9xwke\n", ""}, o)
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

func TestSealBadInput(t *testing.T) {
	t.Chdir(t.TempDir()) // for files that should not be there
	for _, tt := range []struct {
		keys string
		args []string
		says string
	}{
		{"", []string{"seal", "1"}, "there are no keys: give --keys or UID_SEAL_KEYS; uid seal --new-key FILE makes a key"},
		{"", []string{"open", "1387aqd7r9xwke"}, "there are no keys"},
		{" ", []string{"seal", "1"}, "the keys in UID_SEAL_KEYS: syntax error: no key"},
		{"1:xyz", []string{"seal", "1"}, "the keys in UID_SEAL_KEYS: syntax error: word 1 of 1 is no key"},
		{"1:00", []string{"seal", "1"}, "the keys in UID_SEAL_KEYS: key 1: unusable configuration: a secret of 1 bytes"},
		{"0" + oldKey[1:], []string{"seal", "1"}, "the keys in UID_SEAL_KEYS: unusable configuration: key number 0"},
		{oldKey + " " + oldKey, []string{"seal", "1"}, "two keys have the number 1"},
		{oldKey, []string{"seal", "--tweak", strings.Repeat("x", 256), "1"}, "a tweak of 256 bytes"},
		{oldKey, []string{"seal", "--keys", "", "1"}, "--keys: it is empty"},
		{oldKey, []string{"seal", "--format", "xml", "1"}, `--format: "xml" is not one of`},
		{newKey + " " + oldKey, []string{"seal", "--numbers", "1"}, "--numbers is for one key, and UID_SEAL_KEYS has 2"},
		{newKey + " " + oldKey, []string{"open", "--numbers", "1"}, "--numbers is for one key"},
		{oldKey, []string{"seal", "1x"}, `syntax error: "1x" is not a decimal UID`},
		{oldKey, []string{"seal", "1", "9223372036854775808"}, "value out of range"},
		{oldKey, []string{"open", "1387aqd7r9xwke", "1387aqd7r9xwk"}, `syntax error: "1387aqd7r9xwk" has 13 bytes`},
		{oldKey, []string{"open", "1387AQD7R9XWKE"}, "syntax error"},
		{oldKey, []string{"open", "2387aqd7r9xwke"}, "unknown key"},
		{oldKey, []string{"open", "--numbers", "1387aqd7r9xwke"}, "is not a decimal UID"},
		{oldKey, []string{"open", "--new-key", "x"}, "unknown flag --new-key"},
		{oldKey, []string{"seal", "--new-key", "x", "1"}, "--new-key goes with no other flag and no UID"},
		{oldKey, []string{"seal", "--new-key", "x", "--keys", "y"}, "--new-key goes with no other flag"},
		{oldKey, []string{"seal", "--new-key", "x", "--tweak", "y"}, "--new-key goes with no other flag"},
		{oldKey, []string{"seal", "--new-key", "x", "--numbers"}, "--new-key goes with no other flag"},
		{oldKey, []string{"seal", "--new-key", "x", "--format", "json"}, "--new-key goes with no other flag"},
		{oldKey, []string{"seal", "--new-key", ""}, "--new-key: it is empty"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			require.Contains(t, sealCall(tt.keys, tt.args...).fails(t, exitBadInput), tt.says)
		})
	}
	require.NoFileExists(t, "x")
	missing := filepath.Join(t.TempDir(), "missing")
	require.Contains(t, call{args: []string{"seal", "--keys", missing, "1"}}.fails(t, exitFailure), "read the keys: open "+missing)
	require.Contains(t, call{args: []string{"seal", "--keys", t.TempDir(), "1"}}.fails(t, exitFailure), "read the keys: ")
}

// TestKeysDoNotShow looks for a key in all that the command says when something is wrong with it, or
// with where it was put.
func TestKeysDoNotShow(t *testing.T) {
	t.Chdir(t.TempDir())
	canary := hex.EncodeToString([]byte("c4n4ry-s3cr3t-k3"))
	file := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(file, []byte("1:"+canary+"\n1:"+canary), 0o600))
	for name, c := range map[string]call{
		"no number":        sealCall(canary, "seal", "1"),
		"odd number":       sealCall("99:"+canary, "seal", "1"),
		"cut off":          sealCall("1:"+canary[1:], "seal", "1"),
		"too long":         sealCall("1:"+canary+"00", "seal", "1"),
		"twice":            sealCall("1:"+canary+" 2:"+canary, "seal", "1"),
		"file":             {args: []string{"seal", "--keys", file, "1"}},
		"as the file":      {args: []string{"seal", "--keys", "1:" + canary, "1"}},
		"as a new file":    {args: []string{"seal", "--new-key", "1:" + canary}},
		"as a UID":         sealCall(oldKey, "seal", "1:"+canary),
		"as a text":        sealCall(oldKey, "open", strings.ToUpper(canary)),
		"on the input":     {args: []string{"seal"}, env: map[string]string{keysEnv: oldKey}, stdin: "1 1:" + canary},
		"misspelled":       sealCall(oldKey, "seal", "--key=1:"+canary),
		"no equals sign":   sealCall(oldKey, "seal", "--keys1:"+canary),
		"with a bad UID":   sealCall("1:"+canary, "seal", "x"),
		"with a bad text":  sealCall("1:"+canary, "open", "2387aqd7r9xwke"),
		"of no command":    {args: []string{"1:" + canary}},
		"with two numbers": sealCall("1:"+canary+" 2:"+canary[2:]+"00", "seal", "--numbers", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, verbose := range []bool{false, true} {
				if verbose {
					c.args = append([]string{"-v"}, c.args...)
				}
				o := c.run()
				require.Equal(t, exitBadInput, o.code, o.err)
				said := strings.ToLower(o.out + o.err)
				require.True(t, strings.HasPrefix(o.err, "uid: "), said)
				for _, part := range []string{canary[:16], canary[len(canary)-16:], "c4n4ry", "k3"} {
					require.NotContains(t, said, part)
				}
			}
		})
	}
	require.NoFileExists(t, "1:"+canary)
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
