package uidtest_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/uidtest"
)

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// errorOf returns the error of a call.
func errorOf[V any](_ V, err error) error { return err }

// refusal returns what MustNew panics with.
func refusal(cfg uidtest.Config) (err error) {
	defer func() { err = recover().(error) }()
	uidtest.MustNew(cfg)
	return nil
}

func draw(t *testing.T, g *uidtest.Generator, n int) []uid.UID {
	t.Helper()
	dst := make([]uid.UID, n)
	require.Equal(t, n, must(g.Fill(dst)))
	return dst
}

// The texts are those that a failing test shows.
func TestReadableUIDs(t *testing.T) {
	tiny := func(sequenceBits int) bits.Layout {
		return bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 10, SequenceBits: sequenceBits})
	}
	second := bits.Default().Epoch().Add(time.Second)
	twitter, flat := bits.MustParseLayout("twitter"), bits.MustLayout(bits.Config{TimeBits: 1, SequenceBits: 62})
	for _, c := range []struct {
		cfg  uidtest.Config
		want []uid.UID
	}{
		{uidtest.Config{}, []uid.UID{1, 2, 3}},
		{uidtest.Config{WorkerID: 1}, []uid.UID{9001, 9002, 9003}},
		{uidtest.Config{Start: second}, []uid.UID{1<<35 + 632 + 1, 34359739002, 34359739003}}, // 2^35 = 34359738368
		{uidtest.Config{Layout: twitter, Start: twitter.Epoch().Add(time.Millisecond)}, []uid.UID{4195001, 4195002}},
		{uidtest.Config{Layout: tiny(5), WorkerID: 1}, []uid.UID{41, 42, 43}},
		{uidtest.Config{Layout: tiny(4), WorkerID: 1}, []uid.UID{16, 17, 18}},
		{uidtest.Config{Layout: tiny(0), WorkerID: 1}, []uid.UID{1, 1025, 2049}},
		{uidtest.Config{Layout: flat, Start: second}, []uid.UID{5000000000000000001, 5000000000000000002}},
	} {
		require.Equal(t, c.want, draw(t, uidtest.MustNew(c.cfg), len(c.want)))
	}
}

// UIDs are those that Nth says, each larger than the one before, of the worker, not before Start, and
// of the first tick at least as long as half of it lasts.
func checkUIDs(t *rapid.T) {
	timeBits := rapid.IntRange(1, 40).Draw(t, "time bits")
	sequenceBits := rapid.IntRange(0, 63-timeBits).Draw(t, "sequence bits")
	workerBits := rapid.IntRange(0, 63-timeBits-sequenceBits).Draw(t, "worker bits")
	l := bits.MustLayout(bits.Config{TimeBits: timeBits, WorkerBits: workerBits, SequenceBits: sequenceBits})
	within := rapid.SampledFrom([]time.Duration{0, l.Unit() - 1}).Draw(t, "within")
	first := l.TimeOf(rapid.Int64Range(0, l.MaxTick()).Draw(t, "tick"))
	id := rapid.Int64Range(0, l.MaxWorkerID()).Draw(t, "worker")
	g := uidtest.MustNew(uidtest.Config{Layout: l, WorkerID: id, Start: first.Add(within)})
	last := uid.UID(-1)
	far := rapid.Int64Range(51, math.MaxInt64-1).Draw(t, "far")
	for i := range int64(52) {
		n := i + 1
		if i >= 50 {
			n = far + i - 50
		}
		u, err := g.Nth(n)
		if n <= 50 {
			drawn, drawErr := g.GetUID()
			require.Equal(t, []any{u, err}, []any{drawn, drawErr})
		}
		if err != nil {
			require.ErrorIs(t, err, uid.ErrExhausted)
			require.Equal(t, min(n-1, 50), g.Drawn())
			return
		}
		require.Greater(t, u, last)
		last = u
		parts := must(g.ParseUID(u))
		require.Equal(t, id, parts.WorkerID)
		require.False(t, parts.Time.Before(first))
		if n <= (l.MaxSequence()+1)/2 {
			require.Equal(t, first, parts.Time)
		}
		if n <= 50 && l.MaxSequence() >= 255 { // two digits count
			require.Equal(t, n, int64(u)%100)
		}
	}
}

