package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
)

func TestParseStopsAtBadInput(t *testing.T) {
	o := call{args: []string{"parse", "--format", "plain"}, stdin: "180363646902239241\n180363646902239242 oops\n7\n"}.run()
	require.Equal(t, exitBadInput, o.code)
	require.Equal(t, 2, strings.Count(o.out, "\n"), "what came before it is shown")
	require.Equal(t, "uid: UID 3 of the input: syntax error: \"oops\" is not a decimal UID, and no base32 either, "+
		"such as 05067s0001009 or order_05067s0001009, and no UUID\n", o.err)

	o = call{args: []string{"parse", "--format", "plain"}, stdin: "180363646902239241\n" + strings.Repeat("1", 1<<20)}.run()
	require.Equal(t, exitBadInput, o.code)
	require.Equal(t, "uid: UID 2 of the input: syntax error: it has more than 65536 bytes\n", o.err)

	o = call{args: []string{"parse"}}.run()
	require.Equal(t, outcome{}, o, "no UIDs, no output")
}

// The examples of the help do what they are to show, without a doubt.
func TestHelpExamples(t *testing.T) {
	p := &program{getenv: func(string) string { return "" }}
	p.begin()
	ran := 0
	for _, cmd := range append(p.root().Commands(), p.root()) {
		for example := range strings.Lines(cmd.Example) {
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

// turns gives one UID a Read, and records how much had been written by then.
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

func TestParseAnswersBeforeItReadsOn(t *testing.T) {
	var out, stderr bytes.Buffer
	in := &turns{words: []string{"180363646902239241", "180363646902239242"}, out: &out}
	require.Zero(t, run([]string{"parse", "--format", "json"}, in, &out, &stderr, func(string) string { return "" }))
	require.Zero(t, in.written[0])
	require.Less(t, in.written[0], in.written[1])
	require.Less(t, in.written[1], in.written[2])
}

// TestPartsTellTheNumber: a number of a foreign format can be put together again from its picture,
// and its parts are the same in all forms.
func TestPartsTellTheNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(foreign.Formats()).Draw(t, "format")
		least := int64(0)
		if f.Name() == "uidgenerator" {
			least = math.MinInt64
		}
		id := rapid.Int64Range(least, math.MaxInt64).Draw(t, "id")
		want, err := f.Parse(id)
		require.NoError(t, err)
		show := func(format string) string {
			o := call{args: []string{"parse", "--layout", f.String(), "--format", format, "--", strconv.FormatInt(id, 10)}}.run()
			require.Zero(t, o.code)
			return o.out
		}
		var parts foreign.Parts
		require.NoError(t, json.Unmarshal([]byte(show("json")), &parts))
		require.Equal(t, want, parts)
		require.Equal(t, fmt.Sprintf("%d\t%s\t%d\t%d\n", id, want.Time.Format(time.RFC3339Nano), want.Machine, want.Sequence), show("plain"))
		n, err := strconv.ParseUint(drawnDigits(t, show("table")), 2, 64)
		require.NoError(t, err)
		require.Equal(t, id, int64(n))
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

// TestPartsTellTheUID: the UID can be put together again from any format.
func TestPartsTellTheUID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		preset := rapid.SampledFrom(bits.Presets()).Draw(t, "layout")
		l := preset.Layout
		u, err := l.Compose(rapid.Int64Range(0, l.MaxTick()).Draw(t, "tick"),
			rapid.Int64Range(0, l.MaxWorkerID()).Draw(t, "worker ID"), rapid.Int64Range(0, l.MaxSequence()).Draw(t, "sequence"))
		require.NoError(t, err)
		show := func(f string) string {
			o := call{args: []string{"parse", "--layout", preset.Name, "--format", f, u.String()}}.run()
			require.Zero(t, o.code)
			return o.out
		}
		again := func(at time.Time, workerID, sequence int64) {
			v, err := l.Compose(l.TickAt(at), workerID, sequence)
			require.NoError(t, err)
			require.Equal(t, u, v)
		}
		number := func(text string) int64 {
			n, err := strconv.ParseInt(text, 10, 64)
			require.NoError(t, err)
			return n
		}

		var parts uid.Parts
		require.NoError(t, json.Unmarshal([]byte(show("json")), &parts))
		again(parts.Time, parts.WorkerID, parts.Sequence)

		words := strings.Split(strings.TrimSpace(show("plain")), "\t")
		at, err := time.Parse(time.RFC3339Nano, words[1])
		require.NoError(t, err)
		again(at, number(words[2]), number(words[3]))

		n, err := strconv.ParseInt(drawnDigits(t, show("table")), 2, 64)
		require.NoError(t, err)
		require.Equal(t, u, uid.UID(n))
	})
}
