package storage_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
)

var order = storage.Segment{
	Tag: "order", Next: 1<<53 + 1, Step: 1000, Description: `a"<b` + "\U0001F984",
	Updated: time.Date(2026, 7, 1, 12, 0, 0, 123_456_000, time.UTC),
	Writes:  7, Floor: 1<<53 - 1,
	Takers: []storage.Taker{{Nonce: "ABC", Last: 1 << 53}, {Nonce: "z9", Last: -1}},
}

const (
	rowText = `{"v":2,"write":"W1","next":9007199254740993,"step":1000,"description":"a\"\u003cb` + "\U0001F984" +
		`","updated":1782907200123456,"writes":7,"floor":9007199254740991,"takers":["ABC 9007199254740992","z9 -1"]}`
	bareText   = `{"v":2,"next":0,"step":1,"description":"","updated":0,"writes":0,"floor":0,"takers":[]}`
	takersText = `{"v":2,"writes":7,"floor":9007199254740991,"takers":["ABC 9007199254740992","z9 -1"]}`
)

// The largest order comes back as it was, and has the longest text of takers.
func TestBounds(t *testing.T) {
	r := storage.Segment{
		Tag: "order", Next: math.MaxInt64, Step: storage.MaxStep, Description: strings.Repeat("\U0001F984", 256),
		Updated: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Microsecond),
		Writes:  math.MaxInt64,
		Floor:   math.MaxInt64,
	}
	for range storage.MaxTakers {
		r.Takers = append(r.Takers, storage.Taker{Nonce: strings.Repeat("x", 32), Last: math.MaxInt64})
	}
	s, err := storage.MarshalSegment(r, "")
	require.NoError(t, err)
	is, err := storage.UnmarshalSegment("order", s)
	require.NoError(t, err)
	require.Equal(t, r, is)

	s, err = storage.MarshalTakers(r)
	require.NoError(t, err)
	require.Len(t, s, 14155, "as long as database.TakerColumns lets it be")
}

// Nothing is guessed, and nothing of a text is repeated. TestParseRefuses tries all that can be wrong with a JSON
// object.
func TestUnmarshalRefuses(t *testing.T) {
	for name, to := range map[string]func(string) string{
		"nothing":              func(string) string { return " " },
		"no JSON":              func(string) string { return "hunter2" },
		"a newer version":      replace(`"v":2`, `"v":3,"hunter2":5`),
		"a field is missing":   replace(`"writes":7,`, ``),
		"a number is missing":  replace(` -1`, ``),
		"an unknown field":     replace(`"takers"`, `"hunter2":1,"takers"`),
		"null for a taker":     replace(`"z9 -1"`, `null`),
		"a floor below 0":      replace(`"floor":9`, `"floor":-9`),
		"a taker's fraction":   replace(`z9 -1`, `z9 -1.0`),
		"a taker's text":       replace(`z9 -1`, `z9 hunter2`),
		"a taker's zeros":      replace(`z9 -1`, `z9 -01`),
		"a taker's plus":       replace(`z9 -1`, `z9 +1`),
		"a taker's two spaces": replace(`z9 -1`, `z9  -1`),
		"no list of takers":    func(s string) string { return s[:strings.Index(s, `"takers"`)] + `"takers":null}` },
		"below -1":             replace(`z9 -1`, `z9 -2`),
		"the other form": func(s string) string {
			return map[string]string{rowText: takersText, takersText: rowText}[s]
		},
	} {
		_, err := storage.UnmarshalSegment("order", to(rowText))
		for _, err := range []error{err, storage.UnmarshalTakers(to(takersText), new(storage.Segment))} {
			require.ErrorIs(t, err, uid.ErrRange, name)
			require.NotContains(t, err.Error(), "hunter2", name)
			require.Equal(t, name == "a newer version", strings.Contains(err.Error(), "newer version"), name)
		}
	}
	require.ErrorIs(t,
		storage.UnmarshalTakers(`{"v":2,"writes":0,"floor":0,"takers":[]}`, new(storage.Segment)), uid.ErrRange)
	_, err := storage.UnmarshalSegment("order", "")
	require.ErrorIs(t, err, uid.ErrRange)
	for to, says := range map[string]string{
		`"next":-1`:                    "next number of tag \"order\" is -1",
		`"step":0`:                     "is 0, want 1",
		`"updated":-1`:                 "updated is -1 µs",
		`"updated":253402300800000000`: "updated is 253402300800000000 µs",
	} {
		field, _, _ := strings.Cut(to, ":")
		at := strings.Index(bareText, field)
		end := at + strings.Index(bareText[at:], ",")
		_, err := storage.UnmarshalSegment("order", bareText[:at]+to+bareText[end:])
		require.ErrorIs(t, err, uid.ErrRange)
		require.ErrorContains(t, err, says)
	}
}

