package foreign_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/presets"
)

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func at(text string) time.Time { return must(time.Parse(time.RFC3339Nano, text)) }

func TestParseFormat(t *testing.T) {
	for _, c := range [][2]string{
		{"sonyflake", "sonyflake 39/8/16 unit=10ms epoch=2014-09-01T00:00:00Z"},
		{" sonyflake2 ", "sonyflake2 39/8/16 unit=10ms epoch=2025-01-01T00:00:00Z"},
		{"uidgenerator", "uidgenerator 28/22/13 unit=1s epoch=2016-05-19T16:00:00Z"},
		// What is left out is the named one's.
		{"sonyflake epoch=2025-01-01T00:00:00Z", "sonyflake2 39/8/16 unit=10ms epoch=2025-01-01T00:00:00Z"},
		{"sonyflake2 epoch=2026-02-01T00:00:00Z", "sonyflake 39/8/16 unit=10ms epoch=2026-02-01T00:00:00Z"},
		{"sonyflake2 unit=1ms", "sonyflake 39/8/16 unit=1ms epoch=2025-01-01T00:00:00Z"},
		{"sonyflake2 40/7/16", "sonyflake 40/7/16 unit=10ms epoch=2025-01-01T00:00:00Z"},
		{"sonyflake2 40ms/7/16", "sonyflake 40/7/16 unit=1ms epoch=2025-01-01T00:00:00Z"},
		{"sonyflake2 40/7/16 epoch=2026-02-01T00:00:00Z unit=1s",
			"sonyflake 40/7/16 unit=1s epoch=2026-02-01T00:00:00Z"},
		{"sonyflake2 epoch=2026-02-01T00:00:00.01999Z", "sonyflake 39/8/16 unit=10ms epoch=2026-02-01T00:00:00.01Z"},
		{"uidgenerator 29/21/13", "uidgenerator 29/21/13 unit=1s epoch=2016-05-19T16:00:00Z"},
		{"uidgenerator epoch=2016-05-20T00:00:00Z", "uidgenerator 28/22/13 unit=1s epoch=2016-05-20T00:00:00Z"},
		{"uidgenerator 28/22/13 unit=1s epoch=2016-05-19T16:00:00Z ",
			"uidgenerator 28/22/13 unit=1s epoch=2016-05-19T16:00:00Z"},
	} {
		text, want := c[0], c[1]
		f, err := foreign.ParseFormat(text)
		require.NoError(t, err, text)
		require.Equal(t, want, f.String(), text)
	}
}

func TestParseFormatRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		err  error
		want string
	}{
		{"", uid.ErrSyntax, "there are sonyflake, sonyflake2, uidgenerator"},
		{"Sonyflake", uid.ErrSyntax, `"Sonyflake" names no format`},
		{"twitter", uid.ErrSyntax, "names no format"},
		{"sonyflake2 x", uid.ErrSyntax, `"x" is none of unit=, epoch=`},
		{"sonyflake2 40ms/7/16 unit=1s", uid.ErrSyntax, "twice"},
		{"sonyflake2 epoch=2026 epoch=2026", uid.ErrSyntax, "2026"},
		{"sonyflake2 39/8/17", uid.ErrConfig, "39/8/17"},
		{"sonyflake2 39/8/15", uid.ErrConfig, "39/8/15 bits of time, sequence and machine"},
		{"sonyflake2 63/0/0", uid.ErrConfig, "63/0/0"},
		{"sonyflake2 39us/8/16", uid.ErrConfig, "1µs is below 1ms"},
		{"sonyflake2 fields=a:8", uid.ErrConfig, "no named parts such as a:8"},
		{"sonyflake2 16/31/16", uid.ErrConfig,
			"16/31/16 bits of time, sequence and machine: at least 32, 1 to 30 and 1 to 30, 63 in all"},
		{"sonyflake2 30/2/31", uid.ErrConfig, "30/2/31 bits"},
		{"sonyflake2 31/16/16", uid.ErrConfig, "31/16/16 bits"},
		{"sonyflake2 unit=999.999µs", uid.ErrConfig, "999.999µs"},
		{"sonyflake2 unit=7ms", uid.ErrConfig, "7ms"},
		{"sonyflake2 epoch=1969-12-31T23:59:59Z", uid.ErrConfig, "1969-12-31T23:59:59Z is before 1970"},
		{"sonyflake2 epoch=9999-01-01T00:00:00Z", uid.ErrConfig, "is after the present"},
		{"uidgenerator 28/22/12", uid.ErrConfig, "not 62 bits and 1s"},
		{"uidgenerator unit=1ms", uid.ErrConfig, "not 63 bits and 1ms"},
		{"sonyflake2 " + strings.Repeat("x", 300), uid.ErrSyntax, "255"},
	} {
		f, err := foreign.ParseFormat(c.text)
		logtest.Error(t, err, c.err, c.want)
		require.Less(t, len(err.Error()), 300)
		require.Nil(t, f)
	}
}

// Formats are found by their names.
func TestFormats(t *testing.T) {
	for _, name := range presets.Formats() {
		require.Equal(t, name, must(foreign.ParseFormat(name)).Name())
	}
}

func TestPartsJSON(t *testing.T) {
	p := foreign.Parts{ID: -7053003394352373760, Time: at("2026-11-21T15:31:37.5Z"), Machine: 5, Sequence: 6}
	text := must(json.Marshal(p))
	require.Equal(t, `{"uid":"-7053003394352373760","time":"2026-11-21T15:31:37.5Z","worker_id":5,"sequence":6}`,
		string(text))
	var back foreign.Parts
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, p, back)

	wide := must(foreign.ParseFormat("sonyflake2 61/1/1 unit=1s"))
	p = must(wide.Parse(400e9 << 2))
	require.Contains(t, string(must(json.Marshal(p))), `"time":"14700-07-01T15:06:40Z"`)
}
