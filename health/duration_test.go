package health

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
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
}

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]{1,9})?$`)

// FuzzDuration reads numbers of seconds, and leaves a duration as it was at all else.
func FuzzDuration(f *testing.F) {
	for _, text := range []string{
		"0", "74.2", "-0.000000001", "9223372036.854775807", "-9223372036.854775808", "007", "null",
		"9223372036.854775808", "-9223372036.854775809", "99999999999999999999",
		"", "-", ".5", "1.", "+1", "1.2.3", "1e3", `"1s"`, "0.0000000001", "true", "{}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, wantErr := int64(7), uid.ErrSyntax
		if decimal.MatchString(text) {
			seconds, _ := new(big.Rat).SetString(text)
			if ns := seconds.Mul(seconds, big.NewRat(1e9, 1)).Num(); ns.IsInt64() {
				want, wantErr = ns.Int64(), nil
			} else {
				wantErr = uid.ErrRange
			}
		} else if text == "null" {
			wantErr = nil
		}
		d := Duration{7}
		require.ErrorIs(t, d.UnmarshalJSON([]byte(text)), wantErr)
		require.EqualValues(t, want, d.Duration)
	})
}
