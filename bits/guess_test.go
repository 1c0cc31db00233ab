package bits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

func names(found []Candidate) []string {
	var names []string
	for _, c := range found {
		names = append(names, c.Name)
	}
	return names
}

func TestGuess(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		u    uid.UID
		want []string
	}{
		{180363646902239241, []string{"default", "uidgenerator", "twitter"}}, // a March 2026, or a July 2016, or 2012
		{1541815603606036480, []string{"twitter", "uidgenerator"}},           // a tweet of 2022, or worker 3870909 in 2017
		{mustCompose(t, Default(), Default().TickAt(now), 1, 0), []string{"default", "twitter", "uidgenerator"}},
		{mustCompose(t, JavaScriptSafe(), JavaScriptSafe().TickAt(now), 1, 0), []string{"javascript"}},
		{mustCompose(t, Redis(), Redis().TickAt(now), 53, 4), []string{"redis", "default", "uidgenerator", "twitter"}},
		{mustCompose(t, UidGenerator(), UidGenerator().TickAt(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)), 1, 0), []string{"uidgenerator"}},
		{uid.Max, []string{"uidgenerator"}}, // its last second, in 2024
		{0, nil},
		{-1, nil},
	} {
		found := Guess(c.u, now)
		require.ElementsMatch(t, c.want, names(found), "%d", c.u)
		for i, candidate := range found {
			require.Equal(t, c.want[0], found[0].Name)
			p, err := candidate.Layout.Parse(c.u)
			require.NoError(t, err)
			require.Equal(t, p, candidate.Parts)
			require.True(t, i == 0 || !p.Time.After(found[i-1].Parts.Time), "the latest first")
		}
	}
}

// A UID of any preset, made within its life and not in its first day, is always
// among its guesses; and a guess is what leaves no doubt.
func TestGuessFindsThePreset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(Presets()).Draw(t, "preset")
		tick := rapid.Int64Range(p.Layout.TickAt(p.Layout.Epoch().Add(slack))+1, p.Layout.MaxTick()).Draw(t, "tick")
		u := mustCompose(t, p.Layout, tick, within(t, "worker", p.Layout.MaxWorkerID()), within(t, "sequence", p.Layout.MaxSequence()))
		now := p.Layout.TimeOf(tick).Add(time.Duration(rapid.Int64Range(-int64(slack), int64(30*365*24*time.Hour)).Draw(t, "age")))
		require.Contains(t, names(Guess(u, now)), p.Name)
		for _, q := range Presets() {
			require.Equal(t, q.Layout.Doubt(u, now) == "", contains(Guess(u, now), q.Name))
		}
	})
}

func contains(found []Candidate, name string) bool {
	for _, c := range found {
		if c.Name == name {
			return true
		}
	}
	return false
}

func TestDoubt(t *testing.T) {
	l := Default()
	now := l.Epoch().Add(100 * day)
	u := func(at time.Time) uid.UID { return mustCompose(t, l, l.TickAt(at), 3, 4) }
	for _, c := range []struct {
		u    uid.UID
		want string
	}{
		{u(now), ""},
		{u(now.Add(day)), ""},
		{u(now.Add(-90 * day)), ""},
		{u(now.Add(day + time.Second)), "its time, 2026-04-12T00:00:01Z, is a day in the future: it may be of another layout"},
		{u(now.Add(729 * day)), "its time, 2028-04-09T00:00:00Z, is 729 days in the future: it may be of another layout"},
		{u(now.Add(5 * 365 * day)), "its time, 2031-04-10T00:00:00Z, is 5 years in the future: it may be of another layout"},
		{u(l.Epoch().Add(day)), ""},
		{u(l.Epoch().Add(day - time.Second)), "its time, 2026-01-01T23:59:59Z, is only 23h59m59s after the layout's epoch: it may be of another layout"},
		{0, "its time, 2026-01-01T00:00:00Z, is only 0s after the layout's epoch: it may be of another layout"},
		{-1, "value out of range: -1 is below 0"},
	} {
		require.Equal(t, c.want, l.Doubt(c.u, now))
	}
	require.Empty(t, l.Doubt(0, l.Epoch().Add(day)), "the first day itself is no doubt")
	require.Contains(t, l.Doubt(0, l.Epoch().Add(-400*day)), "400 days in the future")
	require.Contains(t, JavaScriptSafe().Doubt(1<<52, now), "4503599627370495")
	far := mustBuild(Config{TimeBits: 60})
	require.Contains(t, far.Doubt(1<<60-1, now), "more than 292 years in the future")
}
