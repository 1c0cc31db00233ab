package health

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestDuration(t *testing.T) {
	for d, text := range map[time.Duration]string{
		0:                             "0",
		1:                             "0.000000001",
		-1:                            "-0.000000001",
		time.Minute:                   "60",
		74*time.Second + 2e8:          "74.2",
		-time.Hour:                    "-3600",
		math.MaxInt64:                 "9223372036.854775807",
		math.MinInt64:                 "-9223372036.854775808",
		10*time.Millisecond + 1:       "0.010000001",
		time.Second - time.Nanosecond: "0.999999999",
	} {
		written, err := json.Marshal(Duration{d})
		require.NoError(t, err)
		require.Equal(t, text, string(written))
		var read Duration
		require.NoError(t, json.Unmarshal(written, &read), text)
		require.Equal(t, d, read.Duration)
	}
	for want, texts := range map[error][]string{
		uid.ErrSyntax: {`1e3`, `"1s"`, `0.0000000001`, `true`, `{}`},
		uid.ErrRange:  {`9223372036.854775808`, `-9223372036.854775809`, `99999999999999999999`},
	} {
		for _, text := range texts {
			d := Duration{7}
			require.ErrorIs(t, json.Unmarshal([]byte(text), &d), want, text)
			require.Equal(t, Duration{7}, d, text)
		}
	}
	for _, text := range []string{"", "-", ".5", "1.", "+1", "1.2.3"} { // JSON has none of these
		require.ErrorIs(t, new(Duration).UnmarshalJSON([]byte(text)), uid.ErrSyntax, text)
	}
	d := Duration{7}
	require.NoError(t, json.Unmarshal([]byte("null"), &d))
	require.Equal(t, Duration{7}, d)
}

func FuzzDuration(f *testing.F) {
	for _, text := range []string{"0", "74.2", "-0.000000001", "9223372036.854775807", "1e3", "007", "-"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d, again Duration
		if d.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		written, err := d.MarshalJSON()
		require.NoError(t, err)
		require.NoError(t, again.UnmarshalJSON(written))
		require.Equal(t, d, again)
	})
}
