package infer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// Layouts that others use, and 200 made up ones, each by 20 rows of a month that were written up to 1.5 s after their
// IDs.
func TestLayouts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	texts := []string{"default", "uidgenerator", "uidgenerator-readme", "twitter", "javascript", "redis", "discord",
		"instagram", "yitter", "39/8/16 unit=10ms epoch=2014-09-01T00:00:00Z", "47ms/0/16 epoch=1970-01-01T00:00:00Z"}
	for range 200 {
		shift := 10 + random.IntN(13)
		unit := units[random.IntN(4)]
		epoch := time.Unix(random.Int64N(1_770_000_000), 0).UTC()
		texts = append(texts, fmt.Sprintf("%d/0/%d unit=%v epoch=%s", min(63-shift, 45), shift, unit,
			epoch.Format(time.RFC3339)))
	}
	for _, text := range texts {
		l := bits.MustParseLayout(text)
		from, random := now, rand.New(rand.NewPCG(5, 6))
		if l.Expires().Before(from) {
			from = l.Expires().AddDate(0, -3, 0)
		}
		var rows []Row
		for range 20 {
			at := from.Add(time.Duration(random.Int64N(int64(30 * 24 * time.Hour))))
			u, err := l.Compose(l.TickAt(at), random.Int64N(l.MaxWorkerID()+1), random.Int64N(l.MaxSequence()+1))
			require.NoError(t, err, text)
			late := time.Duration(random.Int64N(int64(1500 * time.Millisecond)))
			rows = append(rows, Row{int64(u), at.Add(late).Truncate(time.Second)})
		}
		r, err := Layout(rows)
		require.NoError(t, err, text)
		require.Equal(t, []any{l.WorkerBits() + l.SequenceBits(), l.Unit()},
			[]any{r.Layout.WorkerBits() + r.Layout.SequenceBits(), r.Layout.Unit()}, text)
		require.InDelta(t, 0, r.Layout.Epoch().Sub(l.Epoch()).Seconds(), 2.5, text)
		if !strings.Contains(text, "/") {
			require.Equal(t, []any{text, time.Duration(0)}, []any{r.Name, r.Zone})
		}
	}
}

// Three tweets; and with the times of a zone.
func TestPublicRows(t *testing.T) {
	for hours, text := range map[int]string{
		0: "1541815603606036480 1656432460\n1278735254782615552\t1593709217\n1785223470585921538,1714465418\n",
		8: "id | created_at\n---+---\n 1541815603606036480 | 2022-06-29 00:07:40\n" +
			" 1278735254782615552 | 2020-07-03 01:00:17.5\n" +
			" \"1785223470585921538\" | '2024-04-30 16:23:38'\n(3 rows)\n",
	} {
		rows, err := ReadRows(strings.NewReader(text))
		require.NoError(t, err)
		r, err := Layout(rows)
		require.NoError(t, err)
		require.Equal(t, []any{"twitter", time.Duration(hours) * time.Hour}, []any{r.Name, r.Zone})
	}
}

func TestUnclear(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1_700_000_000+int64(s), 0) }
	id := func(s int) int64 {
		l := bits.MustParseLayout("twitter")
		return l.TickAt(at(s)) << (l.WorkerBits() + l.SequenceBits())
	}
	for _, c := range []struct {
		rows []Row
		want string
	}{
		{nil, "0 of them are too few, there have to be 3"},
		{[]Row{{id(0), at(0)}, {id(1000), at(1000)}}, "2 of them are too few"},
		{[]Row{{id(0), at(0)}, {id(40), at(40)}, {id(80), at(80)}}, "within 1m20s, and a time of 41 bits of 1ms"},
		{[]Row{{1, at(0)}, {2, at(5000)}, {3, at(90000)}}, "by no width of a time field"},
		{[]Row{{1, at(0)}, {2, at(5000)}, {-3, at(90000)}}, "the ID -3 is below 0"},
		{[]Row{{id(0), at(0)}, {id(100000), at(100000)}, {id(200000), at(203000)}}, "up to 50m0s beside"},
	} {
		_, err := Layout(c.rows)
		require.ErrorIs(t, err, ErrUnclear)
		require.ErrorContains(t, err, c.want)
	}
}

func TestReadRows(t *testing.T) {
	want := time.Date(2026, 3, 2, 18, 7, 53, 0, time.UTC)
	for _, at := range []string{"1772474873", "1772474873000", "2026-03-02T18:07:53Z", "2026-03-02 18:07:53",
		"2026-03-02 20:07:53+02", "2026-03-02 23:37:53+05:30", "2026-03-02 18:07:53.0",
		"2026-03-02 18:07:53 +0000 UTC"} {
		for _, form := range []string{
			"7 %s", "7\t%s", "7,%s", "\"7\";\"%s\"", "| 7 | %s |", "id\n7,%s", "id1,t2\n7,%s\n\n(1 row)",
		} {
			rows, err := ReadRows(strings.NewReader(fmt.Sprintf(form, at)))
			require.NoError(t, err, form, at)
			require.Equal(t, []Row{{7, want}}, rows, form, at)
		}
	}
	for text, want := range map[string]string{
		"7 1\n8":                   `line 2: "8" has no ID and time`,
		"7 1\nx 1":                 `line 2: "x" is no ID`,
		"7 1\n7 tomorrow":          `line 2: "tomorrow" is no time`,
		"7 1\n7 -1":                "line 2: \"-1\" is no number of seconds",
		"7 1\n7 1e15":              "line 2: \"1e15\" is no number of seconds",
		strings.Repeat("7", 1<<17): "token too long",
	} {
		_, err := ReadRows(strings.NewReader(text))
		require.ErrorIs(t, err, uid.ErrSyntax)
		require.ErrorContains(t, err, want)
	}
}