func TestUIDsAreKnownBeforehand(t *testing.T) { rapid.Check(t, checkUIDs) }

func FuzzConfig(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkUIDs)) }

func TestUIDsToTheEnd(t *testing.T) {
	l := bits.MustLayout(bits.Config{TimeBits: 2, WorkerBits: 1, SequenceBits: 2})
	g := uidtest.MustNew(uidtest.Config{Layout: l, WorkerID: 1, Start: l.TimeOf(1)})
	all := make([]uid.UID, 13)
	n, err := g.Fill(all)
	logtest.Error(t, err, uid.ErrExhausted, "UID number 13 is behind the last tick, 3,")
	require.Equal(t, 12, n)
	require.Equal(t, []uid.UID{12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31, 0}, all)
	require.ErrorIs(t, errorOf(g.GetUID()), uid.ErrExhausted)
	for _, n := range []int64{13, math.MaxInt64} {
		require.ErrorIs(t, errorOf(g.Nth(n)), uid.ErrExhausted)
	}
	for _, n := range []int64{0, -1, math.MinInt64} {
		require.ErrorIs(t, errorOf(g.Nth(n)), uid.ErrRange)
	}
}

func TestConfigRefuses(t *testing.T) {
	l := bits.Default()
	for says, cfg := range map[string]uidtest.Config{
		"2025-12-31T23:59:59Z":             {Start: l.Epoch().Add(-time.Second)},
		"2034-07-04T21:24:16Z":             {Start: l.Expires().Add(time.Second)},
		"4194304":                          {WorkerID: 4194304},
		"-1":                               {WorkerID: -1},
		"FailAfter -1 with the Err closed": {FailAfter: -1, Err: errors.New("closed")},
		"FailAfter 3 with the Err <nil>":   {FailAfter: 3},
	} {
		want := uid.ErrRange
		if cfg.FailAfter != 0 {
			want = uid.ErrConfig
		}
		logtest.Error(t, refusal(cfg), want, says)
	}
}

func TestFailures(t *testing.T) {
	boom := errors.New("boom")
	g := uidtest.MustNew(uidtest.Config{Err: boom, FailAfter: 3})
	dst := []uid.UID{-1, -1, -1, -1, -1}
	n, err := g.Fill(dst)
	require.Equal(t, boom, err)
	require.Equal(t, 3, n)
	require.Equal(t, []uid.UID{1, 2, 3, -1, -1}, dst, "no more than it says")
	_, err = g.TryGetUID()
	require.Equal(t, boom, err)
	require.EqualValues(t, 3, g.Drawn())

	g.Fail(nil)
	require.Equal(t, []uid.UID{4, 5}, draw(t, g, 2), "a failure takes nothing")
	g.Fail(uid.ErrRejectedTake)
	_, err = g.GetUID()
	require.Equal(t, uid.ErrRejectedTake, err)

	_, err = uidtest.MustNew(uidtest.Config{Err: boom}).GetUID()
	require.Equal(t, boom, err, "at once")
}

func TestCloseErr(t *testing.T) {
	boom := errors.New("boom")
	g := uidtest.MustNew(uidtest.Config{CloseErr: boom, Err: boom})
	require.Equal(t, boom, g.Close())
	require.NoError(t, g.Close())
	require.ErrorIs(t, errorOf(g.GetUID()), uid.ErrClosed)
}

// Goroutines at once get each UID once.
func TestGoroutines(t *testing.T) {
	g := uidtest.MustNew(uidtest.Config{WorkerID: 3})
	for i, u := range conformance.Draw(t, g, 8, 500) {
		require.Equal(t, must(g.Nth(int64(i+1))), u)
	}
}
