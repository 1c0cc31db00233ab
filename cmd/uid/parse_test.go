package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/internal/presets"
)

// The examples of the help do what they are to show, without a doubt.
func TestHelpExamples(t *testing.T) {
	ran := 0
	for _, cmd := range commands() {
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

// TestPartsTellTheNumber: a number of a foreign format can be put together again from its picture,
// and its parts are the same in all forms.
func TestPartsTellTheNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := clitest.Must(foreign.ParseFormat(rapid.SampledFrom(presets.Formats()).Draw(t, "format")))
		least := int64(0)
		if f.Name() == "uidgenerator" {
			least = math.MinInt64
		}
		id := rapid.Int64Range(least, math.MaxInt64).Draw(t, "id")
		want := clitest.Must(f.Parse(id))
		show := func(format string) string {
			args := []string{"parse", "--layout", f.String(), "--format", format, "--", strconv.FormatInt(id, 10)}
			return call{args: args}.succeeds(t).Out
		}
		var parts foreign.Parts
		require.NoError(t, json.Unmarshal([]byte(show("json")), &parts))
		require.Equal(t, want, parts)
		line := fmt.Sprintf("%d\t%s\t%d\t%d\n", id, want.Time.Format(time.RFC3339Nano), want.Machine, want.Sequence)
		require.Equal(t, line, show("plain"))
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

// TestPartsTellTheUID: the UID can be put together again from any format.
func TestPartsTellTheUID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		preset := rapid.SampledFrom(presets.Layouts()).Draw(t, "layout")
		l := bits.MustParseLayout(preset.Name)
		u := clitest.Must(l.Compose(rapid.Int64Range(0, l.MaxTick()).Draw(t, "tick"),
			rapid.Int64Range(0, l.MaxWorkerID()).Draw(t, "worker ID"),
			rapid.Int64Range(0, l.MaxSequence()).Draw(t, "sequence")))
		show := func(f string) string {
			return call{args: []string{"parse", "--layout", preset.Name, "--format", f, u.String()}}.succeeds(t).Out
		}
		again := func(at time.Time, workerID, sequence int64) {
			require.Equal(t, u, clitest.Must(l.Compose(l.TickAt(at), workerID, sequence)))
		}
		number := func(text string) int64 { return clitest.Must(strconv.ParseInt(text, 10, 64)) }

		var parts uid.Parts
		require.NoError(t, json.Unmarshal([]byte(show("json")), &parts))
		again(parts.Time, parts.WorkerID, parts.Sequence)

		words := strings.Split(strings.TrimSpace(show("plain")), "\t")
		again(clitest.Must(time.Parse(time.RFC3339Nano, words[1])), number(words[2]), number(words[3]))

		require.Equal(t, u, uid.UID(clitest.Must(strconv.ParseInt(drawnDigits(t, show("table")), 2, 64))))
	})
}