func replace(old, with string) func(string) string {
	return func(s string) string {
		if strings.Count(s, old) != 1 {
			panic(old)
		}
		return strings.Replace(s, old, with, 1)
	}
}

// What cannot be read is not written.
func TestMarshalRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*storage.Segment){ // TestRowCheck tries all that Row.Check refuses
		"no order":    func(r *storage.Segment) { r.Fresh = true },
		"next":        func(r *storage.Segment) { r.Next = -1 },
		"before 1970": func(r *storage.Segment) { r.Updated = time.Unix(0, -1) },
		"1970 itself": func(r *storage.Segment) { r.Updated = time.Unix(0, 0) },
		"after 9999":  func(r *storage.Segment) { r.Updated = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		r := order
		spoil(&r)
		s, err := storage.MarshalSegment(r, "")
		require.ErrorIs(t, err, uid.ErrRange, name)
		require.Empty(t, s)
	}
	s, err := storage.MarshalTakers(storage.Segment{Floor: -1})
	require.ErrorIs(t, err, uid.ErrRange)
	require.Empty(t, s)
	r := order
	r.Description = "\xff"
	_, err = storage.MarshalSegment(r, "")
	require.ErrorIs(t, err, uid.ErrConfig)
}

// A text is refused, or is the one text of what it says.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{rowText, bareText, takersText, "", "[]", `{"v":3}`,
		`{"v":2,"writes":1,"floor":0,"takers":[]}`, `{"v":2,"writes":0,"floor":5,"takers":[]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var beside storage.Segment
		if err := storage.UnmarshalTakers(s, &beside); err == nil {
			again, err := storage.MarshalTakers(beside)
			require.NoError(t, err)
			require.Equal(t, s, again)
			require.LessOrEqual(t, len(s), 14155)
		} else {
			require.ErrorIs(t, err, uid.ErrRange)
		}
		if r, err := storage.UnmarshalSegment("order", s); err == nil {
			require.NoError(t, r.Check())
			again, err := storage.MarshalSegment(r, "")
			require.NoError(t, err)
			if !strings.Contains(s, `"write":`) {
				require.Equal(t, s, again)
			}
		} else {
			require.ErrorIs(t, err, uid.ErrRange)
		}
	})
}

// What is written is read as it was.
func FuzzRows(f *testing.F) {
	f.Add(int64(1), int64(1000), "orders", int64(1782907200123456), int64(3), int64(1), "ABC", int64(0))
	f.Add(int64(math.MaxInt64), int64(storage.MaxStep), "\u2028<&>\x00",
		int64(0), int64(math.MaxInt64), int64(math.MaxInt64), "z", int64(-1))
	f.Fuzz(func(
		t *testing.T, next, step int64, description string, micros, writes, floor int64, nonce string, last int64,
	) {
		r := storage.Segment{
			Tag: "order", Next: next, Step: step, Description: description,
			Writes: writes, Floor: floor, Takers: []storage.Taker{{Nonce: nonce, Last: last}},
		}
		if micros != 0 {
			r.Updated = time.UnixMicro(micros).UTC()
		}
		s, err := storage.MarshalSegment(r, "W")
		if err != nil {
			return
		}
		is, err := storage.UnmarshalSegment("order", s)
		require.NoError(t, err)
		require.Equal(t, r, is)
		s, err = storage.MarshalTakers(r)
		require.NoError(t, err)
		var beside storage.Segment
		require.NoError(t, storage.UnmarshalTakers(s, &beside))
		require.Equal(t, storage.Segment{Writes: r.Writes, Floor: r.Floor, Takers: r.Takers}, beside)
	})
}
