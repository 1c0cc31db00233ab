package guess_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/internal/guess"
	"github.com/uidgen/uid/internal/presets"
)

const day = 24 * time.Hour

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func names(found []guess.Guess) (names []string) {
	for _, g := range found {
		names = append(names, g.Name)
	}
	return names
}

func compose(t require.TestingT, l bits.Layout, at time.Time, worker, sequence int64) int64 {
	u, err := l.Compose(l.TickAt(at), worker, sequence)
	require.NoError(t, err)
	return int64(u)
}

func TestGuesses(t *testing.T) {
	for _, c := range []struct {
		id   int64
		best string
		sure guess.Confidence
		also []string
	}{
		// A March 2026, a July 2016 or a March 2012 of three small workers.
		{180363646902239241, "default", guess.Likely, []string{"uidgenerator", "twitter", "sonyflake"}},
		// A tweet of 2022; but as well a Discord ID of 2026. Its sequence 0 speaks for both.
		{1541815603606036480, "discord", guess.Possible, []string{"twitter", "uidgenerator"}},
		{-7053003394352373760, "uidgenerator", guess.Likely, nil},
		{compose(t, bits.Default(), now, 1, 0), "default", guess.Likely, []string{"twitter", "uidgenerator"}},
		{compose(t, bits.JavaScriptSafe(), now, 1, 0), "javascript", guess.Likely, nil},
		{compose(t, bits.MustParseLayout("discord"), now, 33, 5), "discord", guess.Likely, nil},
		{compose(t, bits.MustParseLayout("instagram"), now, 5, 5), "instagram", guess.Likely, nil},
		{compose(t, bits.MustParseLayout("yitter"), now, 1, 5), "yitter", guess.Likely, nil},
		{99934493955050238 - 255<<16, "sonyflake2", guess.Likely, nil}, // the sequence 0
		{99934493955050238, "sonyflake2", guess.Possible, []string{"default", "twitter"}},
		{417256906266053127, "default", guess.WidthsOnly, []string{"sonyflake"}}, // an old one of a large machine
		{42, "", 0, nil},
		{0, "", 0, nil},
		{-1, "", 0, nil},       // its time is in 2033
		{-1 << 62, "", 0, nil}, // in 2029
	} {
		found := guess.Guesses(c.id, now)
		if c.best == "" {
			require.Empty(t, found, "%d", c.id)
			continue
		}
		require.NotEmpty(t, found, "%d", c.id)
		require.Equal(t, c.best, found[0].Name, "%d: %v", c.id, found)
		require.Equal(t, c.sure, found[0].Confidence(), "%d: %v", c.id, found)
		require.Subset(t, names(found), c.also)
	}
}

func TestConfidence(t *testing.T) {
	for signs, want := range []string{"widths only", "possible", "likely", "likely"} {
		require.Equal(t, want, guess.Guess{Signs: make([]string, signs)}.Confidence().String())
	}
}

// Each sign at its bound.
func TestSigns(t *testing.T) {
	l := bits.MustParseLayout("twitter") // 69 years, 1024 workers, 4096 sequences
	for _, c := range []struct {
		at               time.Time
		worker, sequence int64
		want             []string
	}{
		{now, 31, 127, []string{"recent time", "small worker", "small sequence"}},
		{now.Add(day), 32, 128, []string{"recent time"}},
		{now.Add(-30 * day), 32, 128, []string{"recent time"}},
		{now.Add(-30*day - time.Millisecond), 32, 127, []string{"small sequence"}},
		{now.Add(-30*day - time.Millisecond), 31, 128, []string{"small worker"}},
		{now.Add(-30*day - time.Millisecond), 32, 128, nil},
	} {
		found := guess.Guesses(compose(t, l, c.at, c.worker, c.sequence), now)
		i := slices.Index(names(found), "twitter")
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, c.want, found[i].Signs, "%v", c)
	}
	// Four bits of worker are too few for a sign.
	found := guess.Guesses(compose(t, bits.JavaScriptSafe(), now, 0, 1<<14), now)
	require.Equal(t, []string{"recent time"}, found[slices.Index(names(found), "javascript")].Signs)
}

