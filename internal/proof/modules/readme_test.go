package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
)

func TestPrograms(t *testing.T) {
	show := func(lines string) string { return "```go\npackage main\n\nfunc main() {\n" + lines + "}\n```\n" }
	const first, second = "\tfmt.Println(u) // 12\n", "\tfmt.Println(f(x)) // 12: a b\n"
	all, err := programs("a\n\n" + show(first) + "\nb\n\n" + show(second))
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, program{"package main\n\nfunc main() {\n" + first + "}\n", "12"}, all[0])
	require.Equal(t, "12: a b", all[1].prints)
	for _, text := range []string{"", "```\n" + first + "```\n", show(""), show(first + second), show("\tfmt.Println(u)\n"), show(first) + show("")} {
		_, err := programs(text)
		require.Error(t, err, text)
	}
}

func TestAlike(t *testing.T) {
	require.True(t, alike("12: 2026-11-21T06:37:43Z, worker 1", "987654: 2027-01-01T00:00:00Z, worker 12\n"))
	require.False(t, alike("12", "12"))
	require.False(t, alike("12", "12 a\n"))
	require.False(t, alike("12", "12\n13\n"))
	require.False(t, alike("12, worker 1", "12, worker a\n"))
}

func TestFresh(t *testing.T) {
	at := func(when time.Time) string {
		u, err := bits.Default().Compose(bits.Default().Terms().TickAt(when), 1, 0)
		require.NoError(t, err)
		return u.String() + ": a UID\n"
	}
	now := time.Now()
	require.NoError(t, fresh(at(now), now))
	require.Error(t, fresh(at(now.Add(-2*time.Second)), now))
	require.Error(t, fresh(at(now.Add(time.Hour)), now))
	require.Error(t, fresh("none\n", now))
	require.Error(t, fresh("-\n", now))
}
