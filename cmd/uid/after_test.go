package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
)

// gen --after makes UIDs above the floor only. A floor out
// of reach is refused as bad input, with the numbers, and so is what is no UID.
func TestGenAfter(t *testing.T) {
	store := newStore(t)
	floor, err := bits.Default().Last(today.Add(5 * time.Minute))
	require.NoError(t, err)
	o := call{args: []string{"gen", "-n", "3", "--store", store, "--after", strconv.FormatInt(int64(floor), 10)}}.run()
	require.Zero(t, o.code, o.err)
	all := uidsOf(t, strings.NewReader(o.out))
	require.Len(t, all, 3)
	require.Greater(t, all[0], floor)
	far, err := bits.Default().Last(today.Add(time.Hour))
	require.NoError(t, err)
	for after, says := range map[string]string{
		strconv.FormatInt(int64(far), 10): "10m0s is allowed",
		"9223372036854775807":             "--after: value out of range: no tick of the layout 28/22/13",
		"0":                               "--after: 0 is not above 0",
		"x":                               `--after: "x" is not a UID in decimal digits`,
	} {
		o := call{args: []string{"gen", "--store", store, "--after", after}}.run()
		require.Equal(t, exitBadInput, o.code, o.err)
		require.Contains(t, o.err, says)
		require.Empty(t, o.out)
	}

	o = call{args: []string{"gen", "--segment", "invoice", "--create", "--after", "4711", "-n", "2", "--store", store}}.run()
	require.Zero(t, o.code, o.err)
	require.Equal(t, "4712\n4713\n", o.out)
	o = call{args: []string{"gen", "--segment", "invoice", "--after", "100", "-n", "1", "--store", store}}.run()
	require.Equal(t, "4714\n", o.out, o.err)
	o = call{args: []string{"gen", "--segment", "invoice", "--after", "4711", "--last", "4711", "--store", store}}.run()
	require.Equal(t, exitBadInput, o.code)
	require.Contains(t, o.err, "--last 4711 is below the first number above --after, 4712")
}
