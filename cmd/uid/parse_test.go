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
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
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
