package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
			o := call{args: args, env: map[string]string{"COLUMNS": columns}}.succeeds(t)
			lengths = append(lengths, longest(o.out))
		}
		require.LessOrEqual(t, lengths[0], usualWidth, words)
		require.Equal(t, lengths[0], lengths[2], words)
		require.LessOrEqual(t, lengths[1], usualWidth, words) // examples are not folded
		require.LessOrEqual(t, lengths[3], 120, words)
		if lengths[3] > lengths[0] {
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
	first, _, _ := strings.Cut(reflow(text, 80), "\n")
	require.Equal(t, "Running text that is folded by hand goes on up to an empty line.", first)
	require.Equal(t, "    x", reflow("\tx", 80))
}

// The help of a subcommand fits on a screen.
func TestHelpFitsOnAScreen(t *testing.T) {
	for words, cmd := range commands() {
		if words == "" || strings.HasPrefix(words, "completion ") || cmd.IsAdditionalHelpTopicCommand() {
			continue
		}
		for _, width := range []string{"80", "120"} {
			args, env := append(strings.Fields(words), "--help"), map[string]string{"COLUMNS": width}
			o := call{args: args, env: env}.succeeds(t)
			require.LessOrEqual(t, strings.Count(o.out, "\n"), screen, o.out)
			require.LessOrEqual(t, longest(o.out), usualWidth+40, o.out)
			require.Contains(t, o.out, "uid "+words)
			require.Contains(t, o.out, "\nuid help "+words+" says more.\n")
		}
	}
}
