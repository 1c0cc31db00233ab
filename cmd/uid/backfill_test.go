package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// Runs of backfill and of gen share no UID, whatever they have in common.
func TestBackfillRuns(t *testing.T) {
	store, seen := newStore(t), map[string]bool{}
	ok(t, "worker", "init", "--store", store)
	const now = "2026-11-21T09:59:00Z" // the command's clock is a minute ahead
	for range 3 {
		for _, args := range [][]string{{"backfill", now, now}, {"backfill", now, now, "--workers", "2"}, {"gen", "-n", "2"}} {
			for line := range strings.Lines(ok(t, append(args, "--store", store)...)) {
				require.False(t, seen[line])
				seen[line] = true
			}
		}
	}
	require.Len(t, seen, 18)
	seen = map[string]bool{}
	for range 3 {
		for line := range strings.Lines(ok(t, "backfill", now, now, "--namespace", "default", "--sorted", "--store", store)) {
			require.False(t, seen[line])
			seen[line] = true
		}
	}
	require.Len(t, seen, 6)
}

func TestBackfillWithin(t *testing.T) {
	args := []string{"backfill", "--layout", "31/31/1", "--store", newStore(t), "--format", "plain"}
	day := []string{"2026-03-02", "2026-03-02", "2026-03-02"}
	o := call{args: append(args, day...)}.run()
	require.Equal(t, exitBadInput, o.code)
	require.Contains(t, o.err, "uid: time 3: the tick is full: tick 5184000")
	require.Len(t, strings.Fields(o.out), 2)
	require.Len(t, strings.Fields(ok(t, append(append(args, "--within", "1s"), day...)...)), 3)
	require.Len(t, strings.Fields(ok(t, append(append(args, "--workers", "2"), day...)...)), 3)
}

func TestBackfillRefuses(t *testing.T) {
	store := newStore(t)
	ok(t, "worker", "init", "--store", store, "--namespace", "orders")
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"--durable-store", "2026-02-02"}, exitBadInput, "--durable-store is for --namespace"},
		{[]string{"--namespace", "none", "2026-02-02"}, exitFailure, `this makes it, once: uid worker init --namespace none --store `},
		{[]string{"--namespace", "@", "2026-02-02"}, exitBadInput, "0x40"},
		{[]string{"--to", "2199-01-01", "2026-02-02"}, exitBadInput, "is after the present"},
		{[]string{"--from", "2020-01-01", "2026-02-02"}, exitBadInput, "older times need a layout with an earlier epoch"},
		{[]string{"--from", "2026-02-02", "--to", "2026-02-01", "2026-02-02"}, exitBadInput, "is after To"},
		{[]string{"--workers", "1e18", "2026-02-02"}, exitBadInput, "too large a number"}, {[]string{"--workers", "5e6", "2026-02-02"}, exitBadInput, "Workers 5000000 is not within 1 and 4194304"},
		{[]string{"--namespace", "orders", "--layout", "twitter", "2026-02-02"}, exitFailure, "under another layout"},
		{[]string{"--sorted", "2026-02-02", "2026-02-01"}, exitBadInput, "time 2: backfill: time out of order"},
		{[]string{"--format", "plain", "yesterday"}, exitBadInput, "nor a number of milliseconds since 1970"},
	} {
		o := call{args: append([]string{"backfill", "--store", store}, tt.args...)}.run()
		require.Equal(t, tt.code, o.code, "%v: %s", tt.args, o.err)
		require.Contains(t, o.err, tt.text)
	}
	o := call{args: []string{"backfill", "--store", store, "--format", "table"}, stdin: strings.Repeat("2026-02-02T00:00:00Z\n2026-02-02T00:00:01Z\n2026-02-02T00:00:02Z\n", maxTableRows/3+1)}.run()
	require.Equal(t, exitBadInput, o.code)
	require.Contains(t, o.err, "a table has at most 10000 rows")
}

// FuzzMoment reads times: each is written in one way, and comes back.
func FuzzMoment(f *testing.F) {
	for _, text := range []string{"2026-11-21", "2026-11-21 10:00", "2026-11-21T10:00:30.25+01:00", "1772474873999", "-1", "0", "999999999999999999", "9999999999999999999",
		"", "-", "+1", "1e3", "0001-01-01", "9999-12-31T23:59:59.999999999Z", "1_000", "２０２６"} {
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
