package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
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
