package main

import (
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// Runs of backfill and of gen share no UID, whatever they have in common.
func TestBackfillRuns(t *testing.T) {
	store := newStore(t)
	ok(t, "worker", "init", "--store", store)
	differ := func(runs ...[]string) {
		seen := map[string]bool{}
		for range 3 {
			for _, args := range runs {
				for line := range strings.Lines(ok(t, append(args, "--store", store)...)) {
					require.False(t, seen[line])
					seen[line] = true
				}
			}
		}
		require.Len(t, seen, 3*2*len(runs))
	}
	const now = "2026-11-21T09:59:00Z" // the command's clock is a minute ahead
	differ([]string{"backfill", now, now}, []string{"backfill", now, now, "--workers", "2"}, []string{"gen", "-n", "2"})
	differ([]string{"backfill", now, now, "--namespace", "default", "--sorted"})
}

// FuzzMoment reads times: each is written in one way, and comes back.
func FuzzMoment(f *testing.F) {
	for _, text := range []string{"2026-11-21", "2026-11-21 10:00", "2026-11-21T10:00:30.25+01:00", "1772474873999",
		"-1", "0", "999999999999999999", "9999999999999999999", "", "-", "+1", "1e3", "0001-01-01",
		"9999-12-31T23:59:59.999999999Z", "1_000", "２０２６"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := parseMoment(text)
		if err != nil {
			require.ErrorIs(t, err, uid.ErrSyntax)
			require.Zero(t, at)
			return
		}
		if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
			require.Equal(t, ms, at.UnixMilli())
			again, err := parseMoment(strconv.FormatInt(at.UnixMilli(), 10))
			require.NoError(t, err)
			require.True(t, again.Equal(at))
			return
		}
		if year := at.Year(); year < 0 || year > 9999 {
			return // in another zone it was within
		}
		again, err := parseMoment(at.Format(time.RFC3339Nano))
		require.NoError(t, err)
		require.True(t, again.Equal(at), "%v %v", again, at)
	})
}

// An input that ends once a signal has come may not be whole.
func TestBackfillInterrupted(t *testing.T) {
	p := &program{stdin: strings.NewReader(""), stdout: io.Discard, getenv: noEnv}
	p.begin()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, (&backfillCommand{gen: p.newGen()}).write(ctx, nil, nil), context.Canceled)
}

func TestBackfillTableTooLong(t *testing.T) {
	c := call{args: []string{"backfill", "--store", newStore(t), "--format", "table"},
		stdin: strings.Repeat("2026-02-02T00:00:00Z\n2026-02-02T00:00:01Z\n", maxTableRows/2+1)}
	require.Contains(t, c.fails(t, exitBadInput), "a table has at most 10000 rows")
}
