package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
)

func uidsOf(lines string) (all []uid.UID) {
	for line := range strings.Lines(lines) {
		all = append(all, clitest.Must(uid.Parse(strings.TrimSuffix(line, "\n"))))
	}
	return all
}

func TestMillion(t *testing.T) {
	// It also says how far ahead the last ones will be.
	all := uidsOf(call{args: []string{"gen", "-n", "1000000", "--store", newStore(t)}}.succeeds(t).Out)
	require.Len(t, all, 1_000_000)
	require.IsIncreasing(t, all)

	// They take 123 ticks, of which the first is the clock's own.
	tick := func(i int) int64 { return clitest.Must(bits.Default().Tick(all[i])) }
	require.EqualValues(t, 122, tick(len(all)-1)-tick(0))
}

// TestLastTicks draws all that the time field still holds, and one more.
func TestLastTicks(t *testing.T) {
	const layout = "4/4/3 unit=720h"
	now := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(13 * 720 * time.Hour) // of the ticks 0 to 15
	o := call{args: []string{"gen", "-n", "24", "--layout", layout, "--store", newStore(t)}, now: now}.succeeds(t)
	all := uidsOf(o.Out)
	require.Len(t, all, 24)
	require.IsIncreasing(t, all)

	store := missingStore(t)
	args := []string{"gen", "-n", "25", "--layout", layout, "--store", store}
	text := call{args: args, now: now}.fails(t, cli.ExitBadInput)
	require.Contains(t, text, "-n 25: value out of range: ")
	require.Contains(t, text, " has room for 24 more UIDs of one worker")
	require.NoFileExists(t, store, "no worker ID is used up")
}
