package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/forms"
	"github.com/uidgen/uid/internal/presets"
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
		o := call{args: []string{r.command, "--format", "json"}, in: in, to: &out, getenv: withKey}.run()
		require.Zero(t, o.Code, o.Err)
		require.Zero(t, in.written[0])
		require.Less(t, in.written[0], in.written[1])
		require.Less(t, in.written[1], in.written[2])
	}
}

// Two keys, in the form of a file.
const (
	oldKey = "1:000102030405060708090a0b0c0d0e0f"
	newKey = "2:101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
)

// uid open takes back each text of uid seal, in each form, from arguments and from the input.
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
			c := call{args: append([]string{command}, flags...), env: map[string]string{forms.KeysEnv: keys}}
			if rapid.Bool().Draw(t, "input") {
				c.stdin = strings.Join(words, "\n")
			} else {
				c.args = append(c.args, words...)
			}
			o := c.succeeds(t)
			require.Equal(t, command == "open", strings.Contains(o.Err, "nothing in a sealed ID tells"))
			return strings.Fields(o.Out)
		}
		sealed := turn("seal", uids)
		require.NotEqual(t, uids, sealed)
		require.Equal(t, uids, turn("open", sealed))
	})
}

// No sentence of the help is cut by a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	for words := range commands() {
		if strings.HasPrefix(words, "completion ") {
			continue // it is cobra's
		}
		for line := range strings.Lines(ok(t, append([]string{"help"}, strings.Fields(words)...)...)) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
		}
	}
}

// The examples of the help do what they are to show, without a doubt, and name a store where it takes one.
func TestHelpExamples(t *testing.T) {
	ran := 0
	for _, cmd := range commands() {
		for example := range strings.Lines(cmd.Example) {
			if regexp.MustCompile("uid (gen|worker|segment|serve)").MatchString(example) {
				require.Regexp(t, "--store |UID_STORE=|UID_MYSQL_DSN=", example)
			}
			words := strings.Fields(example)
			if words[1] != "parse" && words[1] != "plan" && words[1] != "range" || strings.ContainsAny(example, "\"|") {
				continue
			}
			ran++
			require.NotEmpty(t, ok(t, words[1:]...), example)
			require.NotContains(t, ok(t, words[1:]...), "hint", example)
		}
	}
	require.Greater(t, ran, 8)
}

// TestPartsTellTheNumber: a number of a layout or of a foreign format can be put together again from its picture, and
// its parts are the same in all forms.
func TestPartsTellTheNumber(t *testing.T) {
	names := presets.Formats()
	for _, p := range presets.Layouts() {
		names = append(names, p.Name)
	}
	rapid.Check(t, func(t *rapid.T) {
		form, least, most := cli.NewFormFlag(), int64(0), int64(math.MaxInt64)
		require.NoError(t, form.Set(rapid.SampledFrom(names).Draw(t, "form")))
		switch l := form.Layout; {
		case form.Format == nil:
			most = int64(clitest.Must(l.Compose(l.MaxTick(), l.MaxWorkerID(), l.MaxSequence())))
		case form.Format.Name() == "uidgenerator":
			least = math.MinInt64
		}
		id := rapid.Int64Range(least, most).Draw(t, "id")
		var parts any
		var line string
		if form.ByFormat(id) {
			p := clitest.Must(form.Format.Parse(id))
			parts, line = p, fmt.Sprint(p.Time.Format(time.RFC3339Nano), "\t", p.Machine, "\t", p.Sequence)
		} else {
			p := clitest.Must(form.Parse(uid.UID(id)))
			parts, line = p, fmt.Sprint(p.Time.Format(time.RFC3339Nano), "\t", p.WorkerID, "\t", p.Sequence)
		}
		show := func(format string) string {
			args := []string{"parse", "--layout", form.String(), "--format", format, "--", strconv.FormatInt(id, 10)}
			return call{args: args}.succeeds(t).Out
		}
		require.Equal(t, string(clitest.Must(json.Marshal(parts)))+"\n", show("json"))
		require.Equal(t, fmt.Sprintf("%d\t%s\n", id, line), show("plain"))
		require.Equal(t, id, int64(clitest.Must(strconv.ParseUint(drawnDigits(t, show("table")), 2, 64))))
	})
}

// drawnDigits returns the digits of all fields of a picture, one after the other.
func drawnDigits(t require.TestingT, text string) (digits string) {
	for line := range strings.Lines(text) {
		if line, ok := strings.CutPrefix(line, "  |"); ok {
			digits += strings.NewReplacer("|", "", " ", "", "\n", "").Replace(line)
		}
	}
	require.Len(t, digits, 64)
	return digits
}
