package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func longest(text string) (n int) {
	for line := range strings.Lines(text) {
		n = max(n, displayWidth(strings.TrimSuffix(line, "\n")))
	}
	return n
}

// All help fits the output, and uses more columns where there are more.
func TestHelpFits(t *testing.T) {
	more := 0
	for words := range commands() {
		if strings.HasPrefix(words, "completion ") {
			continue // cobra's, with commands to copy
		}
		args := append([]string{"help"}, strings.Fields(words)...)
		var lengths []int
		for _, columns := range []string{"", "60", "80", "120"} {
			o := call{args: args, env: map[string]string{"COLUMNS": columns}}.run()
			require.Zero(t, o.code, o.err)
			lengths = append(lengths, longest(o.out))
		}
		require.LessOrEqual(t, lengths[0], usualWidth, words)
		require.Equal(t, lengths[0], lengths[2], words)
		require.LessOrEqual(t, lengths[1], 68, words) // the URLs of uid help stores cannot be folded
		require.LessOrEqual(t, lengths[3], 120, words)
		if lengths[0] > 75 {
			require.Greater(t, lengths[3], lengths[0], words)
			more++
		}
	}
	require.Greater(t, more, 15)
}

func TestReflow(t *testing.T) {
	const text = `Running text that is folded by hand goes on
up to an empty line.
  term   a text beside it, which is folded by hand
         as well
  other  text
  a line of its own, which nothing joins
  another line of its own

    https://example.org/a/very/long/word/that/stays/whole
Running text again.`
	require.Equal(t, `Running text that is folded
by hand goes on up to an
empty line.
  term   a text beside it,
         which is folded by
         hand as well
  other  text
  a line of its own, which
  nothing joins
  another line of its own

    https://example.org/a/very/long/word/that/stays/whole
Running text again.`, reflow(text, 28))
	require.Equal(t, "Running text that is folded by hand goes on up to an empty line.", strings.SplitN(reflow(text, 80), "\n", 2)[0])
	require.Equal(t, "    x", reflow("\tx", 80))
}

// Folding loses no word, changes no order, and makes no line too long that has a
// space.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z/é→]{1,12}`), 0, 20).Draw(t, "words"), " ")
		width := rapid.IntRange(1, 40).Draw(t, "width")
		lines := fold(text, width)
		require.Equal(t, text, strings.Join(lines, " "))
		for _, line := range lines {
			require.True(t, displayWidth(line) <= width || !strings.Contains(line, " "), line)
		}
	})
}

// What is folded for a shell is one command.
func TestFoldOutside(t *testing.T) {
	const command = `  uid parse --layout "41ms/10/12 fields=datacenter:5,worker:5" 1541815603606036480`
	require.Equal(t, "  uid parse --layout \\\n      \"41ms/10/12 fields=datacenter:5,worker:5\" \\\n      1541815603606036480",
		foldOutside(command, 50, "      ", " \\"))
	require.Equal(t, command, foldOutside(command, 100, "      ", " \\"))
	require.Equal(t, "  uid x [--a | --b]\n    [--c [--d]]", foldOutside("  uid x [--a | --b] [--c [--d]]", 24, "    ", ""))
	for _, width := range []int{20, 40, 60} {
		folded := foldOutside(command, width, "      ", " \\")
		require.Equal(t, strings.Fields(command), strings.Fields(strings.ReplaceAll(folded, "\\\n", "")))
	}
}

func TestHelpOfWhatIsNotThere(t *testing.T) {
	for want, args := range map[string][]string{
		`no help about "nosuch": there is some about backfill, bench, completion, gen,`: {"help", "nosuch"},
		`no help about "nosuch": uid gen has no commands of its own`:                    {"help", "gen", "nosuch"},
		`no help about "nosuch": there is some about check, init, ls, release`:          {"help", "worker", "nosuch"},
		`no help about that: there is some about`:                                       {"help", "me:secret@tcp(h)/x"},
		`unknown command "klingon": the commands are bash, fish, powershell, z`:         {"completion", "klingon"},
		`uid completion bash takes no arguments`:                                        {"completion", "bash", "x"},
	} {
		require.Contains(t, call{args: args}.fails(t, exitBadInput), want)
	}
	for _, topic := range []string{"layouts", "stores", "times"} {
		require.Equal(t, ok(t, "help", topic), ok(t, topic))
		require.Contains(t, ok(t), "\n  "+topic)
	}
	require.Contains(t, ok(t, "completion", "fish"), "complete -c uid")
}