// A number of any preset or format, made within its life and not in its first day, is among
// its guesses; each guess is as its format reads it; what speaks most comes first.
func TestGuessesFindTheForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		forms := presets.Formats()
		for _, p := range presets.Layouts() {
			forms = append(forms, p.Name)
		}
		name := rapid.SampledFrom(forms).Draw(t, "form")
		var l bits.Layout
		if f, err := foreign.ParseFormat(name); err == nil {
			l = f.Layout()
		} else {
			l = bits.MustParseLayout(name)
		}
		u, err := l.Compose(rapid.Int64Range(l.TickAt(l.Epoch().Add(day))+1, l.MaxTick()).Draw(t, "tick"),
			rapid.Int64Range(0, l.MaxWorkerID()).Draw(t, "worker"),
			rapid.Int64Range(0, l.MaxSequence()).Draw(t, "sequence"))
		require.NoError(t, err)
		made, err := l.Parse(u)
		require.NoError(t, err)
		then := made.Time.Add(time.Duration(rapid.Int64Range(-int64(day), int64(30*365*day)).Draw(t, "age")))

		found := guess.Guesses(int64(u), then)
		require.Contains(t, names(found), name)
		seen := map[string]bool{}
		for i, g := range found {
			require.False(t, seen[g.Name], "twice")
			seen[g.Name] = true
			require.Equal(t, int64(u), g.Parts.ID)
			require.True(t, i == 0 || len(found[i-1].Signs) > len(g.Signs) ||
				len(found[i-1].Signs) == len(g.Signs) && !g.Parts.Time.After(found[i-1].Parts.Time))
			if f, err := foreign.ParseFormat(g.Name); err == nil {
				p, err := f.Parse(int64(u))
				require.NoError(t, err)
				require.Equal(t, p, g.Parts)
				require.Empty(t, guess.Doubt(f, int64(u), then))
			} else {
				p, err := bits.MustParseLayout(g.Name).Parse(u)
				require.NoError(t, err)
				want := foreign.Parts{ID: int64(u), Time: p.Time, Machine: p.WorkerID, Sequence: p.Sequence}
				require.Equal(t, want, g.Parts)
			}
		}
		for _, p := range presets.Layouts() {
			require.Equal(t, bits.MustParseLayout(p.Name).Doubt(u, then) == "", seen[p.Name])
		}
	})
}

func TestDoubt(t *testing.T) {
	overrun, err := foreign.ParseFormat("uidgenerator")
	require.NoError(t, err)
	made, err := overrun.Parse(-7053003394352373760)
	require.NoError(t, err)
	require.Empty(t, guess.Doubt(overrun, made.ID, made.Time.Add(-day)))
	require.Equal(t, "its time, 2026-11-21T15:31:37Z, is in the future: it may be of another format",
		guess.Doubt(overrun, made.ID, made.Time.Add(-day-1)))
	require.Contains(t, guess.Doubt(overrun, 42, now), "after the layout's epoch")
	sonyflake, err := foreign.ParseFormat("sonyflake")
	require.NoError(t, err)
	require.Contains(t, guess.Doubt(sonyflake, -1, now), "-1 is below 0")
	_, err = sonyflake.Parse(-1)
	require.ErrorIs(t, err, uid.ErrRange)
}

// Numbers that no generator made have a sign as seldom as Guess says.
func TestSignsAreSeldom(t *testing.T) {
	counts := map[string]int{}
	guesses := 0
	state := uint64(1)
	for range 20000 {
		state = state*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
		x := state ^ state>>29                                  // its low bits are weak
		for _, g := range guess.Guesses(int64(x>>1), now) {
			guesses++
			for _, s := range g.Signs {
				counts[s]++
			}
		}
	}
	require.Greater(t, guesses, 20000)
	for sign, n := range counts {
		require.Less(t, float64(n)/float64(guesses), 1./28, sign)
	}
}
