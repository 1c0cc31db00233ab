package bits

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

// Layouts of equal texts are equal, whatever the zone of the epoch.
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		require.True(t, l == must(ParseLayout(l.String())))
		require.LessOrEqual(t, len(l.String()), 255)
	})
	names := []uid.Field{}
	for i := range 8 {
		names = append(names, uid.Field{Name: strings.Repeat(string(rune('a'+i)), 16), Bits: 1})
	}
	names[7].Bits = 5
	longest := MustLayout(Config{TimeBits: 11, WorkerBits: 12, SequenceBits: 40,
		Unit:  2562047*time.Hour + 47*time.Minute + 16*time.Second,
		Epoch: time.Date(2020, 12, 12, 12, 12, 12, 123456789, time.UTC), Fields: names})
	require.LessOrEqual(t, len(longest.String()), 255)
}

func TestParseLayout(t *testing.T) {
	parted := Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond,
		Fields: []uid.Field{{Name: "datacenter", Bits: 5}, {Name: "worker", Bits: 5}}}
	for text, want := range map[string]Config{
		"28/22/13":           {TimeBits: 28, WorkerBits: 22, SequenceBits: 13},
		"28s/22/13":          {TimeBits: 28, WorkerBits: 22, SequenceBits: 13},
		"  28/22/13\n":       {TimeBits: 28, WorkerBits: 22, SequenceBits: 13},
		"1/0/0":              {TimeBits: 1},
		"41ms/10/12":         {TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond},
		"41/10/12 unit=1ms":  {TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond},
		"50us/1/1":           {TimeBits: 50, WorkerBits: 1, SequenceBits: 1, Unit: time.Microsecond},
		"60ns/1/1":           {TimeBits: 60, WorkerBits: 1, SequenceBits: 1, Unit: 1},
		"20m/1/1":            {TimeBits: 20, WorkerBits: 1, SequenceBits: 1, Unit: time.Minute},
		"20h/1/1":            {TimeBits: 20, WorkerBits: 1, SequenceBits: 1, Unit: time.Hour},
		"37/16/10 unit=10ms": {TimeBits: 37, WorkerBits: 16, SequenceBits: 10, Unit: 10 * time.Millisecond},
		"20/1/1 unit=1h0m0s": {TimeBits: 20, WorkerBits: 1, SequenceBits: 1, Unit: time.Hour},
		"20/1/1  epoch=1970-01-01T01:00:00+01:00": {TimeBits: 20, WorkerBits: 1, SequenceBits: 1,
			Epoch: time.Unix(0, 0)},
		"41ms/10/12 fields=datacenter:5,worker:5": parted,
	} {
		l, err := ParseLayout(text)
		require.NoError(t, err, text)
		require.Equal(t, MustLayout(want), l, text)
	}
}

func TestParseLayoutRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "/", "//", "28", "28/22", "28/22/13/0", "28/22/", "/22/13", "a/b/c", "+28/22/13", "-28/22/13",
		"28/22/-13", "28.0/22/13", "0x1c/22/13",
		"28 /22/13", "28d/22/13", "28smm/22/13", "28ms1/22/13", "ms/22/13", "28/22s/13", "28/22/13 13",
		"28/22/13 Unit=1s", "28/22/13 unit", "28/22/13 unit=", "28/22/13 unit=1",
		"28/22/13 unit=0s", "28/22/13 unit=-1s", "28/22/13 unit=1s unit=1s", "28s/22/13 unit=1s", "28/22/13 epoch=",
		"28/22/13 epoch=0", "28/22/13 epoch=2026-01-01",
		"28/22/13 epoch=0001-01-01T00:00:00Z", "28/22/13 fields=", "28/22/13 fields=a", "28/22/13 fields=a:",
		"28/22/13 fields=a:22,", "28/22/13 fields=a:x", "28/22/13 fields=A:22",
		"28/22/13 fields=a:11,a:11", "99999999999999999999/1/1", "nosuch", "default epoch=2026-01-01T00:00:00Z",
	} {
		l, err := ParseLayout(text)
		require.ErrorIs(t, err, uid.ErrSyntax, "%q", text)
		require.True(t, l.IsZero())
	}
	for text, numbers := range map[string]string{
		"28/22/14":                            "28/22/14",
		"0/22/13":                             "0/22/13",
		"65535/1/1":                           "65535/1/1",
		"28/22/13 unit=3ms":                   "3ms",
		"28/22/13 epoch=9999-01-01T00:00:00Z": "9999-01-01",
		"28/22/13 epoch=1969-12-31T23:59:59Z": "1969-12-31",
		"28/22/13 fields=a:21":                "21 bits",
		"28/22/13 fields=a:22,b:0":            `"b"`,
	} {
		l, err := ParseLayout(text)
		require.ErrorIs(t, err, uid.ErrConfig, "%q", text)
		require.ErrorContains(t, err, numbers)
		require.True(t, l.IsZero())
	}
	require.ErrorContains(t, errorOf(ParseLayout("28/22/13 fields=a")), `the part "a" is not name:bits`)
	_, err := ParseLayout(strings.Repeat("x/", 1<<20))
	require.Less(t, len(err.Error()), 300)
	must(ParseLayout("28/22/13" + strings.Repeat(" ", maxText-8)))
	_, err = ParseLayout("28/22/13" + strings.Repeat(" ", maxText-7))
	refused(t, err, uid.ErrSyntax, "at most 255 bytes, not 256")
}

func FuzzParseLayout(f *testing.F) {
	for _, s := range []string{"28/22/13", "41ms/10/12", "default", "js",
		"37/16/10 unit=10ms epoch=2020-01-01T00:00:00Z", "41ms/10/12 fields=datacenter:5,worker:5",
		"62/0/0 unit=2540400h0m0s", "28/22/13 epoch=1969-12-31T23:59:60Z",
		"1h/0/0 epoch=1970-01-01T00:00:00.000000001-23:59"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLayout(text)
		if err != nil {
			require.True(t, l.IsZero())
			require.Less(t, len(err.Error()), 4*4*maxText) // the text, quoted and escaped a few times
			return
		}
		require.Equal(t, l, must(ParseLayout(l.String())))
		// The last UID there is comes back.
		u := must(l.Compose(l.MaxTick(), l.MaxWorkerID(), l.MaxSequence()))
		require.True(t, must(l.Parse(u)).Time.Equal(l.Expires()))
		require.True(t, l.Expires().After(l.Epoch()))
	})
}

// FuzzNewLayout holds NewLayout's verdict against the plain rules.
func FuzzNewLayout(f *testing.F) {
	f.Add(28, 22, 13, int64(0), int64(0))
	f.Add(63, 0, 0, int64(1), int64(1))
	f.Add(-1, 64, 1<<31-1, int64(-1), int64(time.Minute))
	f.Fuzz(func(t *testing.T, tb, wb, sb int, epoch, unit int64) {
		cfg := Config{TimeBits: tb, WorkerBits: wb, SequenceBits: sb, Epoch: time.Unix(epoch, 0),
			Unit: time.Duration(unit)}
		l, err := newLayout(cfg, now)
		if err != nil {
			require.ErrorIs(t, err, uid.ErrConfig)
			require.Zero(t, l)
			return
		}
		require.True(t, 1 <= tb && 0 <= wb && 0 <= sb && tb <= 63 && wb <= 63 && sb <= 63 && tb+wb+sb <= 63,
			fmt.Sprint(cfg))
		require.True(t, 0 <= epoch && epoch <= now.Unix())
		require.True(t, unit >= 0)
		u := must(l.Compose(l.MaxTick(), 0, 0))
		require.False(t, must(l.Parse(u)).Time.Before(l.Epoch()), "the end wrapped")
	})
}
